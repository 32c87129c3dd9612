// NNAPI operations that compute elements, with ONNX's broadcasting. Small constants are folded on the host.
#pragma once

#include "importers/onnx/emitter.h"

namespace nnvk::importers::onnx {

// Emits an operation like ABS, EXP or LOGISTIC, whose result has the type and shape of its input.
Result<Tensor> unary(Emitter& emitter, int32_t code, const Tensor& input);
// Emits an operation from ADD to POW, MAXIMUM, MINIMUM or LOGICAL_*. Both inputs must have one type. 8-bit integers wrap around.
Result<Tensor> binary(Emitter& emitter, int32_t code, const Tensor& a, const Tensor& b);
// Emits such an operation with a number, in the type of the tensor.
Result<Tensor> binary(Emitter& emitter, int32_t code, const Tensor& a, double b);
// Emits EQUAL ... LESS_EQUAL; the result has booleans.
Result<Tensor> compare(Emitter& emitter, int32_t code, const Tensor& a, const Tensor& b);
Result<Tensor> compare(Emitter& emitter, int32_t code, const Tensor& a, double b);
// Emits a choice: elements of a where the mask is true, else of b.
Result<Tensor> select(Emitter& emitter, const Tensor& mask, const Tensor& a, const Tensor& b);
// Converts to an NNAPI tensor type: reals are truncated, 8-bit tensors are taken as plain integers, booleans are 0 and 1.
Result<Tensor> cast(Emitter& emitter, const Tensor& input, int32_t type);
// Gives an 8-bit tensor another quantization with the same stored integers.
Result<Tensor> with_quantization(Emitter& emitter, const Tensor& input, float scale, int32_t zero_point);
// Emits MEAN or REDUCE_* over axes counted from 0, in ascending order.
Result<Tensor> reduce(Emitter& emitter, int32_t code, const Tensor& input, std::span<const int64_t> axes, bool keep);
Result<Tensor> softmax(Emitter& emitter, int32_t code, const Tensor& input, int64_t axis);
// Emits the input rounded towards zero.
Result<Tensor> truncate(Emitter& emitter, const Tensor& input);
// Emits the input rounded to the nearest integer, ties to even.
Result<Tensor> round_to_even(Emitter& emitter, const Tensor& input);
// Emits the quotient of integers, rounded towards zero as ONNX's Div.
Result<Tensor> integer_quotient(Emitter& emitter, const Tensor& a, const Tensor& b);

}  // namespace nnvk::importers::onnx
