// One function per TensorFlow Lite operator, or per group of similar operators, and a table of these functions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "importers/tflite/emitter.h"
#include "importers/tflite/operator_parts.h"
#include "tools/nnapi/half.h"

namespace nnvk::importers::tflite {
namespace {

Status emit_activated(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs,
                      const Activated& activated) {
  const uint32_t target = activated.target();
  TOOLS_TRY(emitter.emit(op, code, inputs, std::span(&target, 1)));
  return activated.end(emitter, op);
}

// ADD, SUB, MUL, DIV: two inputs with broadcast and a fused activation.
template <class Options, int32_t kCode>
Status emit_binary(Emitter& emitter, const Operator& op) {
  const auto* table = op.table->builtin_options_as<Options>();
  const auto activation = table ? table->activation() : format::Activation_NONE;
  TOOLS_ASSIGN(const uint32_t a, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t b, emitter.input(op, 1));
  std::vector<uint32_t> inputs{a, b};
  const OperandInfo a_info = emitter.builder().operand(a);
  const OperandInfo b_info = emitter.builder().operand(b);
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  // NNAPI has no 8-bit DIV, and its 8-bit MUL requires an output scale above the product of the input scales.
  const bool in_float = is_quant8(out.type) && (kCode == ANEURALNETWORKS_DIV ||
                                                (kCode == ANEURALNETWORKS_MUL && out.scale <= a_info.scale * b_info.scale));
  if (in_float) {
    if (activation == format::Activation_TANH || activation == format::Activation_SIGN_BIT) {
      return fail(op.where + ": this activation on 8-bit data is not supported");
    }
    TOOLS_TRY(append(emitter, inputs, {static_cast<int32_t>(activation)}));  // NONE to RELU6 have NNAPI's numbers
    return emitter.emit_in_float(op, kCode, std::move(inputs), 2);
  }
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, activation));
  TOOLS_TRY(append(emitter, inputs, {activated.fuse_code()}));
  return emit_activated(emitter, op, kCode, inputs, activated);
}

// Translates operators with one input whose output has its own quantization.
template <int32_t kCode>
Status emit_unary(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  return emit_to_output(emitter, op, kCode, {input});
}

// One input, output of the same quantization.
template <int32_t kCode>
Status emit_clamp(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  return emitter.emit_same_quantization(op, kCode, {input});
}

// LOGISTIC, TANH and SOFTMAX must have a fixed 8-bit output quantization in NNAPI; with another one, they are computed in float.
Status emit_fixed_output(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs) {
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  const bool has_negative_results = code == ANEURALNETWORKS_TANH;
  const float scale = has_negative_results ? 1.0f / 128 : 1.0f / 256;
  const int32_t unsigned_zero_point = has_negative_results ? 128 : 0;
  const int32_t zero_point = out.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ? unsigned_zero_point : unsigned_zero_point - 128;
  if (is_quant8(out.type) && (out.scale != scale || out.zero_point != zero_point)) {
    return emitter.emit_in_float(op, code, inputs, 1);
  }
  return emit_to_output(emitter, op, code, inputs);
}

Status emit_logistic(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  return emit_fixed_output(emitter, op, ANEURALNETWORKS_LOGISTIC, {input});
}

Status emit_tanh(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  return emit_fixed_output(emitter, op, ANEURALNETWORKS_TANH, {input});
}

Status emit_softmax(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::SoftmaxOptions>(op));
  TOOLS_ASSIGN(const uint32_t input, emitter.input(op, 0));
  if (emitter.builder().operand(input).type == ANEURALNETWORKS_TENSOR_FLOAT16) {
    TOOLS_ASSIGN(const uint32_t beta, emitter.builder().add_operand({.type = ANEURALNETWORKS_FLOAT16, .dimensions = {}}));
    const uint16_t bits = tools::float_to_half(table->beta());
    TOOLS_TRY(emitter.builder().set_owned_value(beta, {static_cast<uint8_t>(bits & 0xff), static_cast<uint8_t>(bits >> 8)}));
    return emit_to_output(emitter, op, ANEURALNETWORKS_SOFTMAX, {input, beta});
  }
  TOOLS_ASSIGN(const uint32_t beta, emitter.builder().add_float32(table->beta()));
  return emit_fixed_output(emitter, op, ANEURALNETWORKS_SOFTMAX, {input, beta});
}

