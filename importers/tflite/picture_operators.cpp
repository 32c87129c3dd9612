// Operators on pictures: pooling, resizing, exchanging space with depth or batch, and normalizations.
#include <fmt/format.h>

#include <array>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

template <int32_t kCode>
Status emit_pool(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<PoolOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  if (settings->activation == format::Activation_TANH || settings->activation == format::Activation_SIGN_BIT) {
    return fail(op.where + ": the importer does not support this activation");
  }
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs,
                   {padding_code(settings->padding), settings->stride_w, settings->stride_h, settings->filter_width,
                    settings->filter_height, static_cast<int32_t>(settings->activation)}));
  if (kCode == ANEURALNETWORKS_L2_POOL_2D && is_quant8(emitter.builder().operand(data).type)) {
    return emitter.emit_in_float(op, kCode, inputs, 1);  // NNAPI has no 8-bit form
  }
  return emitter.emit_same_quantization(op, kCode, std::move(inputs));
}

template <int32_t kCode>
Status emit_resize(Emitter& emitter, const Operator& op) {
  const auto settings = options_or_defaults<ResizeOptions>(op);
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const auto size, emitter.integers(op, 1));
  if (size.size() != 2) return fail(op.where + ": the size must be two integers");
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {size[1], size[0]}));
  TOOLS_TRY(append_bools(emitter, inputs, {false}));
  if (settings.align_corners || settings.half_pixel_centers) {
    TOOLS_TRY(append_bools(emitter, inputs, {settings.align_corners, settings.half_pixel_centers}));
  }
  return emitter.emit_same_quantization(op, kCode, std::move(inputs));
}

// Emits DEPTH_TO_SPACE or SPACE_TO_DEPTH.
template <int32_t kCode>
Status emit_block(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<BlockOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {settings->block_size}));
  return emitter.emit_same_quantization(op, kCode, std::move(inputs));
}

// The block sizes and the paddings or crops of an operator between space and batch, for pictures of 4 dimensions.
struct BatchBlocks {
  uint32_t data = 0;
  std::vector<int32_t> block;
  std::vector<int32_t> margins;  // before and after, for height and width
};

// Reads the sizes. TensorFlow Lite also has these operators for 3 dimensions [batch, height, channels]: pictures of width 1.
Result<BatchBlocks> batch_blocks(Emitter& emitter, const Operator& op) {
  BatchBlocks result;
  TOOLS_ASSIGN(result.data, emitter.input(op, 0));
  TOOLS_ASSIGN(result.block, emitter.integers(op, 1));
  TOOLS_ASSIGN(result.margins, emitter.integers(op, 2));
  const std::vector<uint32_t> shape = emitter.builder().operand(result.data).dimensions;
  if (shape.size() != 3 && shape.size() != 4)
    return fail(fmt::format("{}: its input must have 3 or 4 dimensions, but has {}", op.where, shape.size()));
  const size_t spatial = shape.size() - 2;
  if (result.block.size() != spatial || result.margins.size() != 2 * spatial) {
    return fail(fmt::format("{}: its {} block sizes and {} margins do not fit an input of {} dimensions", op.where,
                            result.block.size(), result.margins.size(), shape.size()));
  }
  if (shape.size() == 3) {
    result.block.push_back(1);
    result.margins.insert(result.margins.end(), {0, 0});
    TOOLS_ASSIGN(result.data, reshaped(emitter, op, result.data, {shape[0], shape[1], 1, shape[2]}));
  }
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  if (is_quant8(out.type) && !emitter.builder().operand(result.data).same_quantization(out)) {
    return fail(op.where + ": its input and its output must have the same quantization");
  }
  return result;
}

Result<uint32_t> constant_pairs(Emitter& emitter, const std::vector<int32_t>& values) {
  TOOLS_ASSIGN(const uint32_t operand,
               emitter.builder().add_operand(
                   {.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = {static_cast<uint32_t>(values.size() / 2), 2}}));
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  TOOLS_TRY(emitter.builder().set_owned_value(operand, {first, first + values.size() * sizeof(int32_t)}));
  return operand;
}

Status emit_space_to_batch(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const BatchBlocks blocks, batch_blocks(emitter, op));
  TOOLS_ASSIGN(const uint32_t block, emitter.builder().add_int32_tensor(blocks.block));
  TOOLS_ASSIGN(const uint32_t paddings, constant_pairs(emitter, blocks.margins));
  const std::vector<uint32_t> inputs{blocks.data, block, paddings};
  TOOLS_ASSIGN(OperandInfo out, emitter.operand_info(op.outputs[0]));
  if (out.dimensions.size() == 4) return emit_to_output(emitter, op, ANEURALNETWORKS_SPACE_TO_BATCH_ND, inputs);
  if (out.dimensions.size() != 3) return fail(op.where + ": its output must have as many dimensions as its input");
  out.dimensions.insert(out.dimensions.begin() + 2, 1);
  TOOLS_ASSIGN(const uint32_t moved, emitter.emit_temporary(op, ANEURALNETWORKS_SPACE_TO_BATCH_ND, inputs, out));
  return reshape_to_output(emitter, op, moved, 0);
}

