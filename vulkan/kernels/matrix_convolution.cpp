// The emitter for matrix_convolution.comp. Floats and bytes differ in how they read input and pack weights.
#include "vulkan/kernels/matrix_convolution.h"

#include "matrix_convolution_kernels.h"
#include "shaders/convolution_params.h"
#include "vulkan/kernels/convolution_choice.h"
#include "vulkan/kernels/dot_packing.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/matrix_choice.h"

namespace nnvk::vulkan {
namespace {

// A dispatch of the kernel, still without params and bindings.
struct Layer {
  MatrixChoice choice;
  MatrixLayout layout;
  FilterLayout filter;
  WeightSource source;
  std::string weights_name;
  OperandType type{};  // of the output
  uint32_t window = kWindowPointwise;
  uint32_t grouping = kGroupingNone;
  bool scalar_output = false;
  uint64_t pixels = 0;
  std::string label;
  uint64_t multiply_adds = 0;
  TensorBinding bias, y;
  // Floats.
  bool scalar_input = false;
  TensorBinding x;
  std::optional<TensorBinding> residual = {};
  // Bytes.
  bool wide_input = false;
  DotImage image;
  TensorBinding scales;
};

// The packed weights of a layer; for bytes, corrections and scales follow in the same tensor.
Result<TensorId> packed_chunks(const EmitContext& context, const Layer& layer) {
  const MatrixLayout& layout = layer.layout;
  const bool floats = is_float_tensor(layer.type);
  return context.dispatches.packed(
      layer.weights_name, layer.source.tensor, layout.packed_bytes(), [&](TensorId target) -> Status {
        MatrixPackParams params{};
        params.vectors = static_cast<uint32_t>(layout.weight_vectors);
        params.columns = layout.columns;
        params.group_chunks = static_cast<uint32_t>(layout.group_chunks);
        params.tap_chunks = layout.tap_chunks;
        set_filter(layer.filter, params);
        params.sign_flip = sign_flip(layer.source);
        auto packing = make_dispatch(
            context, floats ? kernels::kMatrixConvolutionPackFloat : kernels::kMatrixConvolutionPackInteger,
            {.type = element_type(layer.source.type)},
            {.in_filter = read_scalars(layer.source.tensor, layer.source.type), .out_packed = write_words(target)}, params);
        packing.label = operation_name(context.node.code) + " " + layer.weights_name;
        NNVK_TRY(add_flat(context, std::move(packing), params.vectors));
        if (floats) return {};

        DotConstantsParams constants{};
        constants.corrections = static_cast<uint32_t>(layout.corrections);
        constants.scales = layout.scale_vectors;
        constants.columns = layout.columns / 4;
        constants.group_rows = params.group_chunks;
        constants.in_zero_point = layer.image.signed_zero_point();
        constants.weight_offset =
            static_cast<int32_t>(layout.chunk_channels * params.group_chunks) * signed_zero_point(layer.source);
        auto behind = make_dispatch(context, kernels::kMatrixConvolutionConstants, {},
                                    {.in_scales = read_words(layer.scales.tensor), .packed = read_write(target)}, constants);
        behind.label = operation_name(context.node.code) + " " + layer.weights_name + ", corrections";
        return add_flat(context, std::move(behind), uint64_t{constants.corrections} + constants.scales);
      });
}

// Sets the parameters that depend on filter, layout and choice.
template <class Params>
void set_tiles(const Layer& layer, Params& params) {
  params.pixels = static_cast<uint32_t>(layer.pixels);
  params.group_tiles = static_cast<uint32_t>(divide_up(layer.filter.out_channels, layer.choice.channels()));
  params.channel_tiles = layer.filter.groups * params.group_tiles;
  params.group_channels = layer.filter.out_channels;
  params.tap_chunks = layer.layout.tap_chunks;
}

Status add_tiles(const EmitContext& context, const Layer& layer, Dispatch dispatch) {
  dispatch.label = layer.label;
  dispatch.multiply_adds = layer.multiply_adds;
  dispatch.choice = reason_of(layer.choice);
  return add_flat(context, std::move(dispatch),
                  matrix_work_groups(layer.choice, layer.filter, layer.pixels) * kMatrixInvocations);
}

// The constants that all variants of the kernel share, in their order, followed by `own` ones of the variant.
template <class Shape, class... Own>
typename Shape::Specialization specialization(const Layer& layer, Own... own) {
  const MatrixChoice& choice = layer.choice;
  return {element_type(layer.type), choice.shape.rows,    choice.shape.columns, choice.shape.depth,
          choice.block_rows,        choice.block_columns, choice.group_rows,    choice.group_columns,
          layer.scalar_output,      layer.window,         layer.grouping,       own...};
}

// Adds the layer. Sets the parameters that depend on its choice; `params` has the others.
Status add_float_layer(const EmitContext& context, const Layer& layer, MatrixFloatParams params) {
  set_tiles(layer, params);
  params.tap_size = layer.filter.in_channels;
  NNVK_ASSIGN(const TensorId packed, packed_chunks(context, layer));
  const TensorBinding weights = read_bytes16(packed);
  const auto make = [&]<class Shape>(TypedKernel<Shape> kernel, const typename Shape::Bindings& bindings) {
    return make_dispatch(context, kernel, specialization<Shape>(layer, layer.scalar_input), bindings, params);
  };
  return add_tiles(
      context, layer,
      layer.residual
          ? make(
                kernels::kMatrixConvolutionFloatResidual,
                {.in_x = layer.x, .in_weights = weights, .in_bias = layer.bias, .out_y = layer.y, .in_residual = *layer.residual})
          : make(kernels::kMatrixConvolutionFloat,
                 {.in_x = layer.x, .in_weights = weights, .in_bias = layer.bias, .out_y = layer.y}));
}

Status add_integer_layer(const EmitContext& context, const Layer& layer, MatrixIntegerParams params) {
  set_tiles(layer, params);
  params.tap_size = static_cast<uint32_t>(divide_up(layer.filter.in_channels, 4));
  params.sign_flip = layer.image.sign_flip();
  params.in_zero_point = layer.image.signed_zero_point();
  params.weight_zero_point = signed_zero_point(layer.source);
  NNVK_ASSIGN(const TensorId packed, packed_chunks(context, layer));
  const OperandType words = OperandType::kTensorInt32;
  auto dispatch =
      make_dispatch(context, kernels::kMatrixConvolutionInteger,
                    specialization<kernels::MatrixConvolutionInteger>(layer, layer.wide_input, params.weight_zero_point != 0),
                    {.in_x = read_elements(layer.image.tensor, words, layer.wide_input),
                     .in_weights = read_bytes16(packed),
                     .in_bias = layer.bias,
                     .out_y = layer.y},
                    params);
  return add_tiles(context, layer, std::move(dispatch));
}

// Words of bytes rounded up to whole chunks.
constexpr uint32_t kChunkWords = 4;
uint32_t whole_chunk_words(const FilterLayout& filter) {
  return static_cast<uint32_t>(kChunkWords * divide_up(filter.in_channels, 4 * kChunkWords));
}

// The parts of a layer that float and byte layers share.
void set_convolution(const EmitContext& context, const WindowParameters& window, const ConvolutionChoice& form, TensorId target,
                     Layer& layer) {
  using namespace convolution;
  layer.source = weight_source(context, kFilter);
  layer.weights_name = "matrix weights";
  layer.type = context.output(kOutput).type;
  layer.window = form.window;
  layer.grouping = window.groups > 1 ? kGroupingChannels : kGroupingNone;
  layer.scalar_output = form.scalar_output;
  layer.bias = read_elements(context.input_id(kBias), context.input(kBias).type, window.groups == 1);
  layer.y = write_words(target);
  layer.label = layer_label(context, window) + ", cooperative matrices";
  layer.multiply_adds = layer_multiply_adds(window, false);
}

Result<bool> emit_float_convolution(const EmitContext& context, const WindowParameters& window, const ConvolutionChoice& form,
                                    Layer& layer) {
  using namespace convolution;
  const bool residual = context.node.residual != kNoTensor;
  layer.layout = half_matrix_layout(layer.filter);
  const auto choice = choose_matrices(layer.filter, layer.layout, {.pixels = layer.pixels, .residual = residual},
                                      context.traits.half_matrices, context.traits);
  if (!choice) return false;
  layer.choice = *choice;
  MatrixFloatParams params{};
  set_geometry(window, form.scalar_input, params);
  set_limits(context, window.activation, params);
  const TensorId target = result_target(context, form.narrow);
  set_convolution(context, window, form, target, layer);
  if (residual) {
    set_residual_limits(context, window.activation, params);
    layer.residual = read_elements(context.node.residual, layer.type, !form.scalar_output);
  }
  layer.scalar_input = form.scalar_input;
  layer.x = read_elements(context.input_id(kImage), layer.type, !form.scalar_input);
  params.in_stride_group = form.scalar_input ? layer.filter.in_channels * params.in_stride_channel : layer.filter.in_channels / 4;
  params.out_stride_group = layer.filter.out_channels * params.out_stride_channel;
  NNVK_TRY(add_float_layer(context, layer, params));
  if (form.narrow) NNVK_TRY(emit_narrowing(context, target));
  return true;
}

Result<bool> emit_integer_convolution(const EmitContext& context, const WindowParameters& window, const ConvolutionChoice& form,
                                      Layer& layer) {
  using namespace convolution;
  const FilterLayout& filter = layer.filter;
  const bool copies = form.scalar_input;  // into words, because channels lie in planes or do not fill words
  const uint32_t group_words = copies ? whole_chunk_words(filter) : filter.in_channels / 4;
  const uint32_t pixel_words = filter.groups * group_words;
  const uint64_t copy_bytes = copies ? uint64_t{window.batches} * window.in_height * window.in_width * pixel_words * 4 : 0;
  layer.layout = byte_matrix_layout(filter, 4 * filter.groups * static_cast<uint32_t>(divide_up(filter.out_channels, 4)));
  const auto choice = choose_matrices(filter, layer.layout, {.pixels = layer.pixels, .image_bytes = copy_bytes},
                                      context.traits.byte_matrices, context.traits);
  if (!choice) return false;
  layer.choice = *choice;
  MatrixIntegerParams params{};
  set_geometry(window, false, params);
  set_limits(context, window.activation, params);
  layer.wide_input = group_words % kChunkWords == 0;
  const uint32_t lanes = layer.wide_input ? kChunkWords : 1;
  params.in_stride_pixel = pixel_words / lanes;
  params.in_stride_group = group_words / lanes;
  params.out_stride_group = filter.out_channels * params.out_stride_channel;
  const OperandInfo& input = context.input(kImage);
  layer.image = {context.input_id(kImage), input.type, input.zero_point};
  if (copies) {
    const DotImageParams copy = image_in_words(window, filter.groups, group_words);
    NNVK_ASSIGN(layer.image, copied_into_words(context, layer.image, copy_bytes, copy));
  }
  const TensorId target = result_target(context, form.narrow);
  set_convolution(context, window, form, target, layer);
  layer.scales = scales_table(context, filter);
  NNVK_TRY(add_integer_layer(context, layer, params));
  if (form.narrow) NNVK_TRY(emit_narrowing(context, target));
  return true;
}

// The parts of a product that floats and bytes share.
void set_product_layer(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                       const ProductResult& result, Layer& layer) {
  layer.source = weights.source;
  layer.weights_name = "matrix " + weights.name;
  layer.type = rows.type;
  layer.grouping = result.bias ? kGroupingNone : kGroupingMatrices;
  layer.scalar_output = result.wide;
  layer.y = write_words(result.target);
  layer.label = dispatch_label(context) + ", " + weights.name + ", cooperative matrices";
  layer.multiply_adds = uint64_t{rows.matrices} * rows.rows * rows.depth * layer.filter.out_channels;
}

// Whether elements of every row, and rows of every matrix, form whole units of `unit` elements.
bool is_whole(const ProductRows& rows, uint32_t unit) {
  return rows.depth_stride == 1 && rows.depth % unit == 0 && rows.row_stride % unit == 0 && rows.matrix_stride % unit == 0;
}

Result<bool> emit_float_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                                const ProductResult& result, Layer& layer) {
  layer.layout = half_matrix_layout(layer.filter);
  const auto choice =
      choose_matrices(layer.filter, layer.layout, {.pixels = layer.pixels}, context.traits.half_matrices, context.traits);
  if (!choice) return false;
  layer.choice = *choice;
  set_product_layer(context, rows, weights, result, layer);
  layer.scalar_input = !is_whole(rows, 4);
  MatrixFloatParams params{};
  set_product(rows, result, layer.filter.out_channels, layer.scalar_input ? 1 : 4, params);
  params.in_stride_channel = rows.depth_stride;
  layer.x = read_elements(rows.tensor, rows.type, !layer.scalar_input);
  layer.bias = result.bias.value_or(layer.x);  // the kernel never reads the stand-in
  NNVK_TRY(add_float_layer(context, layer, params));
  return true;
}

Result<bool> emit_integer_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                                  const ProductResult& result, Layer& layer) {
  const bool copies = !is_whole(rows, 4);
  const uint32_t copy_words = whole_chunk_words(layer.filter);
  const uint64_t copy_bytes = copies ? uint64_t{rows.matrices} * rows.rows * copy_words * 4 : 0;
  const uint32_t scale_channels = result.bias ? layer.filter.out_channels : 1;
  layer.layout = byte_matrix_layout(layer.filter, scale_channels);
  const auto choice = choose_matrices(layer.filter, layer.layout, {.pixels = layer.pixels, .image_bytes = copy_bytes},
                                      context.traits.byte_matrices, context.traits);
  if (!choice) return false;
  layer.choice = *choice;
  set_product_layer(context, rows, weights, result, layer);
  layer.wide_input = copies || is_whole(rows, 4 * kChunkWords);
  const uint32_t lanes = layer.wide_input ? kChunkWords : 1;
  MatrixIntegerParams params{};
  set_product(rows, result, layer.filter.out_channels, 4 * lanes, params);
  layer.image = {rows.tensor, rows.type, rows.zero_point};
  if (copies) {
    const DotImageParams copy = rows_in_words(rows, copy_words);
    NNVK_ASSIGN(layer.image, copied_into_words(context, layer.image, copy_bytes, copy));
    params.in_stride_pixel = copy_words / lanes;
    params.in_stride_group = rows.rows * copy_words / lanes;
  }
  // A binding that the kernel never reads gets the input.
  layer.bias = result.bias.value_or(read_quads(rows.tensor, OperandType::kTensorInt32));
  layer.scales = scales_table(context, result.multiplier, scale_channels, weights.name + " scale");
  NNVK_TRY(add_integer_layer(context, layer, params));
  return true;
}

}  // namespace

