// Convolutions, dense layers and matrix products.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

// Appends the layout NHWC and dilations, where there are any.
Status append_dilations(Emitter& emitter, std::vector<uint32_t>& inputs, const ConvolutionOptions& settings) {
  if (settings.dilation_w == 1 && settings.dilation_h == 1) return {};
  TOOLS_TRY(append_bools(emitter, inputs, {false}));
  return append(emitter, inputs, {settings.dilation_w, settings.dilation_h});
}

Status check_pictures(Emitter& emitter, const Operator& op, size_t data) {
  const size_t rank = emitter.input_tensor(op, data).dimensions.size();
  if (emitter.input_tensor(op, 1).dimensions.size() != 4) return fail(op.where + ": its weights must have 4 dimensions");
  if (rank != 4) return fail(fmt::format("{}: its input must have 4 dimensions, but has {}", op.where, rank));
  return {};
}

Status emit_convolution(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<ConvolutionOptions>(op));
  TOOLS_TRY(check_pictures(emitter, op, 0));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const Weights weights, emitter.weights(op, 1, data, 0));
  const std::vector<uint32_t>& filter = emitter.input_tensor(op, 1).dimensions;
  const uint32_t channels = emitter.input_tensor(op, 0).dimensions[3];
  TOOLS_ASSIGN(const uint32_t bias, emitter.bias(op, 2, data, weights, filter[0]));
  if (filter[3] == 0 || channels % filter[3] != 0) {
    return fail(fmt::format("{}: its weights are for {} channels, which do not fit the {} channels of its input", op.where,
                            filter[3], channels));
  }
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, settings->activation));
  std::vector<uint32_t> inputs{data, weights.operand, bias};
  TOOLS_TRY(append(emitter, inputs, {padding_code(settings->padding), settings->stride_w, settings->stride_h}));
  if (channels != filter[3]) {
    if (settings->dilation_w != 1 || settings->dilation_h != 1) {
      return fail(op.where + ": NNAPI has no dilated convolution in groups");
    }
    TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(channels / filter[3]), activated.fuse_code()}));
    TOOLS_TRY(append_bools(emitter, inputs, {false}));
    return emit_activated(emitter, op, ANEURALNETWORKS_GROUPED_CONV_2D, inputs, activated);
  }
  TOOLS_TRY(append(emitter, inputs, {activated.fuse_code()}));
  TOOLS_TRY(append_dilations(emitter, inputs, *settings));
  return emit_activated(emitter, op, ANEURALNETWORKS_CONV_2D, inputs, activated);
}

Status emit_depthwise(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<ConvolutionOptions>(op));
  TOOLS_TRY(check_pictures(emitter, op, 0));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const Weights weights, emitter.weights(op, 1, data, 3));
  const uint32_t channels = emitter.input_tensor(op, 1).dimensions[3];
  const uint32_t depth = emitter.input_tensor(op, 0).dimensions[3];
  if (depth == 0 || channels % depth != 0) {
    return fail(fmt::format("{}: its {} output channels must be a multiple of its {} input channels", op.where, channels, depth));
  }
  // Computes the multiplier from the shapes, because converters disagree about depth_multiplier in the options.
  const auto multiplier = static_cast<int32_t>(channels / depth);
  TOOLS_ASSIGN(const uint32_t bias, emitter.bias(op, 2, data, weights, channels));
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, settings->activation));
  std::vector<uint32_t> inputs{data, weights.operand, bias};
  TOOLS_TRY(append(emitter, inputs,
                   {padding_code(settings->padding), settings->stride_w, settings->stride_h, multiplier, activated.fuse_code()}));
  TOOLS_TRY(append_dilations(emitter, inputs, *settings));
  return emit_activated(emitter, op, ANEURALNETWORKS_DEPTHWISE_CONV_2D, inputs, activated);
}

Status emit_transpose_convolution(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<ConvolutionOptions>(op));
  TOOLS_TRY(check_pictures(emitter, op, 2));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 2));
  TOOLS_ASSIGN(const Weights weights, emitter.weights(op, 1, data, 0));
  TOOLS_ASSIGN(const uint32_t bias, emitter.bias(op, 3, data, weights, emitter.input_tensor(op, 1).dimensions[0]));
  TOOLS_ASSIGN(const uint32_t shape, emitter.input(op, 0));
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, settings->activation));
  std::vector<uint32_t> inputs{data, weights.operand, bias, shape};
  TOOLS_TRY(
      append(emitter, inputs, {padding_code(settings->padding), settings->stride_w, settings->stride_h, activated.fuse_code()}));
  TOOLS_TRY(append_bools(emitter, inputs, {false}));
  return emit_activated(emitter, op, ANEURALNETWORKS_TRANSPOSE_CONV_2D, inputs, activated);
}

