#include "importers/onnx/weighted_channels.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "importers/onnx/convolution.h"
#include "importers/onnx/movement.h"

namespace nnvk::importers::onnx {
namespace {

// Larger windows are faster as a reduction of real numbers: a depthwise convolution adds the elements of a window one by one.
constexpr int64_t kMostTaps = 256;

// The node's 8-bit image and the operation behind its result, if both are integers of one type and the importer knows the shape.
struct Surroundings {
  Quantized image;
  Requantization target;
  int64_t channels() const { return image.tensor.dimensions[1]; }
};

std::optional<Surroundings> surroundings_of(const OperatorCall& call) {
  auto image = call.quantized(0);
  auto target = call.requantization();
  if (!image || !target || image->per_axis() || image->tensor.constant) return std::nullopt;
  const Tensor& tensor = image->tensor;
  if (tensor.type != target->type || tensor.rank() != 4 || !tensor.fixed() || tensor.stored) return std::nullopt;
  return Surroundings{*std::move(image), *std::move(target)};
}

// Makes weights around 0 with one scale, or one per channel.
Quantized weights_of(Tensor constant, std::vector<float> scales) {
  Quantized weights;
  weights.tensor = std::move(constant);
  weights.zero_points.assign(scales.size(), 0);
  weights.scales = std::move(scales);
  return weights;
}

// Convolves each channel with its own weights. Returns nothing if NNAPI cannot express it.
Result<std::optional<Tensor>> convolved(OperatorCall& call, const Surroundings& around, const Window& window,
                                        const Quantized& weights, const LayerBias& bias) {
  const Convolution how{.window = window, .groups = around.channels()};
  return convolve_integers(call.emitter(), how, {around.image, weights, bias}, around.target);
}

}  // namespace

Result<bool> absorbed_average(OperatorCall& call, const Window& window, bool keep) {
  const auto around = surroundings_of(call);
  const int64_t taps = window.kernel[0] * window.kernel[1];
  if (!around || window.dilated() || window.same || taps > kMostTaps) return false;
  const bool is_signed = around->image.tensor.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  Tensor ones = call.emitter().repeated(is_signed ? ElementType::kInt8 : ElementType::kUint8, std::byte{1},
                                        {around->channels(), 1, window.kernel[0], window.kernel[1]});
  const Quantized weights = weights_of(std::move(ones), {static_cast<float>(1.0 / static_cast<double>(taps))});
  TOOLS_ASSIGN(auto result, convolved(call, *around, window, weights, {}));
  if (!result) return false;
  if (!keep) {
    TOOLS_ASSIGN(result, reshape(call.emitter(), *result, {result->dimensions[0], result->dimensions[1]}));
  }
  call.absorb(around->target, *std::move(result));
  return true;
}

Result<bool> absorbed_global_average(OperatorCall& call, bool keep) {
  const auto around = surroundings_of(call);
  if (!around) return false;
  const Dimensions& size = around->image.tensor.dimensions;
  Window window;
  window.kernel = {size[2], size[3]};
  return absorbed_average(call, window, keep);
}

Result<bool> absorbed_scaling(OperatorCall& call, std::span<const double> factors, std::span<const double> addends) {
  const auto around = surroundings_of(call);
  if (!around || factors.size() != static_cast<size_t>(around->channels()) || addends.size() != factors.size()) return false;
  const double input_scale = around->image.scales[0];
  const double step = around->target.scale;
  // A factor that cannot move the result by a thousandth of a step is none: its scale would leave no integers for the addend.
  constexpr int kMostDistance = 255;
  const double least = step / 1000 / (kMostDistance * input_scale);
  // The largest weight makes the addend's integers fine: they count in the product of the input's and the weight's scales.
  constexpr int8_t kWeight = 127;
  std::vector<std::byte> factor_weights;
  std::vector<float> scales;
  LayerBias bias{.integers = {}, .reals = {}};
  for (size_t c = 0; c < factors.size(); ++c) {
    const double size = std::fabs(factors[c]);
    if (!std::isfinite(size) || !std::isfinite(addends[c])) return false;
    factor_weights.push_back(static_cast<std::byte>(size < least ? 0 : factors[c] < 0 ? -kWeight : kWeight));
    scales.push_back(static_cast<float>(std::max(size, least) / kWeight));
    constexpr double kMostInteger = 1 << 30;
    if (std::fabs(addends[c]) / (input_scale * static_cast<double>(scales.back())) > kMostInteger) return false;
  }
  const auto channels = static_cast<int64_t>(addends.size());
  bias.reals = Emitter::constant(real_constant(ElementType::kFloat, {channels}, addends));
  const Window window;
  Tensor constant = Emitter::constant(raw_constant(ElementType::kInt8, {channels, 1, 1, 1}, std::move(factor_weights)));
  const Quantized weights = weights_of(std::move(constant), std::move(scales));
  TOOLS_ASSIGN(auto result, convolved(call, *around, window, weights, bias));
  if (!result) return false;
  call.absorb(around->target, *std::move(result));
  return true;
}

}  // namespace nnvk::importers::onnx
