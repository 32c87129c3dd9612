// Shares of exponentials along slices: the loops of SOFTMAX and LOG_SOFTMAX.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/operations/parameters/axis_split.h"

namespace nnvk::cpu {

// Floats in one of two orders: slices along the last axis, or columns of slices side by side.
struct FloatSoftmax {
  const float* in = nullptr;
  float* out = nullptr;
  float beta = 1.0F;
  bool is_logarithm = false;
  AxisSplit split;
};
// Computes slices [first, end) if the axis is the last one.
void softmax_slices(const FloatSoftmax& softmax, size_t first, size_t end);
// Computes columns [first, end) of the slices with outer index `outer`.
void softmax_columns(const FloatSoftmax& softmax, size_t outer, size_t first, size_t end);

// 8-bit slices of `size` elements one behind the other; `exponentials` as in core/base/quantized_softmax.h.
struct Quant8Softmax {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  const int32_t* exponentials = nullptr;
  size_t size = 0;
  bool is_signed = false;
};
void softmax_bytes(const Quant8Softmax& softmax, size_t first, size_t end);

}  // namespace nnvk::cpu
