// Access to elements for kernels: strides, broadcasting, images in either layout, and elements of every type as numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "core/base/half.h"
#include "core/base/run_deadline.h"
#include "core/operations/parameters/activation.h"
#include "core/operations/parameters/axis_split.h"
#include "core/operations/parameters/rearrangement.h"
#include "cpu_fallback/reference/kernel.h"

namespace nnvk::cpu {

// The steps between neighbours along each dimension, in elements; they may be negative (reversed) or 0 (broadcast).
using Strides = std::vector<int64_t>;

// Returns strides that read a tensor of shape `from` as if it had shape `to`: last dimensions aligned, size 1 repeats. Requires
// that the shapes are broadcast compatible.
Strides broadcast_strides(const Shape& from, const Shape& to);

// One number for each of N stride lists.
template <size_t N>
using Offsets = std::array<int64_t, N>;

// Walks all rows (along the last dimension) of `shape` in row-major order. Calls fn(offsets of the row's first element, steps
// along the row, elements in the row), the first two for each of N stride lists. A scalar is a row of one; does nothing for an
// empty shape. This and the loops below throw DeadlinePassed when the run's deadline has passed.
template <size_t N, class Function>
void for_each_row(const Shape& shape, const std::array<const Strides*, N>& strides, Function&& fn) {
  const uint64_t count = shape.element_count();
  if (count == 0) return;
  const size_t length = shape.rank() == 0 ? 1 : shape.dims.back();
  const size_t outer_rank = shape.rank() == 0 ? 0 : shape.rank() - 1;
  Offsets<N> offsets{};
  Offsets<N> steps{};
  for (size_t n = 0; n < N && shape.rank() > 0; ++n) steps[n] = strides[n]->back();
  std::vector<uint32_t> position(outer_rank, 0);
  DeadlineWatch watch;
  for (uint64_t row = 0; row < count / length; ++row) {
    watch.look();
    fn(offsets, steps, length);
    for (size_t d = outer_rank; d-- > 0;) {
      const bool is_next = ++position[d] < shape[d];
      for (size_t n = 0; n < N; ++n) offsets[n] += (*strides[n])[d] * (is_next ? 1 : 1 - int64_t{shape[d]});
      if (is_next) break;
      position[d] = 0;
    }
  }
}

// Calls fn(i) for every i below `count`, in order.
template <class Function>
void for_each_index(size_t count, Function&& fn) {
  constexpr size_t kBlock = 4096;
  DeadlineWatch watch;
  for (size_t first = 0; first < count; first += kBlock) {
    watch.look();
    for (size_t i = first; i < std::min(count, first + kBlock); ++i) fn(i);
  }
}

// Calls fn(first) for every slice; its elements are first, first + inner, ... .
template <class Function>
void for_each_slice(const AxisSplit& slices, Function&& fn) {
  DeadlineWatch watch;
  for (size_t slice = 0; slice < slices.slices(); ++slice) {
    watch.look();
    fn(slices.first_of(slice));
  }
}

// A 4-D image tensor in NHWC or NCHW: sizes and steps by meaning, so that kernels have one code path for both layouts.
struct ImageLayout {
  uint32_t batches = 0, height = 0, width = 0, channels = 0;
  int64_t batch_step = 0, row_step = 0, column_step = 0, channel_step = 0;  // in elements

  // Returns the offset of a pixel's elements.
  int64_t pixel(uint32_t n, uint32_t y, uint32_t x) const { return n * batch_step + y * row_step + x * column_step; }
  // Returns the offset of one element of a pixel.
  size_t element(int64_t pixel, size_t channel) const {
    return static_cast<size_t>(pixel + static_cast<int64_t>(channel) * channel_step);
  }
};
ImageLayout image_layout(const Shape& shape, bool nchw);

// Calls fn(n, y, x) for every pixel, row by row.
template <class Function>
void for_each_pixel(const ImageLayout& image, Function&& fn) {
  DeadlineWatch watch;
  for (uint32_t n = 0; n < image.batches; ++n) {
    for (uint32_t y = 0; y < image.height; ++y) {
      for (uint32_t x = 0; x < image.width; ++x) {
        watch.look();
        fn(n, y, x);
      }
    }
  }
}

// The bits of one FLOAT16 element.
using Half = uint16_t;

// An input as float32: the tensor itself, its FLOAT16 elements widened, or the real values of quantized elements: (float(v) -
// zero point) * scale.
class FloatInput {
 public:
  FloatInput(const KernelContext& context, size_t input);
  std::span<const float> values() const { return values_; }
  float operator[](size_t i) const { return values_[i]; }

