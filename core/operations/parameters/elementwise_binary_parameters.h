// The operands of operations on two tensors that broadcast against each other, and the fixed-point arithmetic of 8-bit types.
#pragma once

#include "core/base/fixed_point.h"
#include "core/operations/operation_definition.h"
#include "core/operations/parameters/activation.h"

namespace nnvk {

// Comparisons, LOGICAL_AND and LOGICAL_OR have these operands too. Only ADD, SUB, MUL and DIV have an activation.
namespace elementwise_binary {
enum Input : size_t { kFirst, kSecond, kActivation };
enum Output : size_t { kOutput };
}  // namespace elementwise_binary

// An 8-bit ADD or SUB shifts both operands left by this number of bits before it converts them to a common scale.
inline constexpr int kSumGuardBits = 20;

// The parameters of ADD, SUB, MUL, DIV or PRELU.
struct ElementwiseBinaryParameters {
  FusedActivation activation = FusedActivation::kNone;
  // The multipliers of 8-bit types. They give the result before zero point and activation, from a and b without their zero
  // points. ADD, SUB: ((a << kSumGuardBits) * first + (b << kSumGuardBits) * second) * result; SUB has a negative `second`,
  // because
  // a negated product would round ties in another way. MUL: a * b * result. PRELU: a >= 0 ? a * first : a * b * second.
  FixedPointMultiplier first;
  FixedPointMultiplier second;
  FixedPointMultiplier result;
};

// Decodes an operation that infer() has accepted. OP_FAILED if the arithmetic cannot represent a multiplier of these scales.
Result<ElementwiseBinaryParameters> elementwise_binary_parameters(const OperationView& operation);

}  // namespace nnvk
