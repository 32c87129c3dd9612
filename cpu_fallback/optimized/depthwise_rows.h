// Depthwise convolutions: every channel has a filter of its own. Vectors run over channels, weights stay in registers along a
// row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/operations/parameters/activation.h"
#include "cpu_fallback/optimized/quant8_product.h"

namespace nnvk::cpu {

// Output pixel x of row m begins at image value m / height * batch_step + m % height * y_step + x * x_step; its factors of a
// channel lie `taps` further. Units: elements.
struct DepthwiseRows {
  size_t width = 1;
  size_t height = 1;
  size_t x_step = 0;
  size_t y_step = 0;
  size_t batch_step = 0;
  std::span<const size_t> taps;
  size_t channels = 0;
};

// Channels of 8-bit depthwise convolutions come in blocks of two vectors of 32-bit sums. Where blocks are permuted, entry i of a
// block of bias, weights and requantization belongs to channel depthwise_channel(i) of it.
size_t depthwise_block();
size_t depthwise_channel(size_t i);

struct Quant8Depthwise {
  DepthwiseRows rows;
  const int16_t* image = nullptr;           // without its zero point
  const int16_t* weights = nullptr;         // [blocks][pairs of taps][block, permuted][2]; without zero point, missing ones 0
  const int32_t* bias = nullptr;            // [blocks][block, permuted]
  const Requantization* results = nullptr;  // as bias
  bool is_signed = false;                   // results are
  std::byte* out = nullptr;                 // NHWC
};
void quant8_depthwise(const Quant8Depthwise& depthwise, size_t first, size_t end);

}  // namespace nnvk::cpu
