// Convolutions and matrix products of floats: sums of products over packed weights, in the widest vectors of the processor.
#pragma once

#include <cstddef>

#include "core/operations/parameters/activation.h"
#include "cpu_fallback/optimized/product_rows.h"

namespace nnvk::cpu {

struct FloatProduct {
  ProductRows rows;
  const float* image = nullptr;
  const float* weights = nullptr;   // [panels][taps][depth][lanes], aligned; see pack_float_weights()
  const float* bias = nullptr;      // [panels * lanes]
  size_t outputs = 0;               // channels
  ActivationBounds own{};           // the operation's activation
  const float* residual = nullptr;  // as `out`; null: none
  ActivationBounds fused{};         // of what was fused behind it
  float* out = nullptr;             // channel c of pixel m is out[m * out_step + c]
  size_t out_step = 0;
};

// Outputs that one panel of packed weights holds: the floats of a vector.
size_t float_lanes();

// Computes the pixels [first, end) of the channels in panels [first_panel, end_panel).
void float_product(const FloatProduct& product, size_t first, size_t end, size_t first_panel, size_t end_panel);

}  // namespace nnvk::cpu
