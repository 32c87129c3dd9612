// Operands of the operations on two tensors that broadcast against each other, and the fixed-point arithmetic of their 8-bit
// types.
#pragma once

#include "core/base/fixed_point.h"
#include "core/operations/operation_definition.h"
#include "core/operations/parameters/activation.h"

namespace nnvk {

// Also those of the comparisons, LOGICAL_AND and LOGICAL_OR. Only ADD, SUB, MUL and DIV have an activation.
namespace elementwise_binary {
enum Input : size_t { kFirst, kSecond, kActivation };
enum Output : size_t { kOutput };
}  // namespace elementwise_binary

// Both operands of an 8-bit ADD or SUB are shifted left by this number of bits before they are converted to a common scale.
inline constexpr int kSumGuardBits = 20;

// The parameters of ADD, SUB, MUL, DIV or PRELU.
struct ElementwiseBinaryParameters {
  FusedActivation activation = FusedActivation::kNone;
  // 8-bit types: the result before zero point and activation, for a and b from which their zero points were subtracted.
  // ADD, SUB: ((a << kSumGuardBits) * first + (b << kSumGuardBits) * second) * result; the `second` of SUB is negative, because
  // negating the product instead would round ties in another way. MUL: a * b * result.
  // PRELU: a * first where a >= 0, else a * b * second.
  FixedPointMultiplier first;
  FixedPointMultiplier second;
  FixedPointMultiplier result;
};

// infer() has passed. OP_FAILED when the scales give a multiplier that the arithmetic cannot represent.
Result<ElementwiseBinaryParameters> elementwise_binary_parameters(const OperationView& operation);

}  // namespace nnvk
