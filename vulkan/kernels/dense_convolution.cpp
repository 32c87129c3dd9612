// The dense emitter: convolutions with the operands of their node, and bare products of rows with a matrix.
#include "vulkan/kernels/dense_convolution.h"

#include "convolution_kernels.h"
#include "shaders/convolution_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

constexpr size_t kInput = 0;
constexpr size_t kFilter = 1;
constexpr size_t kBias = 2;
// Loads of a sum in one dispatch, of which `steps` follow each other in a tap. A tap costs about five iterations more than it has
// loads: it begins and ends three nested loops (see bounded_work.h).
constexpr uint32_t most_loads(uint32_t steps) { return (steps < 16 ? 1 : 4) * 8 * 1024; }

std::string layer_label(const EmitContext& context, const WindowParameters& window) {
  return dispatch_label(context) + ", filter " + std::to_string(window.filter_height) + "x" +
         std::to_string(window.filter_width) + "x" + std::to_string(window.in_channels / static_cast<uint32_t>(window.groups)) +
         " stride " + std::to_string(window.stride_height);
}

// Kernel and specialization that follow from the choice; bindings and parameters remain to be set.
Dispatch convolution_dispatch(const EmitContext& context, const ConvolutionChoice& choice, OperandType type, uint32_t grouping,
                              bool residual) {
  const bool integer = !is_float_tensor(type);
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.kernel = integer ? kernels::kConvolutionInteger.id : kernels::kConvolutionFloat.id;
  dispatch.specialization = {{kConvolutionElementId, element_type(type)},
                             {kConvolutionTilePixelsId, choice.tile_pixels},
                             {kConvolutionScalarInputId, choice.scalar_input ? 1U : 0U},
                             {kConvolutionScalarOutputId, choice.scalar_output ? 1U : 0U},
                             {kConvolutionWindowId, choice.window},
                             {kConvolutionTileVectorsId, choice.tile_vectors},
                             {kConvolutionGroupingId, grouping}};
  if (!integer) dispatch.specialization.push_back({kConvolutionResidualId, residual ? 1U : 0U});
  return dispatch;
}

// A float matrix that already lies as the packed weights would.
bool is_packed(const ProductWeights& weights) {
  const FilterLayout& layout = weights.layout;
  return weights.source.type == OperandType::kTensorFloat32 && layout.stride_channel == 1 &&
         layout.out_channels == 4 * layout.columns && layout.stride_k == layout.out_channels &&
         layout.stride_group == layout.in_channels * layout.out_channels;
}

// Adds the dispatch, whose sums take `loads` loads each, in chunks where one dispatch would take an invocation too long.
Status add_chunks(const EmitContext& context, const ConvolutionChoice& choice, uint64_t loads, ConvolutionParams params,
                  Dispatch dispatch, DispatchList& dispatches) {
  const auto all = static_cast<uint32_t>(loads);  // packed weights hold as many vectors
  const std::vector<SliceStep> chunks = slice_steps(all, most_loads(params.in_steps), kStepFoldFirst);
  const bool chunked = chunks.size() > 1;
  dispatch.specialization.push_back({kConvolutionChunkedId, chunked ? 1U : 0U});
  dispatch.multiply_adds /= chunks.size();
  const uint32_t vectors = choice.tile_pixels * choice.tile_vectors;
  const uint64_t invocations = uint64_t{dispatch.groups[0]} * dispatch.groups[1] * kernel_info(dispatch.kernel).local_size[0];
  NNVK_ASSIGN(const TensorBinding partial, partial_sums(context, invocations, vectors, chunked, dispatches));
  dispatch.bindings.push_back(partial);
  for (const SliceStep& chunk : chunks) {
    params.chunk_begin = chunk.begin;
    params.chunk_end = chunk.end == all ? kConvolutionLastChunk : chunk.end;
    dispatch.set_params(params);
    dispatches.add(dispatch);
  }
  return {};
}

// Taps that reach an output pixel, at most.
uint64_t most_taps(const WindowParameters& window, uint32_t kind) {
  if (kind != kWindowTransposed) return uint64_t{window.filter_height} * window.filter_width;
  return divide_up(window.filter_height, static_cast<uint32_t>(window.stride_height)) *
         divide_up(window.filter_width, static_cast<uint32_t>(window.stride_width));
}

}  // namespace