// Emits the layer as a convolution with kernels of one pixel, which NNAPI has with a scale per channel.
Status emit_as_convolution(Emitter& emitter, const Operator& op, uint32_t data, format::Activation activation) {
  const Tensor& filter = emitter.input_tensor(op, 1);
  const uint32_t units = filter.dimensions[0];
  const uint32_t depth = filter.dimensions[1];
  TOOLS_ASSIGN(const Weights weights, emitter.weights(op, 1, data, 0, {units, 1, 1, depth}));
  TOOLS_ASSIGN(const uint32_t bias, emitter.bias(op, 2, data, weights, units));
  OperandInfo info = emitter.builder().operand(data);
  const uint64_t elements = info.elements();
  if (depth == 0 || elements % depth != 0) return fail(op.where + ": the input's size does not fit the weights");
  const auto rows = static_cast<uint32_t>(elements / depth);
  TOOLS_ASSIGN(const uint32_t pixels, reshaped(emitter, op, data, {rows, 1, 1, depth}));
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, activation));
  std::vector<uint32_t> inputs{pixels, weights.operand, bias};
  TOOLS_TRY(append(emitter, inputs, {ANEURALNETWORKS_PADDING_VALID, 1, 1, activated.fuse_code()}));
  OperandInfo result = emitter.builder().operand(activated.target());
  const std::vector<uint32_t> shape = result.dimensions;
  result.dimensions = {rows, 1, 1, units};
  TOOLS_ASSIGN(const uint32_t convolved, emitter.emit_temporary(op, ANEURALNETWORKS_CONV_2D, inputs, result));
  TOOLS_ASSIGN(const uint32_t shape_operand, shape_constant(emitter, op, shape));
  return emit_activated(emitter, op, ANEURALNETWORKS_RESHAPE, {convolved, shape_operand}, activated);
}

Status emit_fully_connected(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* settings, options<FullyConnectedOptions>(op));
  if (settings->weights_format != format::WeightsFormat_DEFAULT)
    return fail(op.where + ": the importer does not support shuffled weights");
  TOOLS_ASSIGN(uint32_t data, emitter.input(op, 0));
  const Tensor& filter = emitter.input_tensor(op, 1);
  if (filter.dimensions.size() != 2) return fail(op.where + ": its weights must have 2 dimensions");
  const OperandInfo info = emitter.builder().operand(data);
  const bool is_signed = filter.type != format::TensorType_UINT8;
  if (is_quant8(info.type) && (filter.scales.size() > 1 || (is_signed && info.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM))) {
    return emit_as_convolution(emitter, op, data, settings->activation);
  }
  TOOLS_ASSIGN(const Weights weights, emitter.weights(op, 1, data, 0));
  const uint32_t units = filter.dimensions[0];
  TOOLS_ASSIGN(const uint32_t bias, emitter.bias(op, 2, data, weights, units));
  if (info.dimensions.size() == 1) {
    TOOLS_ASSIGN(data, reshaped(emitter, op, data, {1, info.dimensions[0]}));
  }
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, settings->activation));
  std::vector<uint32_t> inputs{data, weights.operand, bias};
  TOOLS_TRY(append(emitter, inputs, {activated.fuse_code()}));
  const OperandInfo target = emitter.builder().operand(activated.target());
  if (target.dimensions.size() == 2) return emit_activated(emitter, op, ANEURALNETWORKS_FULLY_CONNECTED, inputs, activated);
  // NNAPI's result always has two dimensions; the file's result may have the input's leading dimensions.
  if (units == 0 || target.elements() % units != 0) return fail(op.where + ": the output shape does not fit the weights");
  OperandInfo flat = target;
  flat.dimensions = {static_cast<uint32_t>(target.elements() / units), units};
  TOOLS_ASSIGN(const uint32_t rows, emitter.emit_temporary(op, ANEURALNETWORKS_FULLY_CONNECTED, inputs, flat));
  TOOLS_ASSIGN(const uint32_t shape, shape_constant(emitter, op, target.dimensions));
  return emit_activated(emitter, op, ANEURALNETWORKS_RESHAPE, {rows, shape}, activated);
}