Status emit_convolution(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::Conv2DOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const Weights weights, emitter.weights(op, 1, data, 0));
  const auto& filter = emitter.input_tensor(op, 1);
  if (filter.dimensions.size() != 4) return fail(op.where + ": weights must have 4 dimensions");
  TOOLS_ASSIGN(const uint32_t bias, emitter.bias(op, 2, data, weights, filter.dimensions[0]));
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, table->activation()));
  std::vector<uint32_t> inputs{data, weights.operand, bias};
  TOOLS_TRY(
      append(emitter, inputs, {padding_code(table->padding()), table->stride_w(), table->stride_h(), activated.fuse_code()}));
  if (table->dilation_w() != 1 || table->dilation_h() != 1) {
    TOOLS_TRY(append_bools(emitter, inputs, {false}));
    TOOLS_TRY(append(emitter, inputs, {table->dilation_w(), table->dilation_h()}));
  }
  return emit_activated(emitter, op, ANEURALNETWORKS_CONV_2D, inputs, activated);
}

Status emit_depthwise(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::DepthwiseConv2DOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const Weights weights, emitter.weights(op, 1, data, 3));
  const auto& filter = emitter.input_tensor(op, 1);
  const auto& picture = emitter.input_tensor(op, 0);
  if (filter.dimensions.size() != 4 || picture.dimensions.size() != 4) {
    return fail(op.where + ": input and weights must have 4 dimensions");
  }
  const uint32_t channels = filter.dimensions[3];
  if (picture.dimensions[3] == 0 || channels % picture.dimensions[3] != 0) {
    return fail(
        fmt::format("{}: {} output channels are not a multiple of {} input channels", op.where, channels, picture.dimensions[3]));
  }
  // Computes the multiplier from the shapes, because converters disagree about depth_multiplier in the options.
  const auto multiplier = static_cast<int32_t>(channels / picture.dimensions[3]);
  TOOLS_ASSIGN(const uint32_t bias, emitter.bias(op, 2, data, weights, channels));
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, table->activation()));
  std::vector<uint32_t> inputs{data, weights.operand, bias};
  TOOLS_TRY(append(emitter, inputs,
                   {padding_code(table->padding()), table->stride_w(), table->stride_h(), multiplier, activated.fuse_code()}));
  if (table->dilation_w() != 1 || table->dilation_h() != 1) {
    TOOLS_TRY(append_bools(emitter, inputs, {false}));
    TOOLS_TRY(append(emitter, inputs, {table->dilation_w(), table->dilation_h()}));
  }
  return emit_activated(emitter, op, ANEURALNETWORKS_DEPTHWISE_CONV_2D, inputs, activated);
}

Status emit_transpose_convolution(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::TransposeConvOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 2));
  TOOLS_ASSIGN(const Weights weights, emitter.weights(op, 1, data, 0));
  const auto& filter = emitter.input_tensor(op, 1);
  if (filter.dimensions.size() != 4) return fail(op.where + ": weights must have 4 dimensions");
  TOOLS_ASSIGN(const uint32_t bias, emitter.bias(op, 3, data, weights, filter.dimensions[0]));
  TOOLS_ASSIGN(const uint32_t shape, emitter.input(op, 0));
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, table->activation()));
  std::vector<uint32_t> inputs{data, weights.operand, bias, shape};
  TOOLS_TRY(
      append(emitter, inputs, {padding_code(table->padding()), table->stride_w(), table->stride_h(), activated.fuse_code()}));
  TOOLS_TRY(append_bools(emitter, inputs, {false}));
  return emit_activated(emitter, op, ANEURALNETWORKS_TRANSPOSE_CONV_2D, inputs, activated);
}

