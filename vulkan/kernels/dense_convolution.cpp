// The dense emitter: convolutions with the operands of their node, and plain products of rows with a matrix.
#include "vulkan/kernels/dense_convolution.h"

#include "convolution_kernels.h"
#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/convolution_reason.h"
#include "vulkan/kernels/dot_convolution.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/group_tile.h"
#include "vulkan/kernels/half_convolution.h"
#include "vulkan/kernels/matrix_convolution.h"
#include "vulkan/kernels/split_sum.h"

namespace nnvk::vulkan {
namespace {

// The most loads of a sum in one dispatch, with `steps` adjacent loads per tap. A tap costs about five iterations more than its
// loads, because it begins and ends three nested loops (see bounded_work.h).
constexpr uint32_t most_loads(uint32_t steps) { return (steps < 16 ? 1 : 4) * 8 * 1024; }

// A convolution dispatch whose float or integer kernel is not chosen yet.
struct Layer {
  ConvolutionChoice choice;
  std::optional<SplitSum> split;        // sums split among invocations, for few pixels
  std::optional<GroupTile> group_tile;  // floats in shared memory. Without `split` and `group_tile`, choice.tile applies
  OperandType type{};
  uint32_t grouping = kGroupingNone;
  bool residual = false;  // float kernel
  bool exact = false;     // integer kernel: fits_exact_sum()
  ConvolutionParams params{};
  uint64_t invocations = 0;
  uint64_t loads = 0;  // of every sum
  uint64_t multiply_adds = 0;
  std::string label;
  TensorBinding x, weights, bias, y;
  TensorBinding scales_or_residual;  // integer kernel: scales; float kernel: residual, never read if there is none
};

// Whether a float matrix already has the layout of packed weights.
bool is_packed(const ProductWeights& weights) {
  const FilterLayout& layout = weights.layout;
  return weights.source.type == OperandType::kTensorFloat32 && layout.stride_channel == 1 &&
         layout.out_channels == 4 * layout.columns && layout.stride_k == layout.out_channels &&
         layout.stride_group == layout.in_channels * layout.out_channels;
}

// The sizes of the layer that decide its tile. layer.params.pixels and layer.choice must be set.
TiledProduct tiled_product(const Layer& layer, const FilterLayout& filter) {
  return {.pixels = layer.params.pixels,
          .repetitions = filter.groups,
          .columns = filter.columns,
          .scalar_input = layer.choice.scalar_input,
          .window = layer.choice.window};
}

// Chooses between split sums, tiles in shared memory and choice.tile. Stores the choice and the number of invocations in the
// layer.
void set_tiles(const EmitContext& context, const FilterLayout& filter, uint64_t phases, Layer& layer) {
  ConvolutionParams& params = layer.params;
  const TiledProduct product = tiled_product(layer, filter);
  const uint64_t channels = layer.choice.scalar_input ? layer.loads : 4 * layer.loads;
  layer.split = choose_split_sum(product, layer.loads, context.traits);
  if (!layer.split && is_float_tensor(layer.type)) layer.group_tile = choose_group_tile(product, channels, context.traits);
  const ConvolutionTile& tile = layer.choice.tile;
  const uint32_t vectors = layer.split        ? layer.split->vectors()
                           : layer.group_tile ? layer.group_tile->group_vectors()
                                              : tile.vectors;
  params.group_channels = filter.out_channels;
  params.group_tiles = static_cast<uint32_t>(divide_up(filter.columns, vectors));
  params.channel_tiles = filter.groups * params.group_tiles;
  layer.invocations = layer.split        ? work_groups(*layer.split, product) * kSplitInvocations
                      : layer.group_tile ? work_groups(*layer.group_tile, product) * kTiledRows * kTiledColumns
                                         : phases * divide_up(params.pixels, tile.pixels) * params.channel_tiles;
}

// Adds the layer as one dispatch; `dispatch` has its bindings and constants already.
Status add_one(const EmitContext& context, const Layer& layer, Dispatch dispatch, const char* form, std::string choice) {
  dispatch.label = layer.label + form;
  dispatch.choice = std::move(choice);
  dispatch.multiply_adds = layer.multiply_adds;
  return add_flat(context, std::move(dispatch), layer.invocations);
}

Status add_group_tiles(const EmitContext& context, const Layer& layer, const FilterLayout& filter) {
  const GroupTile& tile = *layer.group_tile;
  return add_one(context, layer,
                 make_dispatch(context, kernels::kConvolutionTiledFloat,
                               {.type = element_type(layer.type),
                                .tile_pixels = tile.pixels,
                                .scalar_input = layer.choice.scalar_input,
                                .scalar_output = layer.choice.scalar_output,
                                .window = layer.choice.window,
                                .tile_vectors = tile.vectors,
                                .grouping = layer.grouping,
                                .residual = layer.residual},
                               {.in_x = layer.x,
                                .in_weights = layer.weights,
                                .in_bias = layer.bias,
                                .out_y = layer.y,
                                .in_residual = layer.scales_or_residual},
                               layer.params),
                 ", tiles in shared memory", reason_of(tile, tiled_product(layer, filter), context.traits));
}

Status add_split_sums(const EmitContext& context, const Layer& layer, const FilterLayout& filter) {
  const SplitSum& split = *layer.split;
  // Float and integer kernels take the same constants; float kernels take `own` as well.
  const auto make = [&]<class Shape>(TypedKernel<Shape> kernel, auto... own) {
    return make_dispatch(context, kernel,
                         typename Shape::Specialization{element_type(layer.type), split.pixels, layer.choice.scalar_input,
                                                        layer.choice.scalar_output, layer.grouping, split.lanes, own...},
                         typename Shape::Bindings{layer.x, layer.weights, layer.bias, layer.y, layer.scales_or_residual},
                         layer.params);
  };
  return add_one(context, layer,
                 is_float_tensor(layer.type) ? make(kernels::kConvolutionSplitFloat, layer.residual)
                                             : make(kernels::kConvolutionSplitInteger),
                 ", split sums", reason_of(split, tiled_product(layer, filter), context.traits));
}

// Adds the layer, as several dispatches that continue the sums if an invocation of one would loop for too long.
Status add_layer(const EmitContext& context, const Layer& layer, const FilterLayout& filter) {
  if (layer.split) return add_split_sums(context, layer, filter);
  if (layer.group_tile) return add_group_tiles(context, layer, filter);
  const ConvolutionChoice& choice = layer.choice;
  const auto all =
      static_cast<uint32_t>(layer.loads);  // fits 32 bits, because a buffer holds a vector of packed weights for each
  const std::vector<SliceStep> chunks = slice_steps(all, most_loads(layer.params.in_steps));
  const bool chunked = chunks.size() > 1;
  const ConvolutionTile& tile = choice.tile;
  const uint32_t vectors = tile.pixels * tile.vectors;
  NNVK_ASSIGN(const TensorBinding partial, partial_sums(context, layer.invocations, vectors, chunked));
  const uint type = element_type(layer.type);
  DispatchOf<ConvolutionParams> dispatch;
  if (is_float_tensor(layer.type)) {
    dispatch = make_dispatch(context, tile.sharers > 1 ? kernels::kConvolutionSharedFloat : kernels::kConvolutionFloat,
                             {.type = type,
                              .tile_pixels = tile.pixels,
                              .scalar_input = choice.scalar_input,
                              .scalar_output = choice.scalar_output,
                              .window = choice.window,
                              .tile_vectors = tile.vectors,
                              .grouping = layer.grouping,
                              .chunked = chunked,
                              .sharers = tile.sharers,
                              .residual = layer.residual},
                             {.in_x = layer.x,
                              .in_weights = layer.weights,
                              .in_bias = layer.bias,
                              .out_y = layer.y,
                              .in_residual = layer.scales_or_residual,
                              .partial = partial});
  } else {
    dispatch = make_dispatch(context, tile.sharers > 1 ? kernels::kConvolutionSharedInteger : kernels::kConvolutionInteger,
                             {.type = type,
                              .tile_pixels = tile.pixels,
                              .scalar_input = choice.scalar_input,
                              .scalar_output = choice.scalar_output,
                              .window = choice.window,
                              .tile_vectors = tile.vectors,
                              .grouping = layer.grouping,
                              .chunked = chunked,
                              .sharers = tile.sharers,
                              .exact = layer.exact},
                             {.in_x = layer.x,
                              .in_weights = layer.weights,
                              .in_bias = layer.bias,
                              .out_y = layer.y,
                              .in_scales = layer.scales_or_residual,
                              .partial = partial});
  }
  NNVK_TRY(set_flat_groups(context, layer.invocations, dispatch));
  dispatch.label = layer.label;
  dispatch.choice = reason_of(choice, layer.params.pixels, layer.invocations, context.traits);
  dispatch.multiply_adds = layer.multiply_adds / chunks.size();
  ConvolutionParams params = layer.params;
  for (const SliceStep& chunk : chunks) {
    params.chunk_begin = chunk.begin;
    params.chunk_end = chunk.end == all ? kConvolutionLastChunk : chunk.end;
    dispatch.set_params(params);
    context.dispatches.add(dispatch);
  }
  return {};
}

// The most taps that contribute to an output pixel.
uint64_t most_taps(const WindowParameters& window, uint32_t kind) {
  if (kind != kWindowTransposed) return uint64_t{window.filter_height} * window.filter_width;
  return divide_up(window.filter_height, static_cast<uint32_t>(window.stride_height)) *
         divide_up(window.filter_width, static_cast<uint32_t>(window.stride_width));
}

}  // namespace

std::string layer_label(const EmitContext& context, const WindowParameters& window) {
  return dispatch_label(context) + ", filter " + std::to_string(window.filter_height) + "x" +
         std::to_string(window.filter_width) + "x" + std::to_string(window.in_channels / static_cast<uint32_t>(window.groups)) +
         " stride " + std::to_string(window.stride_height);
}

uint64_t layer_multiply_adds(const WindowParameters& window, bool transposed) {
  const uint64_t positions = uint64_t{window.batches} * (transposed ? uint64_t{window.in_height} * window.in_width
                                                                    : uint64_t{window.out_height} * window.out_width);
  return positions * window.filter_height * window.filter_width * (window.in_channels / static_cast<uint32_t>(window.groups)) *
         window.out_channels;
}

Status emit_dense_convolution(const EmitContext& context, const WindowParameters& window, bool transposed) {
  using namespace convolution;
  for (const auto emit : {emit_matrix_convolution, emit_dot_convolution, emit_half_convolution}) {
    NNVK_ASSIGN(const bool done, emit(context, window, transposed));
    if (done) return {};
  }
  const OperandInfo& input = context.input(kImage);
  const OperandInfo& output = context.output(kOutput);
  if (window.batches == 0 || window.out_height == 0 || window.out_width == 0) return {};
  const auto element_bytes = static_cast<uint32_t>(element_size(output.type));
  Layer layer;
  layer.choice = choose_convolution(window, transposed, element_bytes, context.traits);
  const auto groups = static_cast<uint32_t>(window.groups);
  const uint32_t group_inputs = window.in_channels / groups;
  const FilterLayout filter =
      dense_filter(groups, window.out_channels / groups, window.filter_height * window.filter_width, group_inputs);

  const ConvolutionChoice& choice = layer.choice;
  ConvolutionParams& params = layer.params;
  set_geometry(window, choice.scalar_input, params);
  set_limits(context, window.activation, params);
  layer.residual = context.node.residual != kNoTensor;
  if (layer.residual) {
    set_residual_limits(context, window.activation, params);
  }
  const PhaseGrid grid = phase_grid(window, choice.window == kWindowTransposed);
  params.pixels = static_cast<uint32_t>(grid.pixels);
  params.in_steps = choice.scalar_input ? group_inputs : group_inputs / 4;
  params.in_stride_group = params.in_steps * params.in_stride_channel;
  params.out_stride_group = filter.out_channels * params.out_stride_channel;

  layer.type = output.type;
  layer.grouping = groups > 1 ? kGroupingChannels : kGroupingNone;
  layer.loads = most_taps(window, choice.window) * params.in_steps;
  set_tiles(context, filter, grid.phases, layer);
  layer.exact = fits_exact_sum(uint64_t{filter.taps} * group_inputs);
  layer.label = layer_label(context, window);
  layer.multiply_adds = layer_multiply_adds(window, transposed);

  NNVK_ASSIGN(const TensorId weights, packed_weights(context, weight_source(context, kFilter), filter, "weights"));
  const TensorId target = result_target(context, choice.narrow);
  const TensorId x = context.input_id(kImage);
  const TensorId bias = context.input_id(kBias);
  const OperandType bias_type = context.input(kBias).type;
  layer.x = read_elements(x, input.type, !choice.scalar_input);
  layer.weights = read_quads(weights, OperandType::kTensorFloat32);
  layer.bias = read_elements(bias, bias_type, groups == 1);
  layer.y = write_words(target);
  if (is_float_tensor(output.type)) {
    const TensorId added = layer.residual ? context.node.residual : x;  // without a residual: an unread stand-in
    layer.scales_or_residual = read_elements(added, output.type, !choice.scalar_output);
  } else {
    layer.scales_or_residual = scales_table(context, filter);
  }
  NNVK_TRY(add_layer(context, layer, filter));
  return choice.narrow ? emit_narrowing(context, target) : Status{};
}

Status emit_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                    const ProductResult& result) {
  for (const auto emit : {emit_matrix_product, emit_dot_product, emit_half_product}) {
    NNVK_ASSIGN(const bool done, emit(context, rows, weights, result));
    if (done) return {};
  }
  const FilterLayout& layout = weights.layout;
  Layer layer;
  ConvolutionChoice& choice = layer.choice;
  choice.window = kWindowPointwise;
  choice.scalar_input = rows.depth_stride != 1 || rows.depth % 4 != 0 || rows.row_stride % 4 != 0 || rows.matrix_stride % 4 != 0;
  choice.tile = choose_tile({.pixels = rows.rows,
                             .repetitions = layout.groups,
                             .columns = layout.columns,
                             .two_sums = !is_float_tensor(rows.type) && !fits_exact_sum(rows.depth),
                             .scalar_input = choice.scalar_input},
                            context.traits);
  choice.scalar_output = result.wide;
  const uint32_t vector = choice.scalar_input ? 1 : 4;

  ConvolutionParams& params = layer.params;
  set_product(rows, result, layout.out_channels, vector, params);
  params.in_stride_channel = rows.depth_stride;
  params.in_steps = rows.depth / vector;
  params.in_zero_point = rows.zero_point;

  layer.type = rows.type;
  layer.grouping = result.bias ? kGroupingNone : kGroupingMatrices;
  layer.loads = params.in_steps;
  set_tiles(context, layout, 1, layer);
  layer.exact = fits_exact_sum(rows.depth);
  layer.label = dispatch_label(context) + ", " + weights.name;
  layer.multiply_adds = uint64_t{rows.matrices} * rows.rows * rows.depth * layout.out_channels;

  TensorId packed = weights.source.tensor;
  if (!is_packed(weights)) {
    NNVK_ASSIGN(packed, packed_weights(context, weights.source, layout, weights.name));
  }
  layer.x = read_elements(rows.tensor, rows.type, !choice.scalar_input);
  layer.weights = read_quads(packed, OperandType::kTensorFloat32);
  // Bindings that the kernel never reads get the input.
  layer.bias = result.bias.value_or(layer.x);
  layer.y = write_words(result.target);
  layer.scales_or_residual =
      is_float_tensor(rows.type)
          ? layer.x
          : scales_table(context, result.multiplier, result.bias ? layout.out_channels : 1, weights.name + " scale");
  return add_layer(context, layer, layout);
}

}  // namespace nnvk::vulkan
