// The emitter for dot_convolution.comp and its packing kernels.
#include "vulkan/kernels/dot_convolution.h"

#include "dot_convolution_kernels.h"
#include "shaders/convolution_params.h"
#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/dot_choice.h"
#include "vulkan/kernels/dot_packing.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

// A dispatch of the kernel, still without bindings.
struct Layer {
  DotChoice choice;
  DotWeights weights;
  DotImage image;
  OperandType type{};  // of the output
  uint32_t window = kWindowPointwise;
  uint32_t grouping = kGroupingNone;
  bool scalar_output = false;
  DotConvolutionParams params{};
  uint64_t phases = 1;
  std::string label;
  uint64_t multiply_adds = 0;
  TensorBinding bias, y;
};

// Adds the layer. Sets the parameters that depend on its filter, choice and image; `params` has the others.
Status add_layer(const EmitContext& context, Layer& layer) {
  const DotChoice& choice = layer.choice;
  DotConvolutionParams& params = layer.params;
  params.in_steps = layer.weights.layout.words / (choice.wide_input ? 4 : 1);
  params.group_tiles = layer.weights.filter.columns / choice.tile_vectors;
  params.channel_tiles = layer.weights.filter.groups * params.group_tiles;
  params.group_channels = layer.weights.filter.out_channels;
  params.sign_flip = layer.image.sign_flip();
  params.in_zero_point = layer.image.signed_zero_point();
  params.weight_zero_point = signed_zero_point(layer.weights.source);
  NNVK_ASSIGN(const TensorId weights, packed_dot_weights(context, layer.weights, layer.image));
  const TensorBinding x = choice.wide_input ? read_quads(layer.image.tensor, OperandType::kTensorInt32)
                                            : read_scalars(layer.image.tensor, OperandType::kTensorInt32);
  auto dispatch =
      make_dispatch(context, kernels::kDotConvolution,
                    {.type = element_type(layer.type),
                     .tile_pixels = choice.tile_pixels,
                     .tile_vectors = choice.tile_vectors,
                     .scalar_output = layer.scalar_output,
                     .window = layer.window,
                     .grouping = layer.grouping,
                     .wide_input = choice.wide_input,
                     .weight_offset = params.weight_zero_point != 0},
                    {.in_x = x, .in_weights = read_bytes16(weights), .in_bias = layer.bias, .out_y = layer.y}, params);
  dispatch.label = layer.label;
  dispatch.multiply_adds = layer.multiply_adds;
  dispatch.choice = "integer dot products are preferred; " + std::to_string(choice.tile_pixels) + " pixels x " +
                    std::to_string(4 * choice.tile_vectors) + " channels by registers and work";
  return add_flat(context, std::move(dispatch),
                  layer.phases * divide_up(params.pixels, choice.tile_pixels) * params.channel_tiles);
}

}  // namespace