// Returns the dimensions of two stacks of matrices, with the dimensions of the stack broadcast. NNAPI wants them equal.
Result<std::array<std::vector<uint32_t>, 2>> matched_stacks(const Operator& op, std::vector<uint32_t> a,
                                                            std::vector<uint32_t> b) {
  if (a.size() < 2 || b.size() < 2 || a.size() > 4 || b.size() > 4) {
    return fail(fmt::format("{}: NNAPI multiplies tensors of 2 to 4 dimensions, but its inputs have {} and {}", op.where,
                            a.size(), b.size()));
  }
  a = padded_rank(std::move(a), b.size());
  b = padded_rank(std::move(b), a.size());
  for (size_t d = 0; d + 2 < a.size(); ++d) {
    if (a[d] != b[d] && a[d] != 1 && b[d] != 1) {
      return fail(
          fmt::format("{}: its inputs [{}] and [{}] do not fit each other", op.where, fmt::join(a, ","), fmt::join(b, ",")));
    }
    a[d] = b[d] = std::max(a[d], b[d]);
  }
  return std::array{std::move(a), std::move(b)};
}

// Emits the product with one matrix for all of a stack: the stack becomes one tall matrix.
Status emit_tall_product(Emitter& emitter, const Operator& op, uint32_t stack, uint32_t matrix, bool adjoint) {
  const OperandInfo info = emitter.builder().operand(stack);
  const std::vector<uint32_t> sizes = emitter.builder().operand(matrix).dimensions;
  const uint32_t depth = info.dimensions.back();
  const auto rows = static_cast<uint32_t>(depth == 0 ? 0 : info.elements() / depth);  // 0: open
  TOOLS_ASSIGN(const uint32_t tall, reshaped(emitter, op, stack, {rows, depth}));
  TOOLS_ASSIGN(const uint32_t flat, reshaped(emitter, op, matrix, {sizes[sizes.size() - 2], sizes.back()}));
  std::vector<uint32_t> inputs{tall, flat};
  TOOLS_TRY(append_bools(emitter, inputs, {false, adjoint}));
  TOOLS_ASSIGN(OperandInfo product, emitter.operand_info(op.outputs[0]));
  product.dimensions = {rows, adjoint ? sizes[sizes.size() - 2] : sizes.back()};
  TOOLS_ASSIGN(const uint32_t result, emitter.emit_temporary(op, ANEURALNETWORKS_BATCH_MATMUL, inputs, product));
  return reshape_to_output(emitter, op, result, 0);
}

Status emit_batch_matmul(Emitter& emitter, const Operator& op) {
  const auto settings = options_or_defaults<BatchMatmulOptions>(op);
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  const bool in_float = out.type == ANEURALNETWORKS_TENSOR_FLOAT32 || out.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  std::vector<uint32_t> operands;
  for (const size_t i : {0U, 1U}) {
    TOOLS_ASSIGN(const uint32_t operand, in_float ? emitter.real_input(op, i) : emitter.input(op, i));
    operands.push_back(operand);
  }
  const std::vector<uint32_t> a = emitter.builder().operand(operands[0]).dimensions;
  const std::vector<uint32_t> b = emitter.builder().operand(operands[1]).dimensions;
  TOOLS_ASSIGN(const auto stacks, matched_stacks(op, a, b));
  const bool one_matrix = b.size() == 2 && a.size() > 2 && !settings.adjoint_x;
  if (one_matrix && out.type != ANEURALNETWORKS_TENSOR_QUANT8_ASYMM) {
    return emit_tall_product(emitter, op, operands[0], operands[1], settings.adjoint_y);
  }
  for (const size_t i : {0U, 1U}) {
    TOOLS_ASSIGN(operands[i], broadcast(emitter, op, operands[i], stacks[i]));
  }
  TOOLS_TRY(append_bools(emitter, operands, {settings.adjoint_x, settings.adjoint_y}));
  if (out.type != ANEURALNETWORKS_TENSOR_QUANT8_ASYMM) {  // NNAPI has signed 8-bit products only
    return emit_to_output(emitter, op, ANEURALNETWORKS_BATCH_MATMUL, operands);
  }
  TOOLS_ASSIGN(const uint32_t real,
               emitter.emit_temporary(op, ANEURALNETWORKS_BATCH_MATMUL, operands,
                                      {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = out.dimensions}));
  return emitter.real_to_output(op, real);
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_CONV_2D, emit_convolution, 2},
    {format::BuiltinOperator_DEPTHWISE_CONV_2D, emit_depthwise, 2},
    {format::BuiltinOperator_TRANSPOSE_CONV, emit_transpose_convolution, 3},
    {format::BuiltinOperator_FULLY_CONNECTED, emit_fully_connected, 2},
    {format::BuiltinOperator_BATCH_MATMUL, emit_batch_matmul, 2},
});

}  // namespace

std::span<const Row> layer_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
