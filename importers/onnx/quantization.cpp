// Scales and zero points between ONNX and NNAPI.
#include "importers/onnx/quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/filter_order.h"
#include "importers/onnx/lowering.h"
#include "importers/onnx/movement.h"

namespace nnvk::importers::onnx {
namespace {

struct PlacesRow {
  const char* op_type;
  size_t position;
  ParameterPlaces places;
};

constexpr PlacesRow kPlaces[] = {
    {"DequantizeLinear", 0, {1, 2}}, {"QLinearConv", 0, {1, 2}},        {"QLinearMatMul", 0, {1, 2}},
    {"QLinearMatMul", 3, {4, 5}},    {"QLinearAdd", 0, {1, 2}},         {"QLinearAdd", 3, {4, 5}},
    {"QLinearMul", 0, {1, 2}},       {"QLinearMul", 3, {4, 5}},         {"QLinearSigmoid", 0, {1, 2}},
    {"QLinearLeakyRelu", 0, {1, 2}}, {"QLinearAveragePool", 0, {1, 2}}, {"QLinearGlobalAveragePool", 0, {1, 2}},
};

// Emits parameters of rank 1 in a shape that broadcasts along the axis of a tensor.
Result<Tensor> along_axis(Emitter& emitter, const Tensor& parameter, const Tensor& tensor, int64_t axis) {
  if (parameter.rank() == 0 || (parameter.fixed() && element_count(parameter.dimensions) == 1)) {
    return reshape(emitter, parameter, {});
  }
  if (parameter.rank() != 1) return fail("the importer does not support blocked quantization");
  Dimensions shape(tensor.rank() - static_cast<size_t>(axis), 1);
  shape[0] = parameter.dimensions[0];
  return reshape(emitter, parameter, std::move(shape));
}

// Returns the axis of a tensor's parameters, counted from 0; 0 if they have only one element, whatever the attribute is.
Result<int64_t> parameter_axis(const Tensor& parameter, const Tensor& tensor, int64_t axis) {
  if (parameter.rank() == 0 || (parameter.fixed() && element_count(parameter.dimensions) == 1)) return 0;
  return checked_axis(axis, tensor.rank());
}

// Emits stored integers as real numbers, without any scale.
Result<Tensor> stored_integers(Emitter& emitter, const Tensor& tensor) {
  return cast(emitter, tensor, ANEURALNETWORKS_TENSOR_FLOAT32);
}

Result<std::vector<double>> real_values(const Quantized& quantized) {
  const Constant& constant = *quantized.tensor.constant;
  TOOLS_ASSIGN(auto values, reals_of(constant));
  const Dimensions& shape = constant.dimensions;
  const auto axis = static_cast<size_t>(quantized.axis);
  const size_t inner = quantized.per_axis() ? element_count({shape.begin() + quantized.axis + 1, shape.end()}) : 1;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t c = quantized.per_axis() ? i / inner % static_cast<size_t>(shape[axis]) : 0;
    values[i] = (values[i] - static_cast<double>(quantized.zero_points[c])) * static_cast<double>(quantized.scales[c]);
  }
  return values;
}

// Converts UINT8 to INT8 or back: the stored integers and zero points move by 128.
ConstantPointer other_signedness(const Constant& constant) {
  std::vector<std::byte> bytes(constant.bytes.begin(), constant.bytes.end());
  for (std::byte& byte : bytes) byte ^= std::byte{0x80};
  const auto type = constant.type == ElementType::kUint8 ? ElementType::kInt8 : ElementType::kUint8;
  return raw_constant(type, constant.dimensions, std::move(bytes));
}

}  // namespace

bool is_usable_scale(float scale) { return std::isfinite(scale) && scale > 0; }

std::optional<ParameterPlaces> parameter_places(const Node& node, size_t position) {
  for (const PlacesRow& row : kPlaces) {
    if (node.op_type == row.op_type && position == row.position) return row.places;
  }
  return std::nullopt;
}

