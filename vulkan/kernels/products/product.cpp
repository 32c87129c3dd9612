#include "vulkan/kernels/products/product.h"

#include <algorithm>

#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/products/forms.h"

namespace nnvk::vulkan {
namespace {

// Returns whether, along one axis without padding at its start, no output pixel needs an input pixel beyond the image's end.
bool stays_inside(uint32_t in, uint32_t out, uint32_t filter, int32_t stride, int32_t dilation) {
  return (int64_t{out} - 1) * stride + (int64_t{filter} - 1) * dilation < int64_t{in};
}

uint32_t window_of(const WindowParameters& w, bool transposed) {
  const bool same_grid = w.filter_height == 1 && w.filter_width == 1 && w.stride_height == 1 && w.stride_width == 1 &&
                         w.pad_top == 0 && w.pad_left == 0 && w.in_height == w.out_height && w.in_width == w.out_width;
  if (same_grid && (w.batches == 1 || !is_planar(w.nchw, w.in_height, w.in_width, w.in_channels))) return kWindowPointwise;
  if (transposed) return kWindowTransposed;
  const bool inside = w.pad_top == 0 && w.pad_left == 0 &&
                      stays_inside(w.in_height, w.out_height, w.filter_height, w.stride_height, w.dilation_height) &&
                      stays_inside(w.in_width, w.out_width, w.filter_width, w.stride_width, w.dilation_width);
  return inside ? kWindowInside : kWindowPadded;
}

// Returns the largest unit that divides a number of elements.
uint32_t whole_unit(uint32_t elements) { return elements % 16 == 0 ? 16 : elements % 4 == 0 ? 4 : 1; }

// Returns the parts of a layer's shape that depend on its images.
ProductShape image_shape(const WindowParameters& window, const FilterLayout& filter, OperandType type) {
  ProductShape shape;
  shape.type = type;
  shape.filter = filter;
  shape.geometry = window;
  shape.pixels = uint64_t{window.batches} * window.out_height * window.out_width;
  shape.input_pixels = uint64_t{window.batches} * window.in_height * window.in_width;
  const bool planar = is_planar(window.nchw, window.in_height, window.in_width, window.in_channels);
  shape.input_unit = planar ? 1 : whole_unit(window.in_channels / filter.groups);
  shape.scale_channels = 4 * filter.groups * static_cast<uint32_t>(divide_up(filter.out_channels, 4));
  // Four channels of a pixel form whole words only if all pixels start at a multiple of four channels. A single pixel may write
  // its last vector into the padding after the tensor.
  shape.scalar_output = is_planar(window.nchw, window.out_height, window.out_width, window.out_channels) ||
                        (filter.out_channels % 4 != 0 && (shape.pixels > 1 || filter.groups > 1));
  shape.narrow = shape.scalar_output && element_size(type) < 4;
  return shape;
}

// Returns the tensors of a convolution. `shape` is the shape of its node, but lacks the node's residual.
Product product_of(const EmitContext& context, ProductShape shape) {
  using namespace convolution;
  const WindowParameters& window = shape.geometry;
  shape.relaxed = context.plan.relaxed;
  shape.residual = !shape.depthwise && context.node.residual != kNoTensor;
  Product product;
  product.input = context.input_id(kImage);
  const bool planar_input = is_planar(window.nchw, window.in_height, window.in_width, window.in_channels);
  product.in.pixel = planar_input ? 1 : window.in_channels;
  product.in.channel = planar_input ? window.in_height * window.in_width : 1;
  product.in.group = window.in_channels / shape.filter.groups * product.in.channel;
  const bool planar_output = is_planar(window.nchw, window.out_height, window.out_width, window.out_channels);
  product.out.pixel = planar_output ? 1 : window.out_channels;
  product.out.channel = planar_output ? window.out_height * window.out_width : 1;
  product.out.group = shape.filter.out_channels * product.out.channel;
  product.source = weight_source(context, kFilter);
  product.weights_name = "weights";
  product.bias = read_elements(context.input_id(kBias), context.input(kBias).type, shape.filter.groups == 1);
  set_limits(context, window.activation, product.limits);
  if (is_float_tensor(shape.type)) {
    const TensorId added = shape.residual ? context.node.residual : product.input;
    product.addend = read_elements(added, shape.type, !shape.scalar_output);
    if (shape.residual) set_residual_limits(context, window.activation, product.limits);
  } else {
    product.scales = scales_table(context, shape.filter);
  }
  product.label =
      dispatch_label(context) + ", filter " + std::to_string(window.filter_height) + "x" + std::to_string(window.filter_width);
  product.shape = std::move(shape);
  return product;
}

// Emits the product that computes a node's output.
Status emit_layer(const EmitContext& context, Product product) {
  product.label += " stride " + std::to_string(product.shape.geometry.stride_height);
  product.target = result_target(context, product.shape.narrow);
  NNVK_TRY(emit_in_first_form(context, product));
  return product.shape.narrow ? emit_narrowing(context, product.target) : Status{};
}

bool is_empty(const WindowParameters& window) { return window.batches == 0 || window.out_height == 0 || window.out_width == 0; }

}  // namespace

uint64_t ProductShape::channels_of_sum() const {
  if (window != kWindowTransposed) return uint64_t{filter.taps} * filter.in_channels;
  // In a transposed convolution, every stride-th filter cell of a row and of a column meets an input pixel.
  return divide_up(geometry.filter_height, static_cast<uint32_t>(geometry.stride_height)) *
         divide_up(geometry.filter_width, static_cast<uint32_t>(geometry.stride_width)) * filter.in_channels;
}

ProductShape convolution_shape(const WindowParameters& window, bool transposed, OperandType type) {
  const auto groups = static_cast<uint32_t>(window.groups);
  const uint32_t taps = window.filter_height * window.filter_width;
  ProductShape shape =
      image_shape(window, dense_filter(groups, window.out_channels / groups, taps, window.in_channels / groups), type);
  shape.window = window_of(window, transposed);
  const PhaseGrid grid = phase_grid(window, shape.window == kWindowTransposed);
  shape.pixels = grid.pixels;
  shape.phases = grid.phases;
  return shape;
}

ProductShape depthwise_shape(const WindowParameters& window, bool channels_last, OperandType type) {
  const uint32_t taps = window.filter_height * window.filter_width;
  ProductShape shape = image_shape(window, depthwise_filter(window.out_channels, taps, channels_last), type);
  shape.depthwise = true;
  return shape;
}

PhaseGrid phase_grid(const WindowParameters& w, bool transposed) {
  if (!transposed) return {1, uint64_t{w.batches} * w.out_height * w.out_width};
  const auto down = static_cast<uint32_t>(w.stride_height);
  const auto across = static_cast<uint32_t>(w.stride_width);
  return {uint64_t{std::min(down, w.out_height)} * std::min(across, w.out_width),
          w.batches * divide_up(w.out_height, down) * divide_up(w.out_width, across)};
}

bool is_planar(bool nchw, uint32_t height, uint32_t width, uint32_t channels) {
  return nchw && channels > 1 && uint64_t{height} * width > 1;
}

uint32_t Product::grouping() const {
  if (shape.matrices) return bias ? kGroupingNone : kGroupingMatrices;
  return shape.filter.groups > 1 ? kGroupingChannels : kGroupingNone;
}

TensorBinding Product::input_binding() const { return read_elements(input, shape.type, !shape.scalar_input()); }

Status add_product(const EmitContext& context, const Product& product, Dispatch dispatch, uint64_t invocations) {
  dispatch.label = product.label;
  dispatch.choice = product.choice;
  dispatch.multiply_adds = product.multiply_adds;
  return add_flat(context, std::move(dispatch), invocations);
}

Status emit_convolution(const EmitContext& context, const WindowParameters& window, bool transposed) {
  if (is_empty(window)) return {};
  Product product = product_of(context, convolution_shape(window, transposed, context.output(convolution::kOutput).type));
  const FilterLayout& filter = product.shape.filter;
  product.label += "x" + std::to_string(filter.in_channels);
  // A convolution uses the whole filter for every output pixel, a transposed convolution for every input pixel.
  const uint64_t positions =
      transposed ? product.shape.input_pixels : uint64_t{window.batches} * window.out_height * window.out_width;
  product.multiply_adds = positions * filter.taps * filter.in_channels * window.out_channels;
  return emit_layer(context, std::move(product));
}

Status emit_depthwise(const EmitContext& context, const WindowParameters& window, bool channels_last) {
  if (is_empty(window)) return {};
  Product product = product_of(context, depthwise_shape(window, channels_last, context.output(convolution::kOutput).type));
  product.multiply_adds = product.shape.pixels * window.out_channels * product.shape.filter.taps;
  return emit_layer(context, std::move(product));
}

Status emit_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                    const ProductResult& result) {
  if (rows.rows == 0) return {};
  const FilterLayout& filter = weights.layout;
  Product product;
  ProductShape& shape = product.shape;
  shape.type = rows.type;
  shape.relaxed = context.plan.relaxed;
  shape.matrices = true;
  shape.filter = filter;
  shape.geometry.in_height = shape.geometry.out_height = 1;
  shape.geometry.in_width = shape.geometry.out_width = rows.rows;
  shape.geometry.in_channels = rows.depth;
  shape.geometry.out_channels = filter.out_channels;
  shape.pixels = rows.rows;
  shape.input_pixels = uint64_t{rows.matrices} * rows.rows;
  shape.input_unit = rows.depth_stride == 1 ? whole_unit(rows.depth | rows.row_stride | rows.matrix_stride) : 1;
  shape.scale_channels = result.bias ? filter.out_channels : 1;
  shape.scalar_output = result.wide;
  product.input = rows.tensor;
  product.in = {rows.row_stride, rows.depth_stride, rows.matrix_stride};
  const uint32_t columns = result.wide ? result.columns : filter.out_channels;
  product.out = {.pixel = columns, .group = rows.rows * columns};
  product.source = weights.source;
  product.weights_name = weights.name;
  product.bias = result.bias;
  product.addend = product.input_binding();
  product.target = result.target;
  product.limits = {.lo = result.lo, .hi = result.hi, .in_zero_point = rows.zero_point, .out_zero_point = result.zero_point};
  if (!is_float_tensor(rows.type)) {
    product.scales = scales_table(context, result.multiplier, shape.scale_channels, weights.name + " scale");
  }
  product.multiply_adds = shape.input_pixels * rows.depth * filter.out_channels;
  product.label = dispatch_label(context) + ", " + weights.name;
  return emit_in_first_form(context, std::move(product));
}

}  // namespace nnvk::vulkan
