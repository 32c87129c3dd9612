// Conv, ConvTranspose, ConvInteger, QLinearConv and FusedConv.
#include <fmt/format.h>

#include <algorithm>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/convolution.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {
namespace {

// Returns an OIHW or OIW filter as OIHW.
Result<Tensor> as_filter(Emitter& emitter, const Tensor& weights) {
  if (weights.rank() == 3) return unsqueeze(emitter, weights, std::array<int64_t, 1>{2});
  return weights;
}

std::string wrong_weights(const Tensor& filter) {
  return "the weights must have as many dimensions as the image, but are " + describe(filter);
}

// Reads a convolution. The kernel is the weights' own size; the attribute may only repeat it.
Result<Convolution> read_convolution(OperatorCall& call, const Tensor& image, const Tensor& filter, size_t spatial) {
  if (filter.rank() != 4) return fail(wrong_weights(filter));
  const Pair kernel{filter.dimensions[2], filter.dimensions[3]};
  TOOLS_ASSIGN(const auto given, call.integer_list("kernel_shape"));
  if (!given.empty()) {
    TOOLS_ASSIGN(const Pair declared, pair_attribute(call, "kernel_shape", spatial, 1));
    if (declared != kernel)
      return fail("its attribute 'kernel_shape' must be the size of the weights, which are " + describe(filter));
  }
  Convolution how;
  TOOLS_ASSIGN(how.window, read_window(call, image, spatial, kernel));
  TOOLS_ASSIGN(how.groups, call.integer("group", 1));
  return how;
}

// Convolves integers; the result has the rank of the data. Returns nothing if NNAPI cannot express it.
Result<std::optional<Tensor>> add_integer_convolution(OperatorCall& call, const Quantized& data, const Quantized& weights,
                                                      const LayerBias& bias, const Requantization& target) {
  Emitter& emitter = call.emitter();
  const size_t rank = data.tensor.rank();
  Quantized image = data;
  Quantized filter = weights;
  TOOLS_ASSIGN(image.tensor, as_image(emitter, data.tensor));
  TOOLS_ASSIGN(filter.tensor, as_filter(emitter, weights.tensor));
  TOOLS_ASSIGN(const Convolution how, read_convolution(call, image.tensor, filter.tensor, rank - 2));
  TOOLS_ASSIGN(const auto result, convolve_integers(emitter, how, {image, filter, bias}, target));
  if (!result) return std::optional<Tensor>();
  TOOLS_ASSIGN(Tensor shaped, from_image(emitter, *result, rank));
  return std::optional(std::move(shaped));
}

Result<Tensors> add_convolution(OperatorCall& call, int32_t activation) {
  Emitter& emitter = call.emitter();
  const auto data = call.quantized(0);
  const auto weights = call.quantized(1);
  const auto target = call.requantization();
  if (data && weights && target && activation == ANEURALNETWORKS_FUSED_NONE) {
    LayerBias bias;
    if (call.has(2)) {
      bias.integers = call.quantized(2);
      if (!bias.integers) {
        TOOLS_ASSIGN(bias.reals, call.input(2));
      }
    }
    TOOLS_ASSIGN(auto result, add_integer_convolution(call, *data, *weights, bias, *target));
    if (result) {
      call.absorb(*target, *std::move(result));
      return Tensors{};
    }
  }
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor given, call.input(1));
  TOOLS_ASSIGN(const Tensor image, as_image(emitter, input));
  TOOLS_ASSIGN(const Tensor filter, as_filter(emitter, given));
  TOOLS_ASSIGN(Convolution how, read_convolution(call, image, filter, input.rank() - 2));
  how.activation = activation;
  std::optional<Tensor> bias;
  if (call.has(2)) {
    TOOLS_ASSIGN(bias, call.input(2));
  }
  TOOLS_ASSIGN(const Tensor result, convolve(emitter, how, image, filter, bias));
  return one(from_image(emitter, result, input.rank()));
}

Result<Tensors> add_conv(OperatorCall& call) { return add_convolution(call, ANEURALNETWORKS_FUSED_NONE); }

Result<Tensors> add_fused_conv(OperatorCall& call) {
  TOOLS_ASSIGN(const auto activation, call.text("activation", ""));
  if (call.has(3)) return fail("the importer does not support a sum in the same operator");
  if (activation.empty()) return add_conv(call);
  if (activation == "Relu") return add_convolution(call, ANEURALNETWORKS_FUSED_RELU);
  return fail("NNAPI cannot fuse the activation " + activation);
}