template <int32_t kCode>
Status emit_pool(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::Pool2DOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  if (table->activation() == format::Activation_TANH || table->activation() == format::Activation_SIGN_BIT) {
    return fail(op.where + ": this activation is not supported");
  }
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs,
                   {padding_code(table->padding()), table->stride_w(), table->stride_h(), table->filter_width(),
                    table->filter_height(), static_cast<int32_t>(table->activation())}));
  return emitter.emit_same_quantization(op, kCode, std::move(inputs));
}

Status emit_fully_connected(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::FullyConnectedOptions>(op));
  if (table->weights_format() != format::WeightsFormat_DEFAULT) return fail(op.where + ": shuffled weights are not supported");
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  const auto& filter = emitter.input_tensor(op, 1);
  if (filter.dimensions.size() != 2) return fail(op.where + ": weights must have 2 dimensions");
  TOOLS_ASSIGN(const Weights weights, emitter.weights(op, 1, data, 0));
  if (weights.per_channel) return fail(op.where + ": NNAPI has no dense layer with a scale per channel");
  const uint32_t units = filter.dimensions[0];
  TOOLS_ASSIGN(const uint32_t bias, emitter.bias(op, 2, data, weights, units));
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, table->activation()));
  std::vector<uint32_t> inputs{data, weights.operand, bias};
  TOOLS_TRY(append(emitter, inputs, {activated.fuse_code()}));
  const OperandInfo target = emitter.builder().operand(activated.target());
  if (target.dimensions.size() == 2) return emit_activated(emitter, op, ANEURALNETWORKS_FULLY_CONNECTED, inputs, activated);
  // NNAPI's result always has two dimensions; the file's result may have the input's leading dimensions.
  if (units == 0 || target.elements() % units != 0) return fail(op.where + ": the output shape does not fit the weights");
  OperandInfo flat = target;
  flat.dimensions = {static_cast<uint32_t>(target.elements() / units), units};
  TOOLS_ASSIGN(const uint32_t rows, emitter.temporary(flat));
  TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_FULLY_CONNECTED, inputs, std::span(&rows, 1)));
  const std::vector<int32_t> shape(target.dimensions.begin(), target.dimensions.end());
  TOOLS_ASSIGN(const uint32_t shape_operand, emitter.builder().add_int32_tensor(shape));
  return emit_activated(emitter, op, ANEURALNETWORKS_RESHAPE, {rows, shape_operand}, activated);
}

Status emit_concatenation(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::ConcatenationOptions>(op));
  std::vector<uint32_t> inputs;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.input(op, i));
    inputs.push_back(operand);
  }
  const auto rank = static_cast<int32_t>(emitter.output_tensor(op).dimensions.size());
  const int32_t axis = table->axis() < 0 ? table->axis() + rank : table->axis();
  if (!inputs.empty() && emitter.builder().operand(inputs[0]).type == ANEURALNETWORKS_TENSOR_INT32) {
    if (table->activation() != format::Activation_NONE) return fail(op.where + ": integers with an activation");
    return emit_integer_concatenation(emitter, op, inputs, axis);
  }
  TOOLS_TRY(append(emitter, inputs, {axis}));
  TOOLS_ASSIGN(const Activated activated, Activated::begin(emitter, op, table->activation(), false));
  return emit_activated(emitter, op, ANEURALNETWORKS_CONCATENATION, inputs, activated);
}

Status emit_depth_to_space(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::DepthToSpaceOptions>(op));
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {table->block_size()}));
  return emitter.emit_same_quantization(op, ANEURALNETWORKS_DEPTH_TO_SPACE, std::move(inputs));
}

