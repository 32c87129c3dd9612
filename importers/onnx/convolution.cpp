// CONV_2D, GROUPED_CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV_2D.
#include "importers/onnx/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/filter_order.h"
#include "importers/onnx/movement.h"

namespace nnvk::importers::onnx {
namespace {

constexpr std::array<int64_t, 4> kFilterOrder{0, 2, 3, 1};     // OIHW to OHWI
constexpr std::array<int64_t, 4> kDepthwiseOrder{1, 2, 3, 0};  // O1HW to 1HWO; and IOHW to OHWI
constexpr int64_t kMostPieces = 64;                            // that a transposed convolution with groups is cut into

// The operation for a convolution, and the order of its weights.
struct Form {
  int32_t code = ANEURALNETWORKS_CONV_2D;
  std::span<const int64_t> order = kFilterOrder;
  uint32_t channel_dimension = 0;
};

Form form_of(const Convolution& how, const Tensor& image, const Dimensions& weights) {
  if (how.groups == 1) return {};
  if (how.groups == image.dimensions[1] && weights[1] == 1) {
    return {.code = ANEURALNETWORKS_DEPTHWISE_CONV_2D, .order = kDepthwiseOrder, .channel_dimension = 3};
  }
  return {.code = ANEURALNETWORKS_GROUPED_CONV_2D, .order = kFilterOrder, .channel_dimension = 0};
}

Status check_shapes(const Convolution& how, const Tensor& image, const Dimensions& weights) {
  if (weights.size() != 4) return fail("the weights must have 4 dimensions, but their shape is " + shape_text(weights));
  if (std::ranges::any_of(weights, [](int64_t d) { return d <= 0; }))
    return fail("the weights must have a known shape that is not empty, but it is " + shape_text(weights));
  if (how.groups < 1 || weights[0] % how.groups != 0) {
    return fail(fmt::format("{} groups do not divide {} output channels", how.groups, weights[0]));
  }
  const int64_t channels = image.dimensions[1];
  if (channels >= 0 && channels != weights[1] * how.groups) {
    return fail(
        fmt::format("weights {} with {} groups do not fit the image {}", shape_text(weights), how.groups, describe(image)));
  }
  return {};
}

// Puts zeros between the elements of weights: returns a dilated kernel as a dense one, with `extra` zeros behind it.
Result<Tensor> stretched(Emitter& emitter, const Tensor& weights, const Pair& dilations, const Pair& extra) {
  if (dilations == Pair{1, 1} && extra == Pair{0, 0}) return weights;
  if (!weights.constant) return fail("NNAPI cannot dilate weights that are computed");
  Dimensions shape = weights.dimensions;
  for (size_t d = 0; d < 2; ++d) shape[2 + d] = (shape[2 + d] - 1) * dilations[d] + 1 + extra[d];
  const auto strides = strides_of(weights.dimensions);
  TOOLS_ASSIGN(const size_t elements, checked_count(shape));
  const auto plane = static_cast<size_t>(shape[2] * shape[3]);
  TOOLS_TRY(emitter.take_bytes(elements * (sizeof(int64_t) + weights.constant->element_bytes()), "stretched weights"));
  std::vector<int64_t> sources(elements, -1);
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto y = static_cast<int64_t>(i % plane) / shape[3];
    const auto x = static_cast<int64_t>(i % plane) % shape[3];
    const int64_t row = y / dilations[0];
    const int64_t column = x / dilations[1];
    if (y % dilations[0] != 0 || x % dilations[1] != 0 || row >= weights.dimensions[2] || column >= weights.dimensions[3])
      continue;
    sources[i] = static_cast<int64_t>(i / plane) * strides[1] + row * strides[2] + column;
  }
  Tensor result = weights.shaped(shape);
  result.constant = picked(*weights.constant, std::move(shape), sources);
  return result;
}

// Returns the operands behind the bias.
std::vector<Argument> options_of(const Convolution& how, const Form& form, int64_t outputs) {
  auto options = how.window.arguments();
  if (form.code == ANEURALNETWORKS_GROUPED_CONV_2D) options.emplace_back(static_cast<int32_t>(how.groups));
  if (form.code == ANEURALNETWORKS_DEPTHWISE_CONV_2D) options.emplace_back(static_cast<int32_t>(outputs / how.groups));
  options.emplace_back(how.activation);
  options.emplace_back(true);  // NCHW
  if (form.code != ANEURALNETWORKS_GROUPED_CONV_2D && how.window.dilated()) {
    options.emplace_back(static_cast<int32_t>(how.window.dilations[1]));
    options.emplace_back(static_cast<int32_t>(how.window.dilations[0]));
  }
  return options;
}

// The tensors that an operation reads, in the form that it wants.
struct Operands {
  Tensor image;
  Tensor weights;
  Tensor bias;
};

// Emits the operation. `result` has the type; the shape follows from the operands.
Result<Tensor> emit(Emitter& emitter, const Convolution& how, const Form& form, const Operands& operands, Tensor result) {
  const auto& size = operands.image.dimensions;
  const int64_t outputs = operands.weights.dimensions[form.channel_dimension];
  result.dimensions = {size[0], outputs, window_result(how.window, size[2], 0), window_result(how.window, size[3], 1)};
  std::vector<Argument> arguments{operands.image, operands.weights, operands.bias};
  for (auto& option : options_of(how, form, outputs)) arguments.push_back(std::move(option));
  return emitter.operation(form.code, arguments, std::move(result));
}

}  // namespace