bool clips_to_six(const Lowering& lowering, const Node& node) {
  std::vector<double> bounds;
  for (const size_t i : {size_t{1}, size_t{2}}) {
    const auto constant = i < node.inputs.size() && node.inputs[i] >= 0 ? lowering.constant(node.inputs[i]) : nullptr;
    if (!constant || constant->elements() != 1) break;
    if (const auto values = reals_of(*constant)) bounds.push_back((*values)[0]);
  }
  for (const char* name : {"min", "max"}) {
    for (const Attribute& attribute : node.attributes) {
      const auto* value = std::get_if<float>(&attribute.value);
      if (attribute.name == name && value) bounds.push_back(static_cast<double>(*value));
    }
  }
  return bounds == std::vector<double>{0, 6};
}

Result<std::optional<Quantized>> quantized_input(OperatorCall& call, size_t position, size_t scale, size_t zero_point,
                                                 int64_t axis) {
  TOOLS_ASSIGN(Tensor tensor, call.input(position));
  TOOLS_ASSIGN(const Tensor scale_tensor, call.input(scale));
  std::optional<Tensor> zero_tensor;
  if (call.has(zero_point)) {
    TOOLS_ASSIGN(zero_tensor, call.input(zero_point));
  }
  if (!scale_tensor.constant || (zero_tensor && !zero_tensor->constant)) return std::nullopt;
  if (scale_tensor.constant->type != ElementType::kFloat) return fail("the scale must be of type FLOAT");
  Quantized result{.tensor = tensor, .scales = {}, .zero_points = {}, .axis = 0};
  TOOLS_ASSIGN(const auto scales, reals_of(*scale_tensor.constant));
  for (const double value : scales) {
    if (!is_usable_scale(static_cast<float>(value)))
      return fail(fmt::format("scales must be finite and above 0, but one is {}", value));
    result.scales.push_back(static_cast<float>(value));
  }
  result.zero_points.assign(scales.size(), 0);
  if (zero_tensor) {
    TOOLS_ASSIGN(result.zero_points, integers_of(*zero_tensor->constant));
    if (result.zero_points.size() != scales.size()) {
      return fail(fmt::format("it must have as many zero points as scales, but has {} scales and {} zero points", scales.size(),
                              result.zero_points.size()));
    }
  }
  if (result.per_axis()) {
    if (scale_tensor.rank() != 1) return fail("the importer does not support blocked quantization");
    TOOLS_ASSIGN(result.axis, checked_axis(axis, tensor.rank()));
    const int64_t size = tensor.dimensions[static_cast<size_t>(result.axis)];
    if (size >= 0 && size != static_cast<int64_t>(scales.size())) {
      return fail(fmt::format("{} scales do not fit axis {} of {}", scales.size(), result.axis, describe(tensor)));
    }
  } else if (scales.empty()) {
    return fail("the scale must have at least one element");
  } else if (tensor.is_8bit()) {
    TOOLS_ASSIGN(result.tensor,
                 with_quantization(call.emitter(), tensor, result.scales[0], static_cast<int32_t>(result.zero_points[0])));
  }
  return result;
}

Result<Tensor> dequantized(Emitter& emitter, const Quantized& quantized) {
  const Tensor& tensor = quantized.tensor;
  if (tensor.constant) {
    TOOLS_TRY(emitter.take_bytes(tensor.constant->elements() * (sizeof(double) + sizeof(float)), "dequantized weights"));
    TOOLS_ASSIGN(const auto values, real_values(quantized));
    return Emitter::constant(real_constant(ElementType::kFloat, tensor.dimensions, values));
  }
  if (!tensor.is_8bit() && !tensor.is_int()) return fail("NNAPI does not quantize " + describe(tensor));
  if (tensor.stored && !quantized.per_axis()) {
    Quantized plain = quantized;
    plain.tensor = tensor.as_stored();
    TOOLS_ASSIGN(const Tensor result, dequantized(emitter, plain));
    return result.viewed(tensor.dimensions);
  }
  if (!quantized.per_axis() && tensor.is_8bit()) {
    if (tensor.rank() > 4) return fail("NNAPI dequantizes at most 4 dimensions, but the tensor is " + describe(tensor));
    return emitter.operation(ANEURALNETWORKS_DEQUANTIZE, {tensor}, tensor.typed(ANEURALNETWORKS_TENSOR_FLOAT32));
  }
  TOOLS_ASSIGN(const Tensor stored, stored_integers(emitter, tensor));
  const std::vector<double> zeros(quantized.zero_points.begin(), quantized.zero_points.end());
  const std::vector<double> scales(quantized.scales.begin(), quantized.scales.end());
  TOOLS_ASSIGN(const Tensor zero, along_axis(emitter, Emitter::numbers(zeros, stored), tensor, quantized.axis));
  TOOLS_ASSIGN(const Tensor scale, along_axis(emitter, Emitter::numbers(scales, stored), tensor, quantized.axis));
  TOOLS_ASSIGN(const Tensor difference, binary(emitter, ANEURALNETWORKS_SUB, stored, zero));
  return binary(emitter, ANEURALNETWORKS_MUL, difference, scale);
}