Status emit_batch_to_space(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const BatchBlocks blocks, batch_blocks(emitter, op));
  TOOLS_ASSIGN(const uint32_t block, emitter.builder().add_int32_tensor(blocks.block));
  const std::vector<uint32_t> inputs{blocks.data, block};
  const bool crops = std::ranges::any_of(blocks.margins, [](int32_t margin) { return margin != 0; });
  TOOLS_ASSIGN(OperandInfo out, emitter.operand_info(op.outputs[0]));
  if (!crops && out.dimensions.size() == 4) return emit_to_output(emitter, op, ANEURALNETWORKS_BATCH_TO_SPACE_ND, inputs);
  // NNAPI's operation has no crops: a SLICE follows.
  OperandInfo whole = emitter.builder().operand(blocks.data);
  TOOLS_TRY(check_closed(op, whole.dimensions));
  const int64_t area = int64_t{blocks.block[0]} * blocks.block[1];
  std::vector<int32_t> begin(4);
  for (const size_t i : {0U, 1U}) {
    const int32_t size = blocks.block[i];
    const int64_t grown = int64_t{whole.dimensions[i + 1]} * size;
    if (size < 1 || area < 1 || whole.dimensions[0] % area != 0 || blocks.margins[2 * i] < 0 || grown > INT32_MAX) {
      return fail(
          fmt::format("{}: its blocks of {} and crops of {} do not fit its input", op.where, size, blocks.margins[2 * i]));
    }
    whole.dimensions[i + 1] = static_cast<uint32_t>(grown);
    begin[i + 1] = blocks.margins[2 * i];
  }
  whole.dimensions[0] = static_cast<uint32_t>(whole.dimensions[0] / area);
  TOOLS_ASSIGN(uint32_t moved, emitter.emit_temporary(op, ANEURALNETWORKS_BATCH_TO_SPACE_ND, inputs, whole));
  if (out.dimensions.size() == 3) out.dimensions.insert(out.dimensions.begin() + 2, 1);
  if (out.dimensions.size() != 4) return fail(op.where + ": its output must have as many dimensions as its input");
  if (crops) {
    TOOLS_ASSIGN(const uint32_t from, emitter.builder().add_int32_tensor(begin));
    TOOLS_ASSIGN(const uint32_t size,
                 emitter.builder().add_int32_tensor(std::vector<int32_t>(out.dimensions.begin(), out.dimensions.end())));
    TOOLS_ASSIGN(moved, emitter.emit_temporary(op, ANEURALNETWORKS_SLICE, std::vector<uint32_t>{moved, from, size}, out));
  }
  return reshape_to_output(emitter, op, moved, 0);
}

Status emit_l2_normalization(Emitter& emitter, const Operator& op) {
  const auto settings = options_or_defaults<ActivationOptions>(op);
  if (settings.activation != format::Activation_NONE) return fail(op.where + ": the importer does not support its activation");
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  return emit_fixed_output(emitter, op, ANEURALNETWORKS_L2_NORMALIZATION, {data});
}

Status emit_local_response(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<LocalResponseOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  const int32_t type = emitter.builder().operand(data).type;
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {settings->radius}));
  TOOLS_TRY(append_reals(emitter, inputs, type, {settings->bias, settings->alpha, settings->beta}));
  if (is_quant8(type)) return emitter.emit_in_float(op, ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, inputs, 1);
  return emit_to_output(emitter, op, ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, inputs);
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_AVERAGE_POOL_2D, emit_pool<ANEURALNETWORKS_AVERAGE_POOL_2D>},
    {format::BuiltinOperator_MAX_POOL_2D, emit_pool<ANEURALNETWORKS_MAX_POOL_2D>},
    {format::BuiltinOperator_L2_POOL_2D, emit_pool<ANEURALNETWORKS_L2_POOL_2D>},
    {format::BuiltinOperator_RESIZE_BILINEAR, emit_resize<ANEURALNETWORKS_RESIZE_BILINEAR>, 2},
    {format::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR, emit_resize<ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR>, 2},
    {format::BuiltinOperator_DEPTH_TO_SPACE, emit_block<ANEURALNETWORKS_DEPTH_TO_SPACE>},
    {format::BuiltinOperator_SPACE_TO_DEPTH, emit_block<ANEURALNETWORKS_SPACE_TO_DEPTH>},
    {format::BuiltinOperator_SPACE_TO_BATCH_ND, emit_space_to_batch, 3},
    {format::BuiltinOperator_BATCH_TO_SPACE_ND, emit_batch_to_space, 3},
    {format::BuiltinOperator_L2_NORMALIZATION, emit_l2_normalization},
    {format::BuiltinOperator_LOCAL_RESPONSE_NORMALIZATION, emit_local_response},
});

}  // namespace

std::span<const Row> picture_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
