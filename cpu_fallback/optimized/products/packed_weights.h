// Weights in the order in which products read them: panels of as many outputs as a vector has lanes. They are packed once per
// compilation if they are constant, else in each run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/optimized/aligned_buffer.h"
#include "cpu_fallback/optimized/products/quant8_product.h"

namespace nnvk::cpu {

// Returns whether filter and bias of a convolution or FULLY_CONNECTED are known before executions.
bool has_constant_weights(const OperationView& operation);

// A filter of shape [outputs, taps, depth].
struct FilterShape {
  size_t outputs = 0;
  size_t taps = 0;
  size_t depth = 0;
};

// Packed float weights in the layout of FloatProduct; missing outputs in the last panel are 0.
struct FloatPanels {
  size_t count = 0;
  size_t values = 0;  // of one panel

  explicit FloatPanels(const FilterShape& shape);
};
// The filter for pack_float_panels(), which packs panels [first, end) into the array `to` of all panels. Outputs of the filter
// are `output_step` elements apart, factors of one output `depth_step`; one of the two is 1.
struct FloatFilter {
  const float* values = nullptr;
  size_t outputs = 0;
  size_t depth = 0;  // over all taps
  size_t output_step = 0;
  size_t depth_step = 1;
};
void pack_float_panels(const FloatFilter& filter, size_t first, size_t end, float* to);
// Copies a bias and fills it up to whole panels.
void pack_float_bias(const float* bias, const FilterShape& shape, float* to);

// Types and zero points of the operands of an 8-bit convolution or FULLY_CONNECTED; outputs have the image's type.
struct Quant8Operands {
  bool is_signed_image = false;
  int32_t image_zero_point = 0;
  bool are_signed_weights = false;
  int32_t weight_zero_point = 0;
};
Quant8Operands quant8_operands(const OperationView& operation);

// Packed 8-bit weights in the layout of Quant8Product; weights that only fill up groups and panels are 0.
struct Quant8Panels {
  size_t count = 0;
  size_t bytes = 0;        // of one panel
  int32_t zero_point = 0;  // of the packed values. Byte form only

  Quant8Panels(const FilterShape& shape, const Quant8Operands& operands);
};
// Source and destination of a packing. Outputs of `filter` are `output_step` elements apart, factors of one output `depth_step`.
struct Quant8Packing {
  FilterShape shape;
  Quant8Operands operands;
  const std::byte* filter = nullptr;
  size_t output_step = 0;
  size_t depth_step = 1;
  const int32_t* bias = nullptr;    // null: none
  std::byte* values = nullptr;      // of all panels
  int32_t* packed_bias = nullptr;   // including the zero points' part of every sum
  int64_t* largest_sums = nullptr;  // per output: the largest magnitude for any image. Null: not wanted
};
void pack_quant8_panels(const Quant8Packing& packing, size_t first, size_t end);

// Returns the bounds of an 8-bit output after two activations: the operation's own, then the one that rewrites fused into it.
QuantizedBounds bounds_of_both(FusedActivation own, FusedActivation fused, const OperandInfo& out);

// Returns the largest magnitude that a sum of 8-bit products may have. `weights` is the sum of the magnitudes of a channel's
// weights.
int64_t largest_sum(int32_t bias, int64_t weights);
// Returns the multiplier from a channel's sums to its outputs. `operation` is a convolution or FULLY_CONNECTED.
FixedPointMultiplier channel_multiplier(const OperationView& operation, size_t channel);
// Returns the scaling of as many channels from `first_channel` on as there are largest_sums, padded to whole panels. `own` is the
// operation's activation, `fused` the one that rewrites fused into it.
Requantization product_requantization(const OperationView& operation, FusedActivation own, FusedActivation fused,
                                      size_t first_channel, std::span<const int64_t> largest_sums);

}  // namespace nnvk::cpu
