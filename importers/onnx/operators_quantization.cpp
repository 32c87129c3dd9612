// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include <fmt/format.h>

#include <numeric>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/quantization.h"

namespace nnvk::importers::onnx {
namespace {

Result<Tensors> add_quantize(OperatorCall& call) {
  TOOLS_ASSIGN(const ResultQuantization parameters, result_quantization(call, 1, 2));
  // Integers that were only taken for real numbers in between are passed on.
  if (const auto quantized = call.quantized(0); quantized && parameters.scale && !quantized->per_axis()) {
    const Tensor& tensor = quantized->tensor;
    if (tensor.type == parameters.type && tensor.scale == *parameters.scale && tensor.zero_point == parameters.zero_point) {
      return Tensors{tensor};
    }
  }
  TOOLS_ASSIGN(const int64_t axis, call.integer("axis", 1));
  TOOLS_ASSIGN(const int64_t block, call.integer("block_size", 0));
  if (block != 0) return fail("the importer does not support blocked quantization");
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  return one(quantize(call.emitter(), input, parameters, axis));
}

Result<Tensors> add_dequantize(OperatorCall& call) {
  TOOLS_ASSIGN(const int64_t axis, call.integer("axis", 1));
  TOOLS_ASSIGN(const int64_t block, call.integer("block_size", 0));
  if (block != 0) return fail("the importer does not support blocked quantization");
  TOOLS_ASSIGN(auto quantized, quantized_input(call, 0, 1, 2, axis));
  if (!quantized) return one(dequantized_input(call, 0, 1, 2, axis));
  const Tensor& tensor = quantized->tensor;
  if (!tensor.is_8bit() && !tensor.is_int()) return fail("NNAPI does not quantize " + describe(tensor));
  call.defer(*std::move(quantized));
  return Tensors{};
}

// Adds DynamicQuantizeLinear: scale = (max - min) / 255 with 0 in the range, zero point = round(-min / scale), as the operator's
// definition has it.
Result<Tensors> add_dynamic_quantize(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  std::vector<int64_t> axes(input.rank());
  std::iota(axes.begin(), axes.end(), 0);
  TOOLS_ASSIGN(const Tensor largest, reduce(emitter, ANEURALNETWORKS_REDUCE_MAX, input, axes, false));
  TOOLS_ASSIGN(const Tensor smallest, reduce(emitter, ANEURALNETWORKS_REDUCE_MIN, input, axes, false));
  TOOLS_ASSIGN(const Tensor high, binary(emitter, ANEURALNETWORKS_MAXIMUM, largest, 0));
  TOOLS_ASSIGN(const Tensor low, binary(emitter, ANEURALNETWORKS_MINIMUM, smallest, 0));
  TOOLS_ASSIGN(const Tensor range, binary(emitter, ANEURALNETWORKS_SUB, high, low));
  TOOLS_ASSIGN(const Tensor scale, binary(emitter, ANEURALNETWORKS_DIV, range, 255));
  TOOLS_ASSIGN(const Tensor lowest, unary(emitter, ANEURALNETWORKS_NEG, low));
  TOOLS_ASSIGN(const Tensor offset, binary(emitter, ANEURALNETWORKS_DIV, lowest, scale));
  TOOLS_ASSIGN(const Tensor whole_offset, round_to_even(emitter, offset));
  TOOLS_ASSIGN(const Tensor quotient, binary(emitter, ANEURALNETWORKS_DIV, input, scale));
  TOOLS_ASSIGN(const Tensor rounded, round_to_even(emitter, quotient));
  TOOLS_ASSIGN(const Tensor sum, binary(emitter, ANEURALNETWORKS_ADD, rounded, whole_offset));
  const auto store = [&](const Tensor& tensor) {
    return emitter.operation(ANEURALNETWORKS_QUANTIZE, {tensor}, tensor.typed(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM));
  };
  TOOLS_ASSIGN(const Tensor result, store(sum));
  TOOLS_ASSIGN(const Tensor zero_point, store(whole_offset));
  return Tensors{result, scale, zero_point};
}

constexpr OperatorRow kRows[] = {
    {"", "DequantizeLinear", add_dequantize},
    {"", "DynamicQuantizeLinear", add_dynamic_quantize},
    {"", "QuantizeLinear", add_quantize},
};

}  // namespace

std::span<const OperatorRow> quantization_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
