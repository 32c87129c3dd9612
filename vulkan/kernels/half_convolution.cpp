// The emitter for half_convolution.comp and its packing.
#include "vulkan/kernels/half_convolution.h"

#include "half_convolution_kernels.h"
#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/half_choice.h"

namespace nnvk::vulkan {
namespace {

// A dispatch of the kernel, still without bindings.
struct Layer {
  HalfChoice choice;
  FilterLayout filter;
  WeightSource source;
  std::string weights_name;
  OperandType type{};
  uint32_t window = kWindowPointwise;
  uint32_t grouping = kGroupingNone;
  bool scalar_output = false;
  HalfConvolutionParams params{};
  uint64_t phases = 1;
  std::string label;
  uint64_t multiply_adds = 0;
  TensorBinding x, bias, y;
  std::optional<TensorBinding> residual = {};
};

Result<TensorId> packed_halves(const EmitContext& context, const Layer& layer) {
  const FilterLayout& filter = layer.filter;
  const WeightSource& source = layer.source;
  const uint64_t bytes = packed_half_bytes(filter);
  ConvolutionPackParams params{};
  params.vectors = static_cast<uint32_t>(bytes / 16);
  params.columns = static_cast<uint32_t>(half_columns(filter));
  params.group_rows = filter.taps * filter.in_channels;
  set_filter(filter, params);
  return context.dispatches.packed(layer.weights_name, source.tensor, bytes, [&](TensorId target) {
    auto dispatch =
        make_dispatch(context, kernels::kHalfConvolutionPack, {.type = element_type(source.type)},
                      {.in_filter = read_scalars(source.tensor, source.type), .out_packed = write_words(target)}, params);
    dispatch.label = operation_name(context.node.code) + " " + layer.weights_name;
    return add_flat(context, std::move(dispatch), params.vectors);
  });
}

// Adds the layer. Sets the parameters that depend on its filter and choice; `params` has the others.
Status add_layer(const EmitContext& context, Layer& layer) {
  HalfConvolutionParams& params = layer.params;
  params.in_steps = layer.filter.in_channels / (4 * layer.choice.quads);
  params.group_tiles = static_cast<uint32_t>(half_columns(layer.filter));
  params.channel_tiles = layer.filter.groups * params.group_tiles;
  params.group_channels = layer.filter.out_channels;
  NNVK_ASSIGN(const TensorId packed, packed_halves(context, layer));
  const TensorBinding weights = read_bytes16(packed);
  const auto make = [&]<class Shape>(TypedKernel<Shape> kernel, const typename Shape::Bindings& bindings) {
    return make_dispatch(context, kernel,
                         {.type = element_type(layer.type),
                          .tile_pixels = layer.choice.tile_pixels,
                          .scalar_output = layer.scalar_output,
                          .window = layer.window,
                          .grouping = layer.grouping,
                          .quads = layer.choice.quads,
                          .adds_halves = layer.type == OperandType::kTensorFloat32},
                         bindings, params);
  };
  auto dispatch =
      layer.residual
          ? make(
                kernels::kHalfConvolutionResidual,
                {.in_x = layer.x, .in_weights = weights, .in_bias = layer.bias, .out_y = layer.y, .in_residual = *layer.residual})
          : make(kernels::kHalfConvolution, {.in_x = layer.x, .in_weights = weights, .in_bias = layer.bias, .out_y = layer.y});
  dispatch.label = layer.label;
  dispatch.multiply_adds = layer.multiply_adds;
  dispatch.choice = "type or model permits halves; " + std::to_string(layer.choice.tile_pixels) + " pixels x " +
                    std::to_string(kHalfTileChannels) + " channels by registers and work";
  return add_flat(context, std::move(dispatch),
                  layer.phases * divide_up(params.pixels, layer.choice.tile_pixels) * params.channel_tiles);
}

}  // namespace

uint64_t half_columns(const FilterLayout& filter) { return divide_up(filter.out_channels, kHalfTileChannels); }
uint64_t packed_half_bytes(const FilterLayout& filter) {
  return 16 * uint64_t{filter.groups} * filter.taps * filter.in_channels * half_columns(filter);
}

Result<bool> emit_half_convolution(const EmitContext& context, const WindowParameters& window, bool transposed) {
  using namespace convolution;
  const OperandInfo& output = context.output(kOutput);
  if (!prefers_halves(output.type, context.plan.relaxed, context.traits) || element_count(output) == 0) return false;
  const auto element_bytes = static_cast<uint32_t>(element_size(output.type));
  const ConvolutionChoice form = choose_convolution(window, transposed, element_bytes, context.traits);
  const auto groups = static_cast<uint32_t>(window.groups);
  const uint32_t taps = window.filter_height * window.filter_width;
  const bool residual = context.node.residual != kNoTensor;
  Layer layer;
  layer.window = form.window;
  layer.filter = dense_filter(groups, window.out_channels / groups, taps, window.in_channels / groups);
  const PhaseGrid grid = phase_grid(window, form.window == kWindowTransposed);
  const HalfWork work{
      .pixels = grid.pixels, .repetitions = grid.phases, .taps = taps, .whole_vectors = !form.scalar_input, .residual = residual};
  const auto choice = choose_half(layer.filter, work, context.traits);
  if (!choice) return false;
  layer.choice = *choice;

  HalfConvolutionParams& params = layer.params;
  set_geometry(window, false, params);
  set_limits(context, window.activation, params);
  if (residual) {
    set_residual_limits(context, window.activation, params);
    layer.residual = read_elements(context.node.residual, output.type, !form.scalar_output);
  }
  params.pixels = static_cast<uint32_t>(grid.pixels);
  params.in_stride_group = layer.filter.in_channels / 4;
  params.out_stride_group = layer.filter.out_channels * params.out_stride_channel;

  const TensorId target = result_target(context, form.narrow);
  layer.source = weight_source(context, kFilter);
  layer.weights_name = "half weights";
  layer.type = output.type;
  layer.grouping = groups > 1 ? kGroupingChannels : kGroupingNone;
  layer.scalar_output = form.scalar_output;
  layer.phases = grid.phases;
  layer.x = read_quads(context.input_id(kImage), output.type);
  layer.bias = read_elements(context.input_id(kBias), output.type, groups == 1);
  layer.y = write_words(target);
  layer.label = layer_label(context, window) + ", halves";
  layer.multiply_adds = layer_multiply_adds(window, transposed);
  NNVK_TRY(add_layer(context, layer));
  if (form.narrow) NNVK_TRY(emit_narrowing(context, target));
  return true;
}

Result<bool> emit_half_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                               const ProductResult& result) {
  if (!prefers_halves(rows.type, context.plan.relaxed, context.traits) || rows.rows == 0) return false;
  const bool vectors = rows.depth_stride == 1 && rows.row_stride % 4 == 0 && rows.matrix_stride % 4 == 0;
  Layer layer;
  layer.filter = weights.layout;
  const auto choice = choose_half(layer.filter, {.pixels = rows.rows, .whole_vectors = vectors}, context.traits);
  if (!choice) return false;
  layer.choice = *choice;
  set_product(rows, result, layer.filter.out_channels, 4, layer.params);
  layer.source = weights.source;
  layer.weights_name = "half " + weights.name;
  layer.type = rows.type;
  layer.grouping = result.bias ? kGroupingNone : kGroupingMatrices;
  layer.scalar_output = result.wide;
  layer.x = read_quads(rows.tensor, rows.type);
  layer.bias = result.bias.value_or(layer.x);  // the kernel never reads the stand-in
  layer.y = write_words(result.target);
  layer.label = dispatch_label(context) + ", " + weights.name + ", halves";
  layer.multiply_adds = uint64_t{rows.matrices} * rows.rows * rows.depth * layer.filter.out_channels;
  NNVK_TRY(add_layer(context, layer));
  return true;
}

}  // namespace nnvk::vulkan