Status emit_reshape(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  // The file contains the result's shape; a tensor of rank 0 becomes one element.
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  const std::vector<int32_t> shape(out.dimensions.begin(), out.dimensions.end());
  TOOLS_ASSIGN(const uint32_t shape_operand, emitter.builder().add_int32_tensor(shape));
  return emitter.emit_same_quantization(op, ANEURALNETWORKS_RESHAPE, {data, shape_operand});
}

Status emit_squeeze(Emitter& emitter, const Operator& op) {
  const auto* table = op.table->builtin_options_as<format::SqueezeOptions>();
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  const auto rank = static_cast<int32_t>(emitter.builder().operand(data).dimensions.size());
  std::vector<int32_t> axes;
  if (table && table->squeeze_dims()) {
    for (const int32_t axis : *table->squeeze_dims()) axes.push_back(axis < 0 ? axis + rank : axis);
  }
  Result<uint32_t> axes_operand = axes.empty()
                                      ? emitter.builder().add_omitted({.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = {0}})
                                      : emitter.builder().add_int32_tensor(axes);
  if (!axes_operand) return fail(op.where + ": " + axes_operand.error().message);
  return emitter.emit_same_quantization(op, ANEURALNETWORKS_SQUEEZE, {data, *axes_operand});
}

// Translates operators that pass all inputs on unchanged: TRANSPOSE, SLICE, PAD.
template <int32_t kCode, size_t kInputs>
Status emit_passed_on(Emitter& emitter, const Operator& op) {
  std::vector<uint32_t> inputs;
  for (size_t i = 0; i < kInputs; ++i) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.input(op, i));
    inputs.push_back(operand);
  }
  return emitter.emit_same_quantization(op, kCode, std::move(inputs));
}

Status emit_pad_v2(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t paddings, emitter.input(op, 1));
  if (!Emitter::has_input(op, 2)) return fail(op.where + ": input 2 is missing");
  const auto& value = emitter.input_tensor(op, 2);
  if (!value.constant() || value.elements() != 1) return fail(op.where + ": the padding value must be one constant");
  const OperandInfo info = emitter.builder().operand(data);
  OperandInfo scalar{.type = ANEURALNETWORKS_FLOAT32, .dimensions = {}};
  std::vector<uint8_t> bytes(value.data.begin(), value.data.end());
  if (is_quant8(info.type)) {
    scalar.type = ANEURALNETWORKS_INT32;
    const int32_t stored = info.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ? bytes[0] : static_cast<int8_t>(bytes[0]);
    bytes.resize(sizeof stored);
    std::memcpy(bytes.data(), &stored, sizeof stored);
  } else if (info.type == ANEURALNETWORKS_TENSOR_FLOAT16) {
    scalar.type = ANEURALNETWORKS_FLOAT16;
  }
  if (bytes.size() != tools::element_size(scalar.type))
    return fail(op.where + ": the padding value has another type than the data");
  TOOLS_ASSIGN(const uint32_t value_operand, emitter.builder().add_operand(scalar));
  TOOLS_TRY(emitter.builder().set_owned_value(value_operand, std::move(bytes)));
  TOOLS_ASSIGN(const OperandInfo out, emitter.operand_info(op.outputs[0]));
  if (is_quant8(out.type) && !info.same_quantization(out)) return fail(op.where + ": input and output quantization differ");
  return emit_to_output(emitter, op, ANEURALNETWORKS_PAD_V2, {data, paddings, value_operand});
}

Status emit_mean(Emitter& emitter, const Operator& op) {
  const auto* table = op.table->builtin_options_as<format::ReducerOptions>();
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t axes, emitter.input(op, 1));
  std::vector<uint32_t> inputs{data, axes};
  TOOLS_TRY(append(emitter, inputs, {table && table->keep_dims() ? 1 : 0}));
  return emitter.emit_same_quantization(op, ANEURALNETWORKS_MEAN, std::move(inputs));
}

