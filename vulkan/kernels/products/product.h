// Layers that multiply an input with a filter: convolutions, fully connected layers, BATCH_MATMUL and the products inside
// recurrent layers. forms.h has the ways to compute them.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/window_parameters.h"
#include "shaders/convolution_params.h"
#include "vulkan/kernels/kernel_emitter.h"
#include "vulkan/kernels/products/weights.h"

namespace nnvk::vulkan {

// Each tap costs kernels about four more iterations, for entering and leaving its loops.
inline constexpr uint32_t kTapOverhead = 4;
// A kernel that adds a residual binds this many storage buffers if it reads no texels.
inline constexpr uint32_t kBuffersWithResidual = 5;

// All facts that the choice of a form depends on, besides the device. Plain numbers.
struct ProductShape {
  OperandType type{};      // of input and result
  bool relaxed = false;    // FLOAT32 may be computed in halves
  bool depthwise = false;  // every output channel reads one input channel; else it reads all channels of its group
  bool matrices = false;   // the filter's groups are matrices of a batch, one for each image; else slices of the channels
  FilterLayout filter;
  WindowParameters geometry;           // of a product of rows: an image whose pixels are the rows
  uint32_t window = kWindowPointwise;  // kWindowPointwise ... kWindowTransposed
  uint64_t pixels = 1;                 // that can share a tile: output pixels of all images or of a phase, rows of a matrix
  uint64_t phases = 1;                 // sets of `pixels`: above 1 only for transposed convolutions
  uint64_t input_pixels = 1;           // of all images or matrices
  uint32_t input_unit = 4;             // channels of a pixel that form whole units in memory: 16, 4 or 1
  uint32_t scale_channels = 1;         // 8-bit types: the number of scales, with each group rounded up to whole vectors
  bool scalar_output = false;          // results are single elements: channels are not a multiple of four, or lie in planes
  bool narrow = false;                 // the kernel writes 32-bit words, and a second one converts them to smaller elements
  bool residual = false;               // float types: another tensor is added to the result

  // Returns whether kernels must read the input element by element.
  bool scalar_input() const { return input_unit == 1; }
  // Returns how many channels a kernel reads at once, unless that kernel has its own rule.
  uint32_t lanes() const { return scalar_input() ? 1 : 4; }
  uint32_t input_groups() const { return matrices ? 1 : filter.groups; }
  // Returns how many sets of `pixels` kernels compute.
  uint64_t repetitions() const { return phases * filter.groups; }
  // Returns whether a float can add up the products of 8-bit values exactly.
  bool is_exact() const { return uint64_t{filter.taps} * filter.in_channels <= kConvolutionExactChannels; }
  // channels_of_sum() returns the most input channels, over all taps, that a sum covers; steps_of_sum() returns how many steps of
  // lanes() channels that takes.
  uint64_t channels_of_sum() const;
  uint64_t steps_of_sum() const { return channels_of_sum() / lanes(); }
};

// These functions return the shapes of layers. A fully connected layer is a 1x1 convolution of 1x1 images.
ProductShape convolution_shape(const WindowParameters& window, bool transposed, OperandType type);
// Returns the shape of a depthwise layer. If `channels_last`, the filter's output channels are its last dimension, else its
// first.
ProductShape depthwise_shape(const WindowParameters& window, bool channels_last, OperandType type);

// The output pixels of a transposed convolution, split into phases that use the same filter taps (ConvolutionParams).
struct PhaseGrid {
  uint64_t phases = 1;
  uint64_t pixels = 0;  // per phase, including those beyond the image
};
PhaseGrid phase_grid(const WindowParameters& window, bool transposed);

// Returns whether NCHW and NHWC differ for an image of this size: they are equal with one pixel or one channel.
bool is_planar(bool nchw, uint32_t height, uint32_t width, uint32_t channels);

// Distances between neighbours, in elements or in units of several elements.
struct Strides {
  uint32_t pixel = 0;
  uint32_t channel = 1;
  uint32_t group = 0;
};

// A layer with its tensors, for the emitter of a form.
struct Product {
  ProductShape shape;
  TensorId input = kNoTensor;
  Strides in;   // of the input, in elements
  Strides out;  // of the result, in elements
  WeightSource source;
  std::string weights_name;           // distinguishes the weights of one node
  std::optional<TensorBinding> bias;  // per output channel
  TensorBinding addend;               // float types: the residual; without one, a tensor that kernels never read
  TensorBinding scales;               // 8-bit types: a table for shape.scale_channels
  TensorId target = kNoTensor;        // receives the results
  struct Limits {
    float lo = 0;  // of the results; with a residual: before it is added
    float hi = 0;
    float residual_lo = 0;  // after it is added
    float residual_hi = 0;
    int32_t in_zero_point = 0;  // 8-bit types
    int32_t out_zero_point = 0;
  } limits;
  uint64_t multiply_adds = 0;
  std::string label;  // for Dispatch::label and Dispatch::choice: the form adds its part
  std::string choice;