Result<Tensor> convolve(Emitter& emitter, const Convolution& given, const Tensor& image, const Tensor& given_weights,
                        const std::optional<Tensor>& bias) {
  TOOLS_TRY(check_shapes(given, image, given_weights.dimensions));
  if (!image.is_float()) return fail("NNAPI's convolution needs real numbers here, but the image is " + describe(image));
  Convolution how = given;
  Tensor weights = given_weights;
  const Form form = form_of(how, image, weights.dimensions);
  if (form.code == ANEURALNETWORKS_GROUPED_CONV_2D && how.window.dilated()) {
    TOOLS_ASSIGN(weights, stretched(emitter, weights, how.window.dilations, {0, 0}));
    how.window.kernel = {how.window.extent(0), how.window.extent(1)};
    how.window.dilations = {1, 1};
  }
  const int64_t outputs = weights.dimensions[0];
  const auto put_in_order = form.code == ANEURALNETWORKS_CONV_2D ? transpose_filter : transpose;
  TOOLS_ASSIGN(const Tensor ordered, put_in_order(emitter, weights, form.order));
  TOOLS_ASSIGN(const Tensor added, bias ? Result<Tensor>(*bias) : emitter.zeros({outputs}, image));
  return emit(emitter, how, form, {image, ordered, added}, image.shaped({}));
}

Result<std::optional<Tensor>> convolve_integers(Emitter& emitter, const Convolution& given, const IntegerOperands& operands,
                                                const Requantization& target) {
  const Quantized& image = operands.image;
  if (image.per_axis() || !image.tensor.is_8bit() || image.tensor.constant || target.type != image.tensor.type)
    return std::nullopt;
  TOOLS_TRY(check_shapes(given, image.tensor, operands.weights.tensor.dimensions));
  Convolution how = given;
  how.activation = target.activation;
  const Form form = form_of(how, image.tensor, operands.weights.tensor.dimensions);
  if (form.code == ANEURALNETWORKS_GROUPED_CONV_2D && how.window.dilated()) return std::nullopt;
  TOOLS_ASSIGN(const auto weights, layer_weights(emitter, operands.weights, image.tensor.type,
                                                 {.permutation = form.order,
                                                  .channel_dimension = form.channel_dimension,
                                                  .is_filter = form.code == ANEURALNETWORKS_CONV_2D}));
  if (!weights) return std::nullopt;
  const int64_t outputs = operands.weights.tensor.dimensions[0];
  TOOLS_ASSIGN(const auto added, layer_bias(operands.bias, image.tensor.scale, *weights, outputs));
  if (!added) return std::nullopt;
  Tensor result = image.tensor.shaped({});
  result.scale = target.scale;
  result.zero_point = target.zero_point;
  TOOLS_ASSIGN(result, emit(emitter, how, form, {image.tensor, weights->tensor, *added}, result));
  return result;
}

Result<Tensor> convolve_transposed(Emitter& emitter, const Convolution& how, const Tensor& image, const Tensor& given_weights,
                                   const std::optional<Tensor>& bias) {
  if (given_weights.rank() != 4 || !given_weights.fixed())
    return fail("the weights must have 4 known dimensions, but are " + describe(given_weights));
  const int64_t groups = how.groups;
  if (groups < 1 || groups > kMostPieces) return fail(fmt::format("NNAPI has no transposed convolution with {} groups", groups));
  if (image.dimensions[1] != given_weights.dimensions[0] || image.dimensions[1] % groups != 0) {
    return fail(
        fmt::format("weights {} with {} groups do not fit the image {}", describe(given_weights), groups, describe(image)));
  }
  const Window& window = how.window;
  // Zeros behind the kernel make room for an output padding beyond what the padding takes away.
  Pair extra{0, 0};
  Pair after = window.after;
  for (size_t d = 0; d < 2; ++d) {
    after[d] -= window.output_padding[d];
    if (after[d] < 0) extra[d] = -after[d];
    after[d] = std::max<int64_t>(after[d], 0);
  }
  TOOLS_ASSIGN(const Tensor weights, stretched(emitter, given_weights, window.dilations, extra));
  Dimensions shape{image.dimensions[0], weights.dimensions[1], -1, -1};
  for (size_t d = 0; d < 2; ++d) {
    if (image.dimensions[2 + d] < 0) continue;
    shape[2 + d] = (image.dimensions[2 + d] - 1) * window.strides[d] + weights.dimensions[2 + d] - window.before[d] - after[d];
  }
  const int64_t inputs = image.dimensions[1] / groups;
  const int64_t outputs = weights.dimensions[1];
  Tensors pieces;
  for (int64_t g = 0; g < groups; ++g) {
    TOOLS_ASSIGN(const Tensor part, split(emitter, image, 1, g * inputs, inputs));
    TOOLS_ASSIGN(const Tensor filter, split(emitter, weights, 0, g * inputs, inputs));
    TOOLS_ASSIGN(const Tensor ordered, transpose(emitter, filter, kDepthwiseOrder));
    TOOLS_ASSIGN(const Tensor added, bias ? split(emitter, *bias, 0, g * outputs, outputs) : emitter.zeros({outputs}, image));
    const auto narrow = [](int64_t value) { return static_cast<int32_t>(value); };
    TOOLS_ASSIGN(Tensor piece,
                 emitter.operation(ANEURALNETWORKS_TRANSPOSE_CONV_2D,
                                   {part, ordered, added, narrow(window.before[1]), narrow(after[1]), narrow(window.before[0]),
                                    narrow(after[0]), narrow(window.strides[1]), narrow(window.strides[0]), how.activation, true},
                                   image.shaped(shape)));
    pieces.push_back(std::move(piece));
  }
  return concatenate(emitter, pieces, 1);
}

}  // namespace nnvk::importers::onnx
