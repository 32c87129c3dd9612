// 8-bit arithmetic.
#include "importers/onnx/quantized_arithmetic.h"

#include <array>

#include "importers/onnx/movement.h"

namespace nnvk::importers::onnx {
namespace {

bool is_plain_8bit(const Quantized& quantized, int32_t type) { return !quantized.per_axis() && quantized.tensor.type == type; }

Tensor with_target(const Tensor& like, const Requantization& target, Dimensions shape) {
  Tensor result = like.shaped(std::move(shape));
  result.scale = target.scale;
  result.zero_point = target.zero_point;
  return result;
}

}  // namespace

Result<std::optional<Tensor>> quantized_arithmetic(Emitter& emitter, int32_t code, const Quantized& a, const Quantized& b,
                                                   const Requantization& target) {
  if (!is_plain_8bit(a, target.type) || !is_plain_8bit(b, target.type)) return std::nullopt;
  if (a.tensor.constant && b.tensor.constant) return std::nullopt;
  // NNAPI's conditions on the scales: a product must shrink, a sum must not grow beyond its guard bits.
  if (code == ANEURALNETWORKS_MUL && target.scale <= a.scales[0] * b.scales[0]) return std::nullopt;
  const float larger = std::max(a.scales[0], b.scales[0]);
  if (code != ANEURALNETWORKS_MUL && larger > 1000 * target.scale) return std::nullopt;
  TOOLS_ASSIGN(Dimensions shape, broadcast(a.tensor.dimensions, b.tensor.dimensions));
  if (shape.size() > 4) return std::nullopt;
  TOOLS_ASSIGN(Tensor result,
               emitter.operation(code, {a.tensor, b.tensor, target.activation}, with_target(a.tensor, target, std::move(shape))));
  return result;
}

Result<std::optional<Tensor>> quantized_layer(Emitter& emitter, const QuantizedLayer& layer, const Requantization& target) {
  const Tensor& input = layer.input.tensor;
  const Tensor& given = layer.weights.tensor;
  if (!is_plain_8bit(layer.input, target.type) || input.constant || !given.constant) return std::nullopt;
  if (given.rank() != 2 || input.rank() < 2 || input.rank() > 4) return std::nullopt;
  const size_t units_axis = layer.transposed ? 0 : 1;
  const int64_t units = given.dimensions[units_axis];
  const int64_t depth = given.dimensions[1 - units_axis];
  if (depth < 1 || units < 1 || input.dimensions.back() != depth) return std::nullopt;
  Dimensions shape = input.dimensions;
  shape.back() = units;
  const std::array<int64_t, 2> permutation = layer.transposed ? std::array<int64_t, 2>{0, 1} : std::array<int64_t, 2>{1, 0};
  const bool per_channel = layer.weights.per_axis();
  if (!per_channel) {
    TOOLS_ASSIGN(
        const auto weights,
        layer_weights(emitter, layer.weights, input.type,
                      {.permutation = permutation, .channel_axis = static_cast<int64_t>(units_axis), .per_channel = false}));
    if (!weights) return std::nullopt;
    TOOLS_ASSIGN(const auto bias, layer_bias(layer.bias, input.scale, *weights, units));
    if (!bias) return std::nullopt;
    Dimensions rows{-1, units};
    if (input.fixed()) rows[0] = static_cast<int64_t>(element_count(input.dimensions)) / depth;
    TOOLS_ASSIGN(const Tensor flat,
                 emitter.operation(ANEURALNETWORKS_FULLY_CONNECTED, {input, weights->tensor, *bias, target.activation},
                                   with_target(input, target, std::move(rows))));
    TOOLS_ASSIGN(Tensor result, reshape(emitter, flat, std::move(shape)));
    return result;
  }
  // NNAPI has scales per channel only in convolutions: a layer is one over single pixels.
  if (layer.weights.axis != static_cast<int64_t>(units_axis)) return std::nullopt;
  TOOLS_ASSIGN(const Tensor matrix, transpose(emitter, given, permutation));
  TOOLS_ASSIGN(const Tensor kernel, reshape(emitter, matrix, {units, 1, 1, depth}));
  constexpr std::array<int64_t, 4> kAsItIs{0, 1, 2, 3};
  Quantized filter = layer.weights;
  filter.tensor = kernel;
  filter.axis = 0;
  TOOLS_ASSIGN(const auto weights, layer_weights(emitter, filter, input.type, {.permutation = kAsItIs}));
  if (!weights) return std::nullopt;
  TOOLS_ASSIGN(const auto bias, layer_bias(layer.bias, input.scale, *weights, units));
  if (!bias) return std::nullopt;
  TOOLS_ASSIGN(const Tensor pixels, reshape(emitter, input, {-1, 1, 1, depth}));
  const int32_t none = 0;
  const int32_t step = 1;
  TOOLS_ASSIGN(const Tensor sums,
               emitter.operation(ANEURALNETWORKS_CONV_2D,
                                 {pixels, weights->tensor, *bias, none, none, none, none, step, step, target.activation, false},
                                 with_target(input, target, {pixels.dimensions[0], 1, 1, units})));
  TOOLS_ASSIGN(Tensor result, reshape(emitter, sums, std::move(shape)));
  return result;
}

}  // namespace nnvk::importers::onnx
