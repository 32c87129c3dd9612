// How kernels reach elements: strides, broadcasting, images in either layout, and float tensors stored as FLOAT32 or FLOAT16.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/half.h"
#include "core/operations/parameters/axis_split.h"
#include "core/plan/plan.h"
#include "cpu_fallback/reference/kernel.h"

namespace nnvk::cpu {

// The bits of one FLOAT16 element.
using Half = uint16_t;

// Steps between neighbours along each dimension, in elements; may be negative (reversed) or 0 (broadcast).
using Strides = std::vector<ptrdiff_t>;

// Strides of a dense row-major tensor.
Strides dense_strides(const Shape& shape);

// Strides that read a tensor of shape `from` as if it had shape `to` (aligned at the last dimension, size 1 repeats).
// Requires that the shapes are broadcast compatible.
Strides broadcast_strides(const Shape& from, const Shape& to);

// Walks all positions of `shape` except the last dimension, in row-major order, and tells the offset for each of N stride lists.
// fn(const std::array<ptrdiff_t, N>& offsets); does nothing for an empty shape.
template <size_t N, class Function>
void for_each_row(const Shape& shape, const std::array<const Strides*, N>& strides, Function&& fn) {
  if (shape.element_count() == 0) return;
  const size_t outer_rank = shape.rank() == 0 ? 0 : shape.rank() - 1;
  std::vector<uint32_t> position(outer_rank, 0);
  std::array<ptrdiff_t, N> offsets{};
  while (true) {
    fn(offsets);
    size_t d = outer_rank;
    while (d > 0) {
      --d;
      if (++position[d] < shape[d]) {
        for (size_t n = 0; n < N; ++n) offsets[n] += (*strides[n])[d];
        break;
      }
      for (size_t n = 0; n < N; ++n) offsets[n] -= (*strides[n])[d] * static_cast<ptrdiff_t>(shape[d] - 1);
      position[d] = 0;
      if (d == 0) return;
    }
    if (outer_rank == 0) return;
  }
}

// A 4-D image tensor in NHWC or NCHW: sizes and steps by meaning, so that kernels have one code path for both layouts.
struct ImageLayout {
  uint32_t batches = 0, height = 0, width = 0, channels = 0;
  ptrdiff_t batch_step = 0, row_step = 0, column_step = 0, channel_step = 0;  // in elements

  ptrdiff_t at(uint32_t n, uint32_t y, uint32_t x) const {
    return static_cast<ptrdiff_t>(n) * batch_step + static_cast<ptrdiff_t>(y) * row_step +
           static_cast<ptrdiff_t>(x) * column_step;
  }
};
ImageLayout image_layout(const Shape& shape, bool nchw);

// A float input as float32: the tensor itself, or its FLOAT16 elements widened.
class FloatInput {
 public:
  FloatInput(const KernelContext& context, size_t input);
  std::span<const float> values() const { return values_; }
  float operator[](size_t i) const { return values_[i]; }

 private:
  std::vector<float> widened_;
  std::span<const float> values_;
};

// A float output written as float32: the tensor itself, or a buffer that store() rounds to FLOAT16.
class FloatOutput {
 public:
  FloatOutput(const KernelContext& context, size_t output);
  std::span<float> values() { return values_; }
  float& operator[](size_t i) { return values_[i]; }
  // Call once after the last write; rounds to nearest even for FLOAT16.
  void store();

 private:
  std::span<Half> halves_;
  std::vector<float> wide_;
  std::span<float> values_;
};

// value + zero_point without overflow, brought into the bounds. Sums of far values saturate.
inline int32_t into_bounds(int32_t value, int32_t zero_point, QuantizedBounds bounds) {
  return static_cast<int32_t>(std::clamp<int64_t>(static_cast<int64_t>(value) + zero_point, bounds.lo, bounds.hi));
}

// min(max(value, lo), hi); NaN passes through.
inline float clamp_float(float value, ActivationBounds bounds) { return std::min(std::max(value, bounds.lo), bounds.hi); }

// Calls fn(T{}) with T = uint8_t or int8_t, the storage type of an 8-bit quantized tensor.
template <class Function>
auto with_quant8_type(OperandType type, Function&& fn) {
  return type == OperandType::kTensorQuant8Asymm ? fn(uint8_t{}) : fn(int8_t{});
}

}  // namespace nnvk::cpu