Result<Tensor> dequantized_input(OperatorCall& call, size_t position, size_t scale, size_t zero_point, int64_t axis) {
  TOOLS_ASSIGN(const auto known, quantized_input(call, position, scale, zero_point, axis));
  Emitter& emitter = call.emitter();
  if (known) return dequantized(emitter, *known);
  TOOLS_ASSIGN(const Tensor tensor, call.input(position));
  TOOLS_ASSIGN(const Tensor scale_tensor, call.input(scale));
  TOOLS_ASSIGN(const int64_t at, parameter_axis(scale_tensor, tensor, axis));
  if (scale_tensor.type != ANEURALNETWORKS_TENSOR_FLOAT32) return fail("the scale must be of type FLOAT");
  TOOLS_ASSIGN(Tensor result, stored_integers(emitter, tensor));
  if (call.has(zero_point)) {
    TOOLS_ASSIGN(const Tensor stored_zero, call.input(zero_point));
    TOOLS_ASSIGN(const Tensor zero, stored_integers(emitter, stored_zero));
    TOOLS_ASSIGN(const Tensor placed, along_axis(emitter, zero, tensor, at));
    TOOLS_ASSIGN(result, binary(emitter, ANEURALNETWORKS_SUB, result, placed));
  }
  TOOLS_ASSIGN(const Tensor factor, along_axis(emitter, scale_tensor, tensor, at));
  return binary(emitter, ANEURALNETWORKS_MUL, result, factor);
}

Result<ResultQuantization> result_quantization(OperatorCall& call, size_t scale, size_t zero_point) {
  ResultQuantization result;
  TOOLS_ASSIGN(result.scale_tensor, call.input(scale));
  if (result.scale_tensor.type != ANEURALNETWORKS_TENSOR_FLOAT32) return fail("the scale must be of type FLOAT");
  if (call.has(zero_point)) {
    TOOLS_ASSIGN(result.zero_tensor, call.input(zero_point));
    result.type = result.zero_tensor->type;
  } else {
    TOOLS_ASSIGN(const int64_t type, call.integer("output_dtype", 0));
    if (type != 0) result.type = nnapi_type(static_cast<ElementType>(type));
  }
  if (!is_quant8(result.type)) return fail("NNAPI quantizes to UINT8 and INT8 only");
  const bool known = result.scale_tensor.constant && (!result.zero_tensor || result.zero_tensor->constant);
  if (!known || result.scale_tensor.constant->elements() != 1) return result;
  TOOLS_ASSIGN(const auto scales, reals_of(*result.scale_tensor.constant));
  if (!is_usable_scale(static_cast<float>(scales[0])))
    return fail(fmt::format("scales must be finite and above 0, but one is {}", scales[0]));
  if (result.zero_tensor) {
    TOOLS_ASSIGN(const auto zeros, integers_of(*result.zero_tensor->constant));
    if (zeros.size() != 1) return fail(fmt::format("it must have one zero point, as it has one scale, but has {}", zeros.size()));
    result.zero_point = static_cast<int32_t>(zeros[0]);
  }
  result.scale = static_cast<float>(scales[0]);
  return result;
}