Status emit_strided_slice(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const auto* table, options<format::StridedSliceOptions>(op));
  if (table->ellipsis_mask() != 0 || table->new_axis_mask() != 0) {
    return fail(op.where + ": ellipsis and new-axis masks are not supported");
  }
  std::vector<uint32_t> inputs;
  for (size_t i = 0; i < 4; ++i) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.input(op, i));
    inputs.push_back(operand);
  }
  TOOLS_TRY(append(emitter, inputs, {table->begin_mask(), table->end_mask(), table->shrink_axis_mask()}));
  return emitter.emit_same_quantization(op, ANEURALNETWORKS_STRIDED_SLICE, std::move(inputs));
}

template <class Options, int32_t kCode>
Status emit_resize(Emitter& emitter, const Operator& op) {
  const auto* table = op.table->builtin_options_as<Options>();
  const bool align_corners = table && table->align_corners();
  const bool half_pixel_centers = table && table->half_pixel_centers();
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const auto size, emitter.integers(op, 1));
  if (size.size() != 2) return fail(op.where + ": the size must be two integers");
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {size[1], size[0]}));
  TOOLS_TRY(append_bools(emitter, inputs, {false}));
  if (align_corners || half_pixel_centers) TOOLS_TRY(append_bools(emitter, inputs, {align_corners, half_pixel_centers}));
  return emitter.emit_same_quantization(op, kCode, std::move(inputs));
}

Status emit_quantize(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(uint32_t data, emitter.input(op, 0));
  const OperandInfo info = emitter.builder().operand(data);
  if (is_quant8(info.type)) {  // from one quantization to another
    TOOLS_ASSIGN(const uint32_t real, emitter.temporary({.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = info.dimensions}));
    TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_DEQUANTIZE, std::span(&data, 1), std::span(&real, 1)));
    data = real;
  }
  return emit_to_output(emitter, op, ANEURALNETWORKS_QUANTIZE, {data});
}

Status emit_dequantize(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  // Files with float16 weights widen them at run time. In NNAPI that is a cast, which compilation folds.
  const bool widens = emitter.builder().operand(data).type == ANEURALNETWORKS_TENSOR_FLOAT16;
  return emit_to_output(emitter, op, widens ? ANEURALNETWORKS_CAST : ANEURALNETWORKS_DEQUANTIZE, {data});
}

Status emit_arg_max(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const auto axis, emitter.integers(op, 1));
  if (axis.size() != 1) return fail(op.where + ": the axis must be one integer");
  std::vector<uint32_t> inputs{data};
  TOOLS_TRY(append(emitter, inputs, {axis[0]}));
  return emit_to_output(emitter, op, ANEURALNETWORKS_ARGMAX, inputs);
}

Status emit_prelu(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t alpha, emitter.input(op, 1));
  return emit_to_output(emitter, op, ANEURALNETWORKS_PRELU, {data, alpha});
}

