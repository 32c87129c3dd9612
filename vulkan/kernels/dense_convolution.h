// The layers that are implicit matrix products: one emitter for CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D, FULLY_CONNECTED,
// BATCH_MATMUL and the products inside recurrent layers.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Emits image * filter + bias -> output with the node's residual and activations. `window.activation` is the node's own
// activation. RESOURCE_EXHAUSTED_PERSISTENT if the layer is larger than one dispatch.
Status emit_dense_convolution(const EmitContext& context, const WindowParameters& window, bool transposed);

// "CONV_2D 1x56x56x24, filter 3x3x16 stride 1", for Dispatch::label.
std::string layer_label(const EmitContext& context, const WindowParameters& window);
// For Dispatch::multiply_adds. A transposed convolution multiplies every input pixel with the whole filter, an ordinary one every
// output pixel.
uint64_t layer_multiply_adds(const WindowParameters& window, bool transposed);

// The left side of a matrix product: per matrix `rows` x `depth` elements, element (m, r, k) at
// m * matrix_stride + r * row_stride + k * depth_stride. Either row_stride or depth_stride is 1.
struct ProductRows {
  TensorId tensor = kNoTensor;
  OperandType type{};
  int32_t zero_point = 0;  // 8-bit types
  uint32_t matrices = 1;
  uint32_t rows = 1;
  uint32_t depth = 1;
  uint32_t matrix_stride = 0;
  uint32_t row_stride = 1;
  uint32_t depth_stride = 1;
};

// The right side. `layout` addresses element (m, n, k) in the source; its groups are the matrices. `name` distinguishes the
// products of one node.
struct ProductWeights {
  WeightSource source;
  FilterLayout layout;
  std::string name;
};

// The target of the sums, and what is done to them. Element (m, r, n) of the result is element (m * rows + r) * columns + n of
// `target`.
struct ProductResult {
  TensorId target = kNoTensor;
  // Elements of `target`: the type of the rows, or with `wide` 32-bit words (INT32 for 8-bit rows, else FLOAT32).
  bool wide = false;
  uint32_t columns = 0;                    // wide: elements between rows of the target, at least the layout's out_channels
  std::optional<TensorBinding> bias = {};  // per output column, read as quads; one matrix only
  FixedPointMultiplier multiplier = {};    // 8-bit rows
  int32_t zero_point = 0;                  // added after the multiplier
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
};

// The product as a 1x1 convolution of one row of pixels: sizes, strides and limits. The kernel reads the input in vectors of
// `in_elements`; the result has `out_channels` per group.
template <class Params>
void set_product(const ProductRows& rows, const ProductResult& result, uint32_t out_channels, uint32_t in_elements,
                 Params& params) {
  const uint32_t columns = result.wide ? result.columns : out_channels;
  params.out_channels = out_channels;
  params.in_height = params.out_height = params.filter_height = params.filter_width = 1;
  params.stride_height = params.stride_width = params.dilation_height = params.dilation_width = 1;
  params.in_width = params.out_width = params.pixels = rows.rows;
  params.in_stride_pixel = rows.row_stride / in_elements;
  params.in_stride_group = rows.matrix_stride / in_elements;
  params.out_stride_pixel = columns;
  params.out_stride_channel = 1;
  params.out_stride_group = rows.rows * columns;
  params.out_zero_point = result.zero_point;
  params.lo = result.lo;
  params.hi = result.hi;
}

// target = rows * weights (+ bias). Without `wide`, rows of the target are padded to whole vectors of four elements; several
// matrices then need a multiple of four columns. RESOURCE_EXHAUSTED_PERSISTENT if it is larger than one dispatch.
Status emit_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                    const ProductResult& result);

}  // namespace nnvk::vulkan
