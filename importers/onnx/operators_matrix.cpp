// MatMul, Gemm and their integer forms.
#include <fmt/format.h>

#include <array>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/products.h"
#include "importers/onnx/quantized_arithmetic.h"

namespace nnvk::importers::onnx {
namespace {

// Adds a layer on integers between DequantizeLinear and QuantizeLinear. Returns false if NNAPI does not have it.
Result<bool> absorbed_layer(OperatorCall& call, bool transposed) {
  const auto input = call.quantized(0);
  const auto weights = call.quantized(1);
  const auto target = call.requantization();
  if (!input || !weights || !target) return false;
  QuantizedLayer layer{.input = *input, .weights = *weights, .transposed = transposed, .bias = {}};
  if (call.has(2)) {
    layer.bias.integers = call.quantized(2);
    if (!layer.bias.integers) {
      TOOLS_ASSIGN(layer.bias.reals, call.input(2));
    }
  }
  TOOLS_ASSIGN(const auto result, quantized_layer(call.emitter(), layer, *target));
  if (result) call.absorb(*target, *result);
  return result.has_value();
}

Result<Tensors> add_mat_mul(OperatorCall& call) {
  TOOLS_ASSIGN(const bool done, absorbed_layer(call, false));
  if (done) return Tensors{};
  TOOLS_ASSIGN(const Tensor a, call.input(0));
  TOOLS_ASSIGN(const Tensor b, call.input(1));
  return one(matrix_product(call.emitter(), a, b));
}

// Emits tensor * factor, or returns the tensor itself.
Result<Tensor> multiplied(Emitter& emitter, const Tensor& tensor, float factor) {
  if (factor == 1) return tensor;
  return binary(emitter, ANEURALNETWORKS_MUL, tensor, double{factor});
}

Result<Tensors> add_gemm(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  constexpr std::array<int64_t, 2> kSwap{1, 0};
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 1));
  TOOLS_ASSIGN(const float beta, call.real("beta", 1));
  TOOLS_ASSIGN(const int64_t turns_a, call.integer("transA", 0));
  TOOLS_ASSIGN(const int64_t turns_b, call.integer("transB", 0));
  if (alpha == 1 && beta == 1 && turns_a == 0) {
    TOOLS_ASSIGN(const bool done, absorbed_layer(call, turns_b != 0));
    if (done) return Tensors{};
  }
  TOOLS_ASSIGN(Tensor a, call.input(0));
  TOOLS_ASSIGN(Tensor b, call.input(1));
  if (a.rank() != 2 || b.rank() != 2) return fail("its inputs must be matrices, but are " + describe(a) + " and " + describe(b));
  if (turns_a != 0) {
    TOOLS_ASSIGN(a, transpose(emitter, a, kSwap));
  }
  std::optional<Tensor> addend;
  if (call.has(2) && beta != 0) {
    TOOLS_ASSIGN(const Tensor c, call.input(2));
    TOOLS_ASSIGN(addend, multiplied(emitter, c, beta));
  }
  if (!a.is_float()) {
    if (turns_b != 0) {
      TOOLS_ASSIGN(b, transpose(emitter, b, kSwap));
    }
    if (alpha != 1 || beta != 1) return fail("its attributes 'alpha' and 'beta' must be 1 for integers");
    TOOLS_ASSIGN(const Tensor product, matrix_product(emitter, a, b));
    return addend ? one(binary(emitter, ANEURALNETWORKS_ADD, product, *addend)) : Tensors{product};
  }
  // NNAPI's layer has its weights as [N, K].
  TOOLS_ASSIGN(Tensor weights, turns_b != 0 ? Result<Tensor>(b) : transpose(emitter, b, kSwap));
  TOOLS_ASSIGN(weights, multiplied(emitter, weights, alpha));
  const int64_t units = weights.dimensions[0];
  if (units < 0 || weights.dimensions[1] < 0) return fail("the weights must have a known shape, but are " + describe(b));
  std::optional<Tensor> bias;
  if (addend && (addend->rank() < 2 || addend->dimensions[0] == 1) && addend->fixed() &&
      (element_count(addend->dimensions) == 1 || element_count(addend->dimensions) == static_cast<size_t>(units))) {
    TOOLS_ASSIGN(const Tensor flat, reshape(emitter, *addend, {static_cast<int64_t>(element_count(addend->dimensions))}));
    TOOLS_ASSIGN(bias, expand(emitter, flat, {units}));
    addend.reset();
  }
  TOOLS_ASSIGN(const Tensor product, dense(emitter, a, weights, bias));
  return addend ? one(binary(emitter, ANEURALNETWORKS_ADD, product, *addend)) : Tensors{product};
}

