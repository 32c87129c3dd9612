// Convolutions and matrix products of floats: sums of products over packed weights, in the widest vectors of the processor.
#pragma once

#include <cstddef>

#include "cpu_fallback/optimized/products/product_rows.h"
#include "cpu_fallback/optimized/vectors/float_finish.h"

namespace nnvk::cpu {

struct FloatProduct {
  ProductRows rows;
  const float* image = nullptr;
  const float* weights = nullptr;  // [panels][taps][depth][lanes], aligned; see pack_float_weights()
  const float* bias = nullptr;     // [panels * lanes], aligned
  size_t outputs = 0;              // channels
  FloatFinish finish;
  float* out = nullptr;  // channel c of pixel m is out[m * out_step + c]
  size_t out_step = 0;
};

// Returns the number of outputs in one panel of packed weights: the floats of a vector.
size_t float_lanes();

// Computes the pixels [first, end) of the channels in panels [first_panel, end_panel).
void float_product(const FloatProduct& product, size_t first, size_t end, size_t first_panel, size_t end_panel);

}  // namespace nnvk::cpu