Result<bool> emit_matrix_convolution(const EmitContext& context, const WindowParameters& window, bool transposed) {
  using namespace convolution;
  const OperandInfo& output = context.output(kOutput);
  if (!prefers_matrices(output.type, context.plan.relaxed, context.traits) || element_count(output) == 0) return false;
  const ConvolutionChoice form =
      choose_convolution(window, transposed, static_cast<uint32_t>(element_size(output.type)), context.traits);
  if (form.window == kWindowTransposed) return false;
  const auto groups = static_cast<uint32_t>(window.groups);
  Layer layer;
  layer.filter =
      dense_filter(groups, window.out_channels / groups, window.filter_height * window.filter_width, window.in_channels / groups);
  layer.pixels = phase_grid(window, false).pixels;
  return is_float_tensor(output.type) ? emit_float_convolution(context, window, form, layer)
                                      : emit_integer_convolution(context, window, form, layer);
}

Result<bool> emit_matrix_product(const EmitContext& context, const ProductRows& rows, const ProductWeights& weights,
                                 const ProductResult& result) {
  if (!prefers_matrices(rows.type, context.plan.relaxed, context.traits) || rows.rows == 0) return false;
  Layer layer;
  layer.filter = weights.layout;
  layer.pixels = rows.rows;
  return is_float_tensor(rows.type) ? emit_float_product(context, rows, weights, result, layer)
                                    : emit_integer_product(context, rows, weights, result, layer);
}

}  // namespace nnvk::vulkan