Result<Tensor> quantize(Emitter& emitter, const Tensor& given, const ResultQuantization& parameters, int64_t axis) {
  TOOLS_ASSIGN(const Tensor input, given.is_int() ? cast(emitter, given, ANEURALNETWORKS_TENSOR_FLOAT32) : Result<Tensor>(given));
  if (!input.is_float()) return fail("NNAPI quantizes only real numbers, but the tensor is " + describe(given));
  if (parameters.scale) {
    Tensor result = input.typed(parameters.type);
    result.scale = *parameters.scale;
    result.zero_point = parameters.zero_point;
    return emitter.operation(ANEURALNETWORKS_QUANTIZE, {input}, result);
  }
  TOOLS_ASSIGN(const int64_t at, parameter_axis(parameters.scale_tensor, input, axis));
  TOOLS_ASSIGN(const Tensor scale, along_axis(emitter, parameters.scale_tensor, input, at));
  TOOLS_ASSIGN(const Tensor quotient, binary(emitter, ANEURALNETWORKS_DIV, input, scale));
  TOOLS_ASSIGN(Tensor rounded, round_to_even(emitter, quotient));
  if (parameters.zero_tensor) {
    TOOLS_ASSIGN(const Tensor stored_zero, stored_integers(emitter, *parameters.zero_tensor));
    TOOLS_ASSIGN(const Tensor zero, along_axis(emitter, stored_zero, input, at));
    TOOLS_ASSIGN(rounded, binary(emitter, ANEURALNETWORKS_ADD, rounded, zero));
  }
  return emitter.operation(ANEURALNETWORKS_QUANTIZE, {rounded}, rounded.typed(parameters.type));
}

Result<std::optional<LayerWeights>> layer_weights(Emitter& emitter, const Quantized& given, int32_t data_type,
                                                  const WeightOrder& order) {
  Quantized weights = given;
  if (!weights.tensor.constant || !weights.tensor.is_8bit()) return std::nullopt;
  if (weights.per_axis() && weights.axis != order.channel_axis) return std::nullopt;
  const auto flip = [&] {
    const bool to_signed = weights.tensor.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    weights.tensor = Emitter::constant(other_signedness(*weights.tensor.constant));
    for (int64_t& zero : weights.zero_points) zero += to_signed ? -128 : 128;
  };
  constexpr int32_t kSigned = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  const auto symmetric = [&] { return std::ranges::all_of(weights.zero_points, [](int64_t zero) { return zero == 0; }); };
  bool per_channel = weights.per_axis();
  if (per_channel) {
    if (weights.tensor.type != kSigned) flip();
    if (!order.per_channel || !symmetric()) return std::nullopt;
  } else if (weights.tensor.type != data_type) {
    per_channel = order.per_channel && weights.tensor.type == kSigned && symmetric();  // keeps the sign
    if (!per_channel) flip();
  }
  LayerWeights result{.tensor = {}, .scales = weights.scales, .per_channel = per_channel};
  const auto put_in_order = order.is_filter ? transpose_filter : transpose;
  TOOLS_ASSIGN(const Tensor ordered, put_in_order(emitter, weights.tensor, order.permutation));
  if (!per_channel) {
    result.tensor = ordered;
    result.tensor.scale = weights.scales[0];
    result.tensor.zero_point = static_cast<int32_t>(weights.zero_points[0]);
    return result;
  }
  result.scales.resize(static_cast<size_t>(ordered.dimensions[order.channel_dimension]), weights.scales[0]);
  TOOLS_ASSIGN(result.tensor, emitter.per_channel(ordered, order.channel_dimension, result.scales));
  return result;
}

Result<std::optional<Tensor>> layer_bias(const LayerBias& bias, float data_scale, const LayerWeights& weights, int64_t channels) {
  const auto count = static_cast<size_t>(channels);
  std::vector<double> reals(count, 0);
  std::vector<int64_t> integers(count, 0);
  const auto scale_of = [&](size_t c) { return double{data_scale} * weights.scales[weights.scales.size() > 1 ? c : 0]; };
  if (bias.integers) {
    if (!bias.integers->tensor.constant || bias.integers->tensor.constant->elements() != count) return std::nullopt;
    TOOLS_ASSIGN(reals, real_values(*bias.integers));
  } else if (bias.reals) {
    if (!bias.reals->constant || bias.reals->constant->elements() != count) return std::nullopt;
    TOOLS_ASSIGN(reals, reals_of(*bias.reals->constant));
  }
  for (size_t c = 0; c < count; ++c) {
    const double value = std::nearbyint(reals[c] / scale_of(c));
    integers[c] = static_cast<int64_t>(std::clamp(value, -2147483648.0, 2147483647.0));
  }
  Tensor result = Emitter::int32s(integers, {channels});
  if (!weights.per_channel) result.scale = data_scale * weights.scales[0];
  return result;
}

}  // namespace nnvk::importers::onnx