 private:
  std::vector<float> widened_;
  std::span<const float> values_;
};

// Returns element `i` of an input, read exactly once: the client's memory may change between a check and a use.
template <class T>
T read_once(std::span<const T> values, size_t i) {
  return *static_cast<const volatile T*>(&values[i]);
}

// Returns a copy of an input as floats; empty when it is omitted.
std::vector<float> optional_floats(const KernelContext& context, size_t input);

// A float output written as float32: the tensor itself, or a buffer that the destructor rounds to FLOAT16 (to nearest even).
class FloatOutput {
 public:
  FloatOutput(const KernelContext& context, size_t output);
  ~FloatOutput();
  FloatOutput(const FloatOutput&) = delete;
  FloatOutput& operator=(const FloatOutput&) = delete;
  std::span<float> values() { return values_; }
  float& operator[](size_t i) { return values_[i]; }

 private:
  std::span<Half> halves_;
  std::vector<float> wide_;
  std::span<float> values_;
};

// Writes `values` to the first elements of an output of any type. Half: rounded. Quantized: round_half_away(value / scale + zero
// point), clamped to the type's range, NaN to its upper limit. Does nothing when the output is not wanted.
void store_reals(const KernelContext& context, size_t output, std::span<const float> values);
void store_integers(const KernelContext& context, size_t output, std::span<const int32_t> values);

// Calls fn(T{}) with T = uint8_t or int8_t, the storage type of an 8-bit quantized tensor.
template <class Function>
auto with_quant8_type(OperandType type, Function&& fn) {
  return type == OperandType::kTensorQuant8Asymm ? fn(uint8_t{}) : fn(int8_t{});
}

// Calls fn(values) with the elements of a tensor as kernels compute with them: floats as float32, integers as they are stored.
template <class Function>
void with_input(const KernelContext& context, size_t input, Function&& fn) {
  const OperandType type = context.operation.input(input).type;
  if (is_float_tensor(type)) {
    fn(FloatInput(context, input).values());
  } else if (type == OperandType::kTensorInt32) {
    fn(context.input<int32_t>(input));
  } else {
    with_quant8_type(type, [&](auto tag) { fn(context.input<decltype(tag)>(input)); });
  }
}
template <class Function>
void with_output(const KernelContext& context, size_t output, Function&& fn) {
  const OperandType type = context.outputs[output].info.type;
  if (is_float_tensor(type)) {
    fn(FloatOutput(context, output).values());
  } else if (type == OperandType::kTensorInt32) {
    fn(context.output<int32_t>(output));
  } else {
    with_quant8_type(type, [&](auto tag) { fn(context.output<decltype(tag)>(output)); });
  }
}

// Calls fn(T{}, input, output) for a first input and a first output of one type, and returns its result: T is float for floats,
// else a byte.
template <class Function>
Status with_floats_or_bytes(const KernelContext& context, Function&& fn) {
  const OperandType type = context.operation.input(kFirstInput).type;
  if (!is_float_tensor(type)) {
    return with_quant8_type(type, [&](auto tag) -> Status {
      return fn(tag, context.input<decltype(tag)>(kFirstInput), context.output<decltype(tag)>(kFirstOutput));
    });
  }
  const FloatInput in(context, kFirstInput);
  FloatOutput out(context, kFirstOutput);
  return fn(float{}, in.values(), out.values());
}

// How several elements become one: value = start, then value = fold(value, element) for each in row-major order, and at the end
// finish(value, ...).
template <class Value, class Fold, class Finish = std::identity>
struct Folding {
  Value start;
  Fold fold;
  Finish finish = {};
};
template <class Value, class Fold>
Folding(Value, Fold) -> Folding<Value, Fold>;
template <class Value, class Fold, class Finish>
Folding(Value, Fold, Finish) -> Folding<Value, Fold, Finish>;

// Returns value + zero_point without overflow, clamped to the bounds. Sums that exceed 32 bits saturate.
inline int32_t into_bounds(int32_t value, int32_t zero_point, QuantizedBounds bounds) {
  return static_cast<int32_t>(std::clamp<int64_t>(static_cast<int64_t>(value) + zero_point, bounds.lo, bounds.hi));
}

// Returns min(max(value, lo), hi); NaN passes through.
inline float clamp_float(float value, ActivationBounds bounds) { return std::min(std::max(value, bounds.lo), bounds.hi); }

}  // namespace nnvk::cpu
