// Moves of elements: NNAPI operations that compute nothing, with ONNX's shapes. Constants are moved on the host. Booleans and
// integers take a way around where NNAPI's operation does not know their type.
#pragma once

#include "importers/onnx/emitter.h"

namespace nnvk::importers::onnx {

// Emits a reshape. At most one dimension of `shape` may be -1: it follows from the others.
Result<Tensor> reshape(Emitter& emitter, const Tensor& input, Dimensions shape);
// Inserts dimensions of 1: `axes` number the result's dimensions, in ascending order.
Result<Tensor> unsqueeze(Emitter& emitter, const Tensor& input, std::span<const int64_t> axes);
// Drops these dimensions, which must be 1.
Result<Tensor> squeeze(Emitter& emitter, const Tensor& input, std::span<const int64_t> axes);
Result<Tensor> transpose(Emitter& emitter, const Tensor& input, std::span<const int64_t> permutation);

// Part of one axis. The length of the result is `count`; step may be negative.
struct AxisSlice {
  int64_t axis = 0;
  int64_t begin = 0;
  int64_t count = 0;
  int64_t step = 1;
};
Result<Tensor> slice(Emitter& emitter, const Tensor& input, std::span<const AxisSlice> slices);

// Emits the elements at `indices` along an axis; the indices' dimensions replace the axis. They must lie in [0, size of the
// axis).
Result<Tensor> gather(Emitter& emitter, const Tensor& input, int64_t axis, const Tensor& indices);
// Emits a gather at positions that are known.
Result<Tensor> gather(Emitter& emitter, const Tensor& input, int64_t axis, std::span<const int64_t> positions);

Result<Tensor> concatenate(Emitter& emitter, const Tensors& inputs, int64_t axis);
// Joins tensors along an axis. 8-bit tensors may have any quantizations; the result has that of `like`.
Result<Tensor> concatenate(Emitter& emitter, const Tensors& inputs, int64_t axis, const Tensor& like);
Result<Tensor> split(Emitter& emitter, const Tensor& input, int64_t axis, int64_t begin, int64_t count);
// Repeats the input along each axis.
Result<Tensor> tile(Emitter& emitter, const Tensor& input, std::span<const int64_t> repeats);
// Broadcasts to a shape that is known. Returns the input if it has the shape already.
Result<Tensor> expand(Emitter& emitter, const Tensor& input, const Dimensions& shape);
// Adds `value` around the input: before and after each axis.
Result<Tensor> pad(Emitter& emitter, const Tensor& input, std::span<const int64_t> before, std::span<const int64_t> after,
                   double value);
Result<Tensor> reverse(Emitter& emitter, const Tensor& input, int64_t axis);
// Copies the elements to another operand, because an operation must write each output of a model.
Result<Tensor> copy(Emitter& emitter, const Tensor& input);

// Returns the common shape of operands that broadcast to each other. An open dimension meets 1 or an equal one.
Result<Dimensions> broadcast(const Dimensions& a, const Dimensions& b);
// Returns the axis counted from 0; an error if it is outside the rank.
Result<int64_t> checked_axis(int64_t axis, size_t rank);

}  // namespace nnvk::importers::onnx