Status emit_dense_convolution(const EmitContext& context, const WindowParameters& window, bool transposed,
                              DispatchList& dispatches) {
  const OperandInfo& input = context.input(kInput);
  const OperandInfo& output = context.output(0);
  if (window.batches == 0 || window.out_height == 0 || window.out_width == 0) return {};
  const bool integer = !is_float_tensor(output.type);
  const bool residual = context.node.residual != kNoTensor;
  const auto own = static_cast<FusedActivation>(window.activation);
  const auto element_bytes = static_cast<uint32_t>(element_size(output.type));
  const ConvolutionChoice choice = choose_convolution(window, transposed, element_bytes, context.traits);
  const auto groups = static_cast<uint32_t>(window.groups);
  const uint32_t group_inputs = window.in_channels / groups;
  const FilterLayout filter =
      dense_filter(groups, window.out_channels / groups, window.filter_height * window.filter_width, group_inputs);

  ConvolutionParams params{};
  set_geometry(window, choice.scalar_input, params);
  set_limits(context, own, params);
  if (residual) {
    const ActivationBounds before = float_activation_bounds(own);
    const ActivationBounds after = float_activation_bounds(context.node.fused_activation);
    params.lo = before.lo;
    params.hi = before.hi;
    params.residual_lo = after.lo;
    params.residual_hi = after.hi;
  }
  const PhaseGrid grid = phase_grid(window, choice.window == kWindowTransposed);
  params.pixels = static_cast<uint32_t>(grid.pixels);
  params.in_steps = choice.scalar_input ? group_inputs : group_inputs / 4;
  params.group_channels = filter.out_channels;
  params.group_tiles = filter.columns / choice.tile_vectors;
  params.channel_tiles = groups * params.group_tiles;
  params.in_stride_group = params.in_steps * params.in_stride_channel;
  params.out_stride_group = params.group_channels * params.out_stride_channel;

  const uint32_t grouping = groups > 1 ? kGroupingChannels : kGroupingNone;
  Dispatch dispatch = convolution_dispatch(context, choice, output.type, grouping, residual);
  const uint64_t invocations = grid.phases * divide_up(grid.pixels, choice.tile_pixels) * params.channel_tiles;
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatch.label = layer_label(context, window);
  // A transposed convolution multiplies every input pixel with the whole filter, an ordinary one every output pixel.
  const uint64_t positions = uint64_t{window.batches} * (transposed ? uint64_t{window.in_height} * window.in_width
                                                                    : uint64_t{window.out_height} * window.out_width);
  dispatch.multiply_adds = positions * filter.taps * group_inputs * window.out_channels;

  NNVK_ASSIGN(const TensorId weights, packed_weights(context, weight_source(context, kFilter), filter, "weights", dispatches));
  const TensorId target = result_target(context, choice.narrow, dispatches);
  const TensorId x = context.input_id(kInput);
  const OperandType bias = context.input(kBias).type;
  dispatch.bindings = {choice.scalar_input ? read_scalars(x, input.type) : read_quads(x, input.type),
                       read_quads(weights, OperandType::kTensorFloat32),
                       groups > 1 ? read_scalars(context.input_id(kBias), bias) : read_quads(context.input_id(kBias), bias),
                       write_words(target)};
  if (integer) {
    dispatch.bindings.push_back(scales_table(context, groups, filter.out_channels, dispatches));
  } else {
    // Without a residual the binding is never read; the input stands in for it.
    const TensorId added = residual ? context.node.residual : x;
    dispatch.bindings.push_back(choice.scalar_output ? read_scalars(added, output.type) : read_quads(added, output.type));
  }
  const uint64_t loads = most_taps(window, choice.window) * params.in_steps;
  NNVK_TRY(add_chunks(context, choice, loads, params, std::move(dispatch), dispatches));
  return choice.narrow ? emit_narrowing(context, target, dispatches) : Status{};
}

Status emit_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                    const ProductResult& result, DispatchList& dispatches) {
  const bool integer = !is_float_tensor(rows.type);
  const FilterLayout& layout = weights.layout;
  ConvolutionChoice choice;
  choice.window = kWindowPointwise;
  choice.tile_vectors = choose_tile_vectors(layout.out_channels);
  const uint32_t group_tiles = layout.columns / choice.tile_vectors;
  choice.tile_pixels = choose_tile_pixels(rows.rows, uint64_t{layout.groups} * group_tiles, context.traits);
  choice.scalar_input = rows.depth_stride != 1 || rows.depth % 4 != 0 || rows.row_stride % 4 != 0 || rows.matrix_stride % 4 != 0;
  choice.scalar_output = result.wide;
  const uint32_t vector = choice.scalar_input ? 1 : 4;
  const uint32_t columns = result.wide ? result.columns : layout.out_channels;

  ConvolutionParams params{};
  params.out_channels = layout.out_channels;
  params.in_height = params.out_height = params.filter_height = params.filter_width = 1;
  params.stride_height = params.stride_width = params.dilation_height = params.dilation_width = 1;
  params.in_width = params.out_width = params.pixels = rows.rows;
  params.in_stride_pixel = rows.row_stride / vector;
  params.in_stride_channel = rows.depth_stride;
  params.in_stride_group = rows.matrix_stride / vector;
  params.out_stride_pixel = columns;
  params.out_stride_channel = 1;
  params.out_stride_group = rows.rows * columns;
  params.in_steps = rows.depth / vector;
  params.group_channels = layout.out_channels;
  params.group_tiles = group_tiles;
  params.channel_tiles = layout.groups * group_tiles;
  params.in_zero_point = rows.zero_point;
  params.out_zero_point = result.zero_point;
  params.lo = result.lo;
  params.hi = result.hi;

  const uint32_t grouping = result.bias ? kGroupingNone : kGroupingMatrices;
  Dispatch dispatch = convolution_dispatch(context, choice, rows.type, grouping, false);
  const uint64_t invocations = divide_up(rows.rows, choice.tile_pixels) * params.channel_tiles;
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatch.label = dispatch_label(context) + ", " + weights.name;
  dispatch.multiply_adds = uint64_t{rows.matrices} * rows.rows * rows.depth * layout.out_channels;

  TensorId packed = weights.source.tensor;
  if (!is_packed(weights)) {
    NNVK_ASSIGN(packed, packed_weights(context, weights.source, layout, weights.name, dispatches));
  }
  const TensorBinding input = choice.scalar_input ? read_scalars(rows.tensor, rows.type) : read_quads(rows.tensor, rows.type);
  // Bindings that the kernel never reads get the input in their place.
  dispatch.bindings = {input, read_quads(packed, OperandType::kTensorFloat32), result.bias.value_or(input),
                       write_words(result.target)};
  dispatch.bindings.push_back(integer ? scales_table(context, result.multiplier, result.bias ? layout.out_channels : 1,
                                                     weights.name + " scale", dispatches)
                                      : input);
  return add_chunks(context, choice, params.in_steps, params, std::move(dispatch), dispatches);
}

}  // namespace nnvk::vulkan