struct Row {
  format::BuiltinOperator code;
  Status (*emit)(Emitter&, const Operator&);
  size_t inputs = 1;       // how many leading inputs are required
  bool one_output = true;  // false: the function checks their number
};

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_ADD, emit_binary<format::AddOptions, ANEURALNETWORKS_ADD>, 2},
    {format::BuiltinOperator_SUB, emit_binary<format::SubOptions, ANEURALNETWORKS_SUB>, 2},
    {format::BuiltinOperator_MUL, emit_binary<format::MulOptions, ANEURALNETWORKS_MUL>, 2},
    {format::BuiltinOperator_DIV, emit_binary<format::DivOptions, ANEURALNETWORKS_DIV>, 2},
    {format::BuiltinOperator_CONV_2D, emit_convolution, 2},
    {format::BuiltinOperator_DEPTHWISE_CONV_2D, emit_depthwise, 2},
    {format::BuiltinOperator_TRANSPOSE_CONV, emit_transpose_convolution, 3},
    {format::BuiltinOperator_AVERAGE_POOL_2D, emit_pool<ANEURALNETWORKS_AVERAGE_POOL_2D>},
    {format::BuiltinOperator_MAX_POOL_2D, emit_pool<ANEURALNETWORKS_MAX_POOL_2D>},
    {format::BuiltinOperator_FULLY_CONNECTED, emit_fully_connected, 2},
    {format::BuiltinOperator_CONCATENATION, emit_concatenation},
    {format::BuiltinOperator_DEPTH_TO_SPACE, emit_depth_to_space},
    {format::BuiltinOperator_RESHAPE, emit_reshape},
    {format::BuiltinOperator_SQUEEZE, emit_squeeze},
    {format::BuiltinOperator_TRANSPOSE, emit_passed_on<ANEURALNETWORKS_TRANSPOSE, 2>, 2},
    {format::BuiltinOperator_SLICE, emit_passed_on<ANEURALNETWORKS_SLICE, 3>, 3},
    {format::BuiltinOperator_PAD, emit_passed_on<ANEURALNETWORKS_PAD, 2>, 2},
    {format::BuiltinOperator_PADV2, emit_pad_v2, 3},
    {format::BuiltinOperator_STRIDED_SLICE, emit_strided_slice},
    {format::BuiltinOperator_SOFTMAX, emit_softmax},
    {format::BuiltinOperator_LOGISTIC, emit_logistic},
    {format::BuiltinOperator_TANH, emit_tanh},
    {format::BuiltinOperator_RELU, emit_clamp<ANEURALNETWORKS_RELU>},
    {format::BuiltinOperator_RELU_N1_TO_1, emit_clamp<ANEURALNETWORKS_RELU1>},
    {format::BuiltinOperator_RELU6, emit_clamp<ANEURALNETWORKS_RELU6>},
    {format::BuiltinOperator_HARD_SWISH, emit_unary<ANEURALNETWORKS_HARD_SWISH>},
    {format::BuiltinOperator_PRELU, emit_prelu, 2},
    {format::BuiltinOperator_MEAN, emit_mean, 2},
    {format::BuiltinOperator_ARG_MAX, emit_arg_max, 2},
    {format::BuiltinOperator_RESIZE_BILINEAR, emit_resize<format::ResizeBilinearOptions, ANEURALNETWORKS_RESIZE_BILINEAR>, 2},
    {format::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR,
     emit_resize<format::ResizeNearestNeighborOptions, ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR>, 2},
    {format::BuiltinOperator_QUANTIZE, emit_quantize},
    {format::BuiltinOperator_DEQUANTIZE, emit_dequantize},
    {format::BuiltinOperator_CAST, emit_unary<ANEURALNETWORKS_CAST>},
    {format::BuiltinOperator_SQRT, emit_unary<ANEURALNETWORKS_SQRT>},
    {format::BuiltinOperator_FLOOR_DIV, emit_floor_div, 2},
    {format::BuiltinOperator_PACK, emit_pack},
    {format::BuiltinOperator_UNPACK, emit_unpack, 1, false},
    {format::BuiltinOperator_GATHER_ND, emit_gather_nd, 2},
    {format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, emit_unidirectional_lstm},
    {format::BuiltinOperator_CUSTOM, emit_custom, 0, false},
});

}  // namespace

Status emit_operator(Emitter& emitter, const Operator& op) {
  const auto row = std::ranges::find(kRows, op.code, [](const Row& r) { return static_cast<int32_t>(r.code); });
  if (row == kRows.end()) {
    return fail(op.where + ": this operator is not supported; `nnvk run --help` lists those that are");
  }
  if (row->one_output && op.outputs.size() != 1)
    return fail(fmt::format("{}: {} outputs instead of 1", op.where, op.outputs.size()));
  for (size_t position = 0; position < row->inputs; ++position) {
    if (!Emitter::has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  }
  return row->emit(emitter, op);
}

}  // namespace nnvk::importers::tflite