  uint32_t grouping() const;
  // Returns the input as kernels read it: lanes() elements at once.
  TensorBinding input_binding() const;
  Strides input_strides() const { return {in.pixel / shape.lanes(), in.channel, in.group / shape.lanes()}; }
};

// Sets the parameters of NNVK_CONVOLUTION_GEOMETRY. `in`: the strides of the input in the units that the kernel reads.
template <class Params>
void set_geometry(const Product& product, const Strides& in, Params& params) {
  const WindowParameters& window = product.shape.geometry;
  set_window(window, params);
  params.out_channels = window.out_channels;
  params.dilation_height = window.dilation_height;
  params.dilation_width = window.dilation_width;
  params.in_stride_pixel = in.pixel;
  params.in_stride_channel = in.channel;
  params.out_stride_pixel = product.out.pixel;
  params.out_stride_channel = product.out.channel;
  params.in_zero_point = product.limits.in_zero_point;
  params.out_zero_point = product.limits.out_zero_point;
  params.lo = product.limits.lo;
  params.hi = product.limits.hi;
}

// Returns the parameters that the kernels of all dense forms have. `group_tiles`: tiles of a group's output channels.
template <class Params>
Params dense_params(const Product& product, const Strides& in, uint64_t group_tiles) {
  const ProductShape& shape = product.shape;
  Params params{};
  set_geometry(product, in, params);
  params.pixels = static_cast<uint32_t>(shape.pixels);
  params.group_tiles = static_cast<uint32_t>(group_tiles);
  params.channel_tiles = shape.filter.groups * params.group_tiles;
  params.group_channels = shape.filter.out_channels;
  params.in_stride_group = in.group;
  params.out_stride_group = product.out.group;
  if constexpr (requires { params.residual_lo; }) {
    params.residual_lo = product.limits.residual_lo;
    params.residual_hi = product.limits.residual_hi;
  }
  return params;
}

// Adds the dispatch of a layer, with its label, reason and multiply-adds.
Status add_product(const EmitContext& context, const Product& product, Dispatch dispatch, uint64_t invocations);

// Emits image * filter + bias -> output with the node's residual and activations. `window.activation`: the node's own activation.
// RESOURCE_EXHAUSTED_PERSISTENT if the layer is larger than one dispatch.
Status emit_convolution(const EmitContext& context, const WindowParameters& window, bool transposed);
// Does the same as emit_convolution(), for convolutions in which every output channel k reads one input channel, k /
// depth_multiplier.
Status emit_depthwise(const EmitContext& context, const WindowParameters& window, bool channels_last);

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

// The right side of a matrix product. `layout` addresses element (m, n, k) in the source; its groups are the matrices. `name`
// distinguishes the products of one node.
struct ProductWeights {
  WeightSource source;
  FilterLayout layout;
  std::string name;
};

// The target of the sums, and how the kernel changes them before it writes them. Element (m, r, n) of the result is element (m *
// rows + r) * columns + n of `target`.
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

// Emits target = rows * weights (+ bias). Without `wide`, rows of the target are padded to whole vectors of four elements;
// several matrices then need a multiple of four columns. RESOURCE_EXHAUSTED_PERSISTENT if the product is larger than one
// dispatch.
Status emit_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                    const ProductResult& result);

}  // namespace nnvk::vulkan