// Finds the pads of a transposed convolution whose attribute gives the output's size.
Status pad_for_output(const OperatorCall& call, Window& window, const Tensor& image, size_t spatial) {
  TOOLS_ASSIGN(const auto sizes, call.integer_list("output_shape"));
  TOOLS_ASSIGN(const auto auto_pad, call.text("auto_pad", "NOTSET"));
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (sizes.empty() && !same) return {};
  if (!sizes.empty() && sizes.size() != spatial)
    return fail("its attribute 'output_shape' must have a number for each side of the image");
  for (size_t i = 0; i < spatial; ++i) {
    const size_t d = 2 - spatial + i;
    const int64_t size = image.dimensions[2 + d];
    if (size < 0 && !sizes.empty()) return fail("its attribute 'output_shape' needs a known image size");
    if (!sizes.empty() && (sizes[i] < 1 || sizes[i] > (1 << 30)))
      return fail(fmt::format("a side of the output must have 1 to 2^30 elements, but has {}", sizes[i]));
    // The size of the image cancels out of the padding for SAME.
    const int64_t known = size < 0 ? 1 : size;
    const int64_t result = sizes.empty() ? known * window.strides[d] : sizes[i];
    const int64_t total = window.strides[d] * (known - 1) + window.output_padding[d] + window.extent(d) - result;
    if (total < 0) {
      window.before[d] = window.after[d] = 0;
      window.output_padding[d] -= total;
      continue;
    }
    window.before[d] = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
    window.after[d] = total - window.before[d];
  }
  return check_window(window);
}

Result<Tensors> add_conv_transpose(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor given, call.input(1));
  TOOLS_ASSIGN(const Tensor image, as_image(emitter, input));
  TOOLS_ASSIGN(const Tensor filter, as_filter(emitter, given));
  const size_t spatial = input.rank() - 2;
  if (filter.rank() != 4) return fail(wrong_weights(filter));
  Convolution how;
  Window& window = how.window;
  window.kernel = {filter.dimensions[2], filter.dimensions[3]};
  TOOLS_ASSIGN(window.strides, pair_attribute(call, "strides", spatial, 1));
  TOOLS_ASSIGN(window.dilations, pair_attribute(call, "dilations", spatial, 1));
  TOOLS_ASSIGN(window.output_padding, pair_attribute(call, "output_padding", spatial, 0));
  if (spatial == 1) window.output_padding[0] = 0;
  TOOLS_TRY(check_window(window));
  for (const int64_t padding : window.output_padding) {
    if (padding < 0 || padding > 4096)
      return fail(fmt::format("its attribute 'output_padding' must be from 0 to 4096, but is {}", padding));
  }
  TOOLS_ASSIGN(const auto pads, call.integer_list("pads"));
  if (!pads.empty() && pads.size() != 2 * spatial)
    return fail("its attribute 'pads' must have two numbers for each side of the image");
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    window.before[2 - spatial + i] = pads[i];
    window.after[2 - spatial + i] = pads[spatial + i];
  }
  TOOLS_TRY(check_window(window));
  TOOLS_TRY(pad_for_output(call, window, image, spatial));
  TOOLS_ASSIGN(how.groups, call.integer("group", 1));
  std::optional<Tensor> bias;
  if (call.has(2)) {
    TOOLS_ASSIGN(bias, call.input(2));
  }
  TOOLS_ASSIGN(const Tensor result, convolve_transposed(emitter, how, image, filter, bias));
  return one(from_image(emitter, result, input.rank()));
}

// Checks that products of 8-bit integers are exact in float32, as they are while their sum stays below 2^24.
Status check_exact_sums(const Tensor& filter) {
  if (filter.rank() < 3 || !filter.fixed() || filter.dimensions[0] < 1)
    return fail("the weights must have a known shape of 3 dimensions or more, but are " + describe(filter));
  const auto terms = static_cast<int64_t>(element_count(filter.dimensions)) / filter.dimensions[0];
  if (terms * 255 * 255 < (1 << 24)) return {};
  return fail(fmt::format("NNAPI cannot add {} products of integers exactly, because float32 has only 24 bits", terms));
}

