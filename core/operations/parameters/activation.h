// The activation that many operations apply to their result, and the limits that it sets for the result.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// The codes of NNAPI's FuseCode.
enum class FusedActivation : int32_t { kNone = 0, kRelu = 1, kRelu1 = 2, kRelu6 = 3 };

// Returns the FuseCode in scalar `input`, whose value is known. OP_FAILED outside 0..3.
Result<FusedActivation> activation_parameter(const OperationView& operation, size_t input);

// The bounds of a float output: [lo, hi] in real units.
struct ActivationBounds {
  float lo;
  float hi;
};
ActivationBounds float_activation_bounds(FusedActivation a);
// The bounds of a quantized output, by the ADD specification's "fused-activation limits". `type` is an 8-bit type.
struct QuantizedBounds {
  int32_t lo;
  int32_t hi;
};
QuantizedBounds quantized_activation_bounds(FusedActivation a, OperandType type, float scale, int32_t zero_point);

}  // namespace nnvk