Result<bool> emit_dot_convolution(const EmitContext& context, const WindowParameters& window, bool transposed) {
  using namespace convolution;
  const OperandInfo& input = context.input(kImage);
  const OperandInfo& output = context.output(kOutput);
  if (is_float_tensor(output.type) || element_count(output) == 0) return false;
  const ConvolutionChoice form = choose_convolution(window, transposed, 1, context.traits);
  const auto groups = static_cast<uint32_t>(window.groups);
  const uint32_t taps = window.filter_height * window.filter_width;
  Layer layer;
  layer.window = form.window;
  layer.weights.filter = dense_filter(groups, window.out_channels / groups, taps, window.in_channels / groups);
  layer.weights.layout =
      dot_layout(layer.weights.filter, 4 * groups * static_cast<uint32_t>(divide_up(layer.weights.filter.out_channels, 4)));
  const PhaseGrid grid = phase_grid(window, form.window == kWindowTransposed);
  const uint32_t pixel_words = groups * layer.weights.layout.words;
  const uint64_t image_pixels = uint64_t{window.batches} * window.in_height * window.in_width;
  const DotWork work{.pixels = grid.pixels,
                     .repetitions = grid.phases,
                     .taps = taps,
                     .image_bytes = image_pixels * pixel_words * 4,
                     .whole_words = !form.scalar_input};
  const auto choice = choose_dot(layer.weights.filter, layer.weights.layout, work, context.traits);
  if (!choice) return false;
  layer.choice = *choice;

  DotConvolutionParams& params = layer.params;
  set_geometry(window, false, params);
  set_limits(context, window.activation, params);
  const uint32_t lanes = choice->wide_input ? 4 : 1;
  params.pixels = static_cast<uint32_t>(grid.pixels);
  params.in_stride_pixel = pixel_words / lanes;
  params.in_stride_group = layer.weights.layout.words / lanes;
  params.out_stride_group = layer.weights.filter.out_channels * params.out_stride_channel;

  layer.image = {context.input_id(kImage), input.type, input.zero_point};
  if (choice->copies_image) {
    const DotImageParams copy = image_in_words(window, groups, layer.weights.layout.words);
    NNVK_ASSIGN(layer.image, copied_into_words(context, layer.image, work.image_bytes, copy));
  }
  const TensorId target = result_target(context, form.narrow);
  layer.weights.source = weight_source(context, kFilter);
  layer.weights.name = "dot weights";
  layer.type = output.type;
  layer.grouping = groups > 1 ? kGroupingChannels : kGroupingNone;
  layer.scalar_output = form.scalar_output;
  layer.phases = grid.phases;
  layer.bias = read_elements(context.input_id(kBias), OperandType::kTensorInt32, groups == 1);
  layer.y = write_words(target);
  layer.weights.scales = scales_table(context, layer.weights.filter);
  layer.label = layer_label(context, window) + ", dot products";
  layer.multiply_adds = layer_multiply_adds(window, transposed);
  NNVK_TRY(add_layer(context, layer));
  if (form.narrow) NNVK_TRY(emit_narrowing(context, target));
  return true;
}

Result<bool> emit_dot_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                              const ProductResult& result) {
  if (is_float_tensor(rows.type) || element_size(rows.type) != 1 || rows.rows == 0) return false;
  Layer layer;
  layer.weights.filter = weights.layout;
  const uint32_t scale_channels = result.bias ? weights.layout.out_channels : 1;
  layer.weights.layout = dot_layout(layer.weights.filter, scale_channels);
  const uint32_t words = layer.weights.layout.words;
  const auto whole = [&](uint32_t unit) {
    return rows.depth_stride == 1 && rows.depth % unit == 0 && rows.row_stride % unit == 0 && rows.matrix_stride % unit == 0;
  };
  const DotWork work{
      .pixels = rows.rows, .image_bytes = uint64_t{rows.matrices} * rows.rows * words * 4, .whole_words = whole(4)};
  auto choice = choose_dot(layer.weights.filter, layer.weights.layout, work, context.traits);
  if (!choice) return false;
  if (!choice->copies_image) choice->wide_input = choice->wide_input && whole(16);
  layer.choice = *choice;

  DotConvolutionParams& params = layer.params;
  const uint32_t lanes = choice->wide_input ? 4 : 1;
  set_product(rows, result, layer.weights.filter.out_channels, 4 * lanes, params);

  layer.image = {rows.tensor, rows.type, rows.zero_point};
  if (choice->copies_image) {
    const DotImageParams copy = rows_in_words(rows, words);
    NNVK_ASSIGN(layer.image, copied_into_words(context, layer.image, work.image_bytes, copy));
    params.in_stride_pixel = words / lanes;
    params.in_stride_group = rows.rows * words / lanes;
  }
  layer.weights.source = weights.source;
  layer.weights.name = "dot " + weights.name;
  layer.type = rows.type;
  layer.grouping = result.bias ? kGroupingNone : kGroupingMatrices;
  layer.scalar_output = result.wide;
  // A binding that the kernel never reads gets the input.
  layer.bias = result.bias.value_or(read_quads(rows.tensor, OperandType::kTensorInt32));
  layer.y = write_words(result.target);
  layer.weights.scales = scales_table(context, result.multiplier, scale_channels, weights.name + " scale");
  layer.label = dispatch_label(context) + ", " + weights.name + ", dot products";
  layer.multiply_adds = uint64_t{rows.matrices} * rows.rows * rows.depth * layer.weights.filter.out_channels;
  NNVK_TRY(add_layer(context, layer));
  return true;
}

}  // namespace nnvk::vulkan
