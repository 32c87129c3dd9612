// Arithmetic on constants, on the host: what NNAPI's operations compute, for any number type of ONNX. Integers keep 64 bits.
#pragma once

#include <optional>

#include "importers/onnx/constant.h"

namespace nnvk::importers::onnx {

// The most elements of a folded result. Larger constants stay operations, which the library folds at compilation.
inline constexpr size_t kMostFoldedElements = 65536;

// Each function returns null if it does not know the operation for this type, or if the result has too many elements.
ConstantPointer folded_unary(int32_t code, const Constant& input);
// Folds an operation of two constants that broadcast. Comparisons and LOGICAL_* give BOOL. Division of integers rounds down; it
// is not folded if a divisor is 0.
ConstantPointer folded_binary(int32_t code, const Constant& a, const Constant& b, Dimensions shape);
// Selects elements of two tensors by a mask; the three tensors broadcast to `shape`.
ConstantPointer folded_select(const Constant& mask, const Constant& a, const Constant& b, Dimensions shape);
// Reduces these axes to 1: MEAN and REDUCE_*.
ConstantPointer folded_reduction(int32_t code, const Constant& input, std::span<const int64_t> axes);
// Converts as ONNX's Cast does: reals are truncated, nothing is scaled. Fails for types that are no numbers.
Result<ConstantPointer> folded_cast(const Constant& input, ElementType type);

}  // namespace nnvk::importers::onnx