// Emits stored integers minus the zero point, as 32-bit integers.
Result<Tensor> centred(OperatorCall& call, size_t position, size_t zero_position, bool rows) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor stored, call.input(position));
  TOOLS_ASSIGN(const Tensor tensor, cast(emitter, stored, ANEURALNETWORKS_TENSOR_INT32));
  if (!call.has(zero_position)) return tensor;
  TOOLS_ASSIGN(const Tensor stored_zero, call.input(zero_position));
  TOOLS_ASSIGN(Tensor zero, cast(emitter, stored_zero, ANEURALNETWORKS_TENSOR_INT32));
  if (zero.rank() == 1 && zero.dimensions[0] != 1 && rows) {
    TOOLS_ASSIGN(zero, reshape(emitter, zero, {zero.dimensions[0], 1}));
  }
  return binary(emitter, ANEURALNETWORKS_SUB, tensor, zero);
}

Result<Tensors> add_mat_mul_integer(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor a, centred(call, 0, 2, true));
  TOOLS_ASSIGN(const Tensor b, centred(call, 1, 3, false));
  return one(matrix_product(call.emitter(), a, b));
}

// Adds QLinearMatMul. Inputs: a, scale, zero point, b, scale, zero point, the result's scale and zero point.
Result<Tensors> add_qlinear_mat_mul(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const auto input, quantized_input(call, 0, 1, 2, -2));
  TOOLS_ASSIGN(const auto weights, quantized_input(call, 3, 4, 5, -1));
  TOOLS_ASSIGN(const ResultQuantization parameters, result_quantization(call, 6, 7));
  if (input && weights && parameters.scale) {
    const Requantization target{
        .type = parameters.type, .scale = *parameters.scale, .zero_point = parameters.zero_point, .nodes = {}};
    const QuantizedLayer layer{.input = *input, .weights = *weights, .transposed = false, .bias = {}};
    TOOLS_ASSIGN(const auto result, quantized_layer(emitter, layer, target));
    if (result) return Tensors{*result};
  }
  TOOLS_ASSIGN(const Tensor a, dequantized_input(call, 0, 1, 2, -2));
  TOOLS_ASSIGN(const Tensor b, dequantized_input(call, 3, 4, 5, -1));
  TOOLS_ASSIGN(const Tensor product, matrix_product(emitter, a, b));
  return one(quantize(emitter, product, parameters, -1));
}

Result<Tensors> add_fused_mat_mul(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 1));
  Tensors sides;
  for (const auto& [position, name] : {std::pair{size_t{0}, "transA"}, {size_t{1}, "transB"}}) {
    TOOLS_ASSIGN(const int64_t turns, call.integer(name, 0));
    TOOLS_ASSIGN(Tensor side, call.input(position));
    if (turns != 0 && side.rank() >= 2) {
      std::vector<int64_t> permutation;
      for (size_t d = 0; d < side.rank(); ++d) permutation.push_back(static_cast<int64_t>(d));
      std::swap(permutation[side.rank() - 1], permutation[side.rank() - 2]);
      TOOLS_ASSIGN(side, transpose(emitter, side, permutation));
    }
    sides.push_back(std::move(side));
  }
  TOOLS_ASSIGN(const Tensor product, matrix_product(emitter, sides[0], sides[1]));
  return one(multiplied(emitter, product, alpha));
}

constexpr OperatorRow kRows[] = {
    {"", "Gemm", add_gemm},
    {"", "MatMul", add_mat_mul},
    {"", "MatMulInteger", add_mat_mul_integer},
    {"", "QLinearMatMul", add_qlinear_mat_mul},
    {"com.microsoft", "FusedMatMul", add_fused_mat_mul},
};

}  // namespace

std::span<const OperatorRow> matrix_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