Result<Tensors> add_conv_integer(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor given_image, call.input(0));
  TOOLS_ASSIGN(const Tensor given_weights, call.input(1));
  const auto shifted = [&](const Tensor& tensor, size_t zero_point) -> Result<Tensor> {
    TOOLS_ASSIGN(const Tensor stored, cast(emitter, tensor, ANEURALNETWORKS_TENSOR_FLOAT32));
    if (!call.has(zero_point)) return stored;
    TOOLS_ASSIGN(const Tensor given, call.input(zero_point));
    TOOLS_ASSIGN(Tensor zero, cast(emitter, given, ANEURALNETWORKS_TENSOR_FLOAT32));
    if (zero.rank() == 1 && zero.dimensions[0] != 1) {
      Dimensions shape(tensor.rank(), 1);
      shape[0] = zero.dimensions[0];
      TOOLS_ASSIGN(zero, reshape(emitter, zero, std::move(shape)));
    } else {
      TOOLS_ASSIGN(zero, reshape(emitter, zero, {}));
    }
    return binary(emitter, ANEURALNETWORKS_SUB, stored, zero);
  };
  TOOLS_TRY(check_exact_sums(given_weights));
  TOOLS_ASSIGN(const Tensor real_image, shifted(given_image, 2));
  TOOLS_ASSIGN(const Tensor real_weights, shifted(given_weights, 3));
  TOOLS_ASSIGN(const Tensor image, as_image(emitter, real_image));
  TOOLS_ASSIGN(const Tensor filter, as_filter(emitter, real_weights));
  TOOLS_ASSIGN(const Convolution how, read_convolution(call, image, filter, given_image.rank() - 2));
  TOOLS_ASSIGN(const Tensor sums, convolve(emitter, how, image, filter, std::nullopt));
  TOOLS_ASSIGN(const Tensor shaped, from_image(emitter, sums, given_image.rank()));
  return one(cast(emitter, shaped, ANEURALNETWORKS_TENSOR_INT32));
}

// Adds QLinearConv. Inputs: image, scale, zero point, weights, scale, zero point, result's scale, zero point, bias.
Result<Tensors> add_qlinear_conv(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const auto data, quantized_input(call, 0, 1, 2, 1));
  TOOLS_ASSIGN(const auto weights, quantized_input(call, 3, 4, 5, 0));
  TOOLS_ASSIGN(const ResultQuantization parameters, result_quantization(call, 6, 7));
  if (data && weights && parameters.scale) {
    LayerBias bias;
    if (call.has(8)) {
      TOOLS_ASSIGN(const Tensor integers, call.input(8));
      Quantized described{.tensor = integers, .scales = {}, .zero_points = {}, .axis = 0};
      for (const float scale : weights->scales) described.scales.push_back(data->scales[0] * scale);
      described.zero_points.assign(described.scales.size(), 0);
      bias.integers = described;
    }
    const Requantization target{
        .type = parameters.type, .scale = *parameters.scale, .zero_point = parameters.zero_point, .nodes = {}};
    TOOLS_ASSIGN(auto result, add_integer_convolution(call, *data, *weights, bias, target));
    if (result) return Tensors{*std::move(result)};
  }
  TOOLS_ASSIGN(const Tensor real_image, dequantized_input(call, 0, 1, 2, 1));
  TOOLS_ASSIGN(const Tensor real_weights, dequantized_input(call, 3, 4, 5, 0));
  TOOLS_ASSIGN(const Tensor image, as_image(emitter, real_image));
  TOOLS_ASSIGN(const Tensor filter, as_filter(emitter, real_weights));
  TOOLS_ASSIGN(const Convolution how, read_convolution(call, image, filter, real_image.rank() - 2));
  std::optional<Tensor> bias;
  if (call.has(8)) {
    TOOLS_ASSIGN(const Tensor integers, call.input(8));
    TOOLS_ASSIGN(const Tensor stored, cast(emitter, integers, ANEURALNETWORKS_TENSOR_FLOAT32));
    TOOLS_ASSIGN(const Tensor data_scale, call.input(1));
    TOOLS_ASSIGN(const Tensor weight_scale, call.input(4));
    TOOLS_ASSIGN(const Tensor first, binary(emitter, ANEURALNETWORKS_MUL, stored, data_scale));
    TOOLS_ASSIGN(bias, binary(emitter, ANEURALNETWORKS_MUL, first, weight_scale));
  }
  TOOLS_ASSIGN(const Tensor sums, convolve(emitter, how, image, filter, bias));
  TOOLS_ASSIGN(const Tensor shaped, from_image(emitter, sums, real_image.rank()));
  return one(quantize(emitter, shaped, parameters, 1));
}

constexpr OperatorRow kRows[] = {
    {"", "Conv", add_conv},
    {"", "ConvInteger", add_conv_integer},
    {"", "ConvTranspose", add_conv_transpose},
    {"", "QLinearConv", add_qlinear_conv},
    {"com.microsoft", "FusedConv", add_fused_conv},
};

}  // namespace

std::span<const OperatorRow> convolution_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
