// ONNX Runtime's operators on 8-bit integers that carry their scales as inputs: QLinearAdd and the like.
#include "importers/onnx/arithmetic.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/quantized_arithmetic.h"

namespace nnvk::importers::onnx {
namespace {

// Adds an operation of two quantized tensors. Inputs: a, scale, zero point, b, scale, zero point, the result's scale and zero
// point.
template <int32_t kCode>
Result<Tensors> add_qlinear_arithmetic(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const auto a, quantized_input(call, 0, 1, 2, 0));
  TOOLS_ASSIGN(const auto b, quantized_input(call, 3, 4, 5, 0));
  TOOLS_ASSIGN(const ResultQuantization parameters, result_quantization(call, 6, 7));
  if (a && b && parameters.scale) {
    const Requantization target{
        .type = parameters.type, .scale = *parameters.scale, .zero_point = parameters.zero_point, .nodes = {}};
    TOOLS_ASSIGN(const auto result, quantized_arithmetic(emitter, kCode, *a, *b, target));
    if (result) return Tensors{*result};
  }
  TOOLS_ASSIGN(const Tensor first, dequantized_input(call, 0, 1, 2, 0));
  TOOLS_ASSIGN(const Tensor second, dequantized_input(call, 3, 4, 5, 0));
  TOOLS_ASSIGN(const Tensor sum, binary(emitter, kCode, first, second));
  return one(quantize(emitter, sum, parameters, 0));
}

// Adds an operation that computes with real numbers in between. Inputs: x, scale, zero point, the result's scale and zero point.
template <class Function>
Result<Tensors> through_reals(OperatorCall& call, Function function) {
  TOOLS_ASSIGN(const ResultQuantization parameters, result_quantization(call, 3, 4));
  TOOLS_ASSIGN(const Tensor input, dequantized_input(call, 0, 1, 2, 0));
  TOOLS_ASSIGN(const Tensor result, function(input));
  return one(quantize(call.emitter(), result, parameters, 0));
}

Result<Tensors> add_qlinear_sigmoid(OperatorCall& call) {
  return through_reals(call, [&](const Tensor& input) { return unary(call.emitter(), ANEURALNETWORKS_LOGISTIC, input); });
}

Result<Tensors> add_qlinear_leaky_relu(OperatorCall& call) {
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 0.01f));
  return through_reals(call, [&](const Tensor& input) {
    return call.emitter().operation(ANEURALNETWORKS_PRELU, {input, Emitter::number(double{alpha}, input)},
                                    input.shaped(input.dimensions));
  });
}

Result<Tensors> add_qlinear_global_average_pool(OperatorCall& call) {
  TOOLS_ASSIGN(const int64_t channels_last, call.integer("channels_last", 0));
  return through_reals(call, [&](const Tensor& input) -> Result<Tensor> {
    std::vector<int64_t> axes;
    const auto rank = static_cast<int64_t>(input.rank());
    for (int64_t d = channels_last != 0 ? 1 : 2; d < (channels_last != 0 ? rank - 1 : rank); ++d) axes.push_back(d);
    return reduce(call.emitter(), ANEURALNETWORKS_MEAN, input, axes, true);
  });
}

constexpr OperatorRow kRows[] = {
    {"com.microsoft", "QLinearAdd", add_qlinear_arithmetic<ANEURALNETWORKS_ADD>},
    {"com.microsoft", "QLinearGlobalAveragePool", add_qlinear_global_average_pool},
    {"com.microsoft", "QLinearLeakyRelu", add_qlinear_leaky_relu},
    {"com.microsoft", "QLinearMul", add_qlinear_arithmetic<ANEURALNETWORKS_MUL>},
    {"com.microsoft", "QLinearSigmoid", add_qlinear_sigmoid},
};

}  // namespace

std::span<const OperatorRow> quantized_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
