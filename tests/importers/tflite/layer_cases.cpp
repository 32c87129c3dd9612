// Layers with weights, computed by plain loops.
#include <cmath>

#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using namespace format;

size_t at(const FileTensor& tensor, int32_t a, int32_t b, int32_t c, int32_t d) {
  return static_cast<size_t>(((a * tensor.shape[1] + b) * tensor.shape[2] + c) * tensor.shape[3] + d);
}

// Values with a scale for each channel: multiples of the channel's scale.
FileTensor per_channel(FileTensor tensor, std::vector<float> scales, int32_t dimension) {
  size_t inner = 1;
  for (size_t d = static_cast<size_t>(dimension) + 1; d < tensor.shape.size(); ++d) inner *= static_cast<size_t>(tensor.shape[d]);
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    const auto stored = static_cast<int8_t>(static_cast<int>(i * 7 % 15) - 7);
    tensor.stored.push_back(static_cast<uint8_t>(stored));
    tensor.values[i] = scales[i / inner % scales.size()] * static_cast<float>(stored);
  }
  tensor.type = TensorType_INT8;
  tensor.constant = true;
  tensor.channel_scales = std::move(scales);
  tensor.channel_dimension = dimension;
  return tensor;
}

// The float16 of a multiple of a quarter below 2: sign, exponent and mantissa written out.
uint16_t half_of(float value) {
  const auto quarters = static_cast<unsigned>(std::abs(value) * 4);
  constexpr uint16_t kHalves[] = {0, 0x3400, 0x3800, 0x3a00, 0x3c00, 0x3d00, 0x3e00, 0x3f00};
  return static_cast<uint16_t>(kHalves[quarters] | (value < 0 ? 0x8000U : 0U));
}

struct Steps {
  int32_t stride = 1, dilation = 1;
};

// A convolution with padding SAME of NHWC pictures, with weights [channels, height, width, depth of a group].
FileTensor convolved(const FileTensor& data, const FileTensor& weights, const std::vector<float>& bias, Steps steps = {}) {
  const int32_t height = (data.shape[1] + steps.stride - 1) / steps.stride,
                width = (data.shape[2] + steps.stride - 1) / steps.stride;
  const int32_t channels = weights.shape[0], depth = weights.shape[3];
  const int32_t groups = data.shape[3] / depth;
  const auto before = [&](int32_t out, int32_t in, int32_t kernel) {
    return std::max((out - 1) * steps.stride + (kernel - 1) * steps.dilation + 1 - in, 0) / 2;
  };
  const int32_t top = before(height, data.shape[1], weights.shape[1]), left = before(width, data.shape[2], weights.shape[2]);
  FileTensor result = real({data.shape[0], height, width, channels}, {});
  for (int32_t n = 0; n < data.shape[0]; ++n) {
    for (int32_t y = 0; y < height; ++y) {
      for (int32_t x = 0; x < width; ++x) {
        for (int32_t c = 0; c < channels; ++c) {
          float sum = bias.empty() ? 0 : bias[static_cast<size_t>(c)];
          const int32_t first = c / (channels / groups) * depth;
          for (int32_t ky = 0; ky < weights.shape[1]; ++ky) {
            for (int32_t kx = 0; kx < weights.shape[2]; ++kx) {
              const int32_t py = y * steps.stride - top + ky * steps.dilation, px = x * steps.stride - left + kx * steps.dilation;
              if (py < 0 || px < 0 || py >= data.shape[1] || px >= data.shape[2]) continue;
              for (int32_t d = 0; d < depth; ++d) {
                sum += data.values[at(data, n, py, px, first + d)] * weights.values[at(weights, c, ky, kx, d)];
              }
            }
          }
          result.values.push_back(sum);
        }
      }
    }
  }
  return result;
}

OptionsMaker convolution_options(Steps steps = {}) {
  return made([steps](auto& b) {
    return CreateConv2DOptions(b, Padding_SAME, steps.stride, steps.stride, Activation_NONE, steps.dilation, steps.dilation);
  });
}

std::vector<OperatorCase> convolution_cases() {
  const FileTensor data = made_up({1, 4, 5, 4}, 1);
  const FileTensor weights = made_up({3, 3, 2, 4}, 2);
  const std::vector<float> bias{0.5F, -1, 2};
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, std::vector<FileTensor> inputs, FileTensor output, Steps steps = {}) {
    cases.push_back({.name = name,
                     .code = BuiltinOperator_CONV_2D,
                     .inputs = std::move(inputs),
                     .outputs = {std::move(output)},
                     .options = convolution_options(steps)});
  };
  add("", {data, fixed(weights), fixed(real({3}, bias))}, convolved(data, weights, bias));
  add("WithoutBias", {data, fixed(weights)}, convolved(data, weights, {}));
  add("Strided", {data, fixed(weights), fixed(real({3}, bias))}, convolved(data, weights, bias, {.stride = 2}), {.stride = 2});
  add("Dilated", {data, fixed(weights), fixed(real({3}, bias))}, convolved(data, weights, bias, {.dilation = 2}),
      {.dilation = 2});
  const FileTensor grouped = made_up({6, 3, 2, 2}, 3);
  add("InGroups", {data, fixed(grouped)}, convolved(data, grouped, {}));
  const FileTensor hybrid = per_channel(weights, {0.125F, 0.25F, 0.0625F}, 0);
  add("OfRealsWithBytes", {data, hybrid, fixed(real({3}, bias))}, convolved(data, hybrid, bias));
  FileTensor halves = fixed(weights);
  halves.type = TensorType_FLOAT16;
  for (const float value : halves.values) {
    const uint16_t bits = half_of(value);
    halves.stored.push_back(static_cast<uint8_t>(bits & 0xffU));
    halves.stored.push_back(static_cast<uint8_t>(bits >> 8));
  }
  add("OfRealsWithHalves", {data, halves, fixed(real({3}, bias))}, convolved(data, weights, bias));
  // 8 bits: the bias has 8 bits and a scale per channel as well.
  FileTensor bytes = quantized(data.shape, data.values, 0.25F, 3);
  FileTensor small_bias = fixed(real({3}, {0.5F, -1, 2}));
  small_bias.type = TensorType_INT8;
  small_bias.channel_scales = {0.5F, 0.25F, 1};
  small_bias.stored = {1, static_cast<uint8_t>(-4), 2};
  FileTensor result = convolved(data, hybrid, bias);
  result = quantized(result.shape, result.values, 0.25F, -10);
  add("OfStepsWithSmallBias", {bytes, hybrid, small_bias}, result);
  FileTensor sums = fixed(whole({3}, {}));
  for (size_t c = 0; c < 3; ++c) sums.values.push_back(bias[c] / (0.25F * hybrid.channel_scales[c]));
  add("OfSteps", {bytes, hybrid, sums}, result);
  return cases;
}

std::vector<OperatorCase> depthwise_cases() {
  const FileTensor data = made_up({1, 3, 4, 2}, 4);
  const FileTensor weights = made_up({1, 3, 3, 4}, 5);  // two results for each channel of the data
  const std::vector<float> bias{1, -1, 0.5F, 0};
  FileTensor result = real({1, 3, 4, 4}, {});
  for (int32_t y = 0; y < 3; ++y) {
    for (int32_t x = 0; x < 4; ++x) {
      for (int32_t c = 0; c < 4; ++c) {
        float sum = bias[static_cast<size_t>(c)];
        for (int32_t ky = 0; ky < 3; ++ky) {
          for (int32_t kx = 0; kx < 3; ++kx) {
            const int32_t py = y - 1 + ky, px = x - 1 + kx;
            if (py < 0 || px < 0 || py >= 3 || px >= 4) continue;
            sum += data.values[at(data, 0, py, px, c / 2)] * weights.values[at(weights, 0, ky, kx, c)];
          }
        }
        result.values.push_back(sum);
      }
    }
  }
  const auto options = made([](auto& b) { return CreateDepthwiseConv2DOptions(b, Padding_SAME, 1, 1, 2, Activation_NONE); });
  std::vector<OperatorCase> cases;
  cases.push_back({.name = "",
                   .code = BuiltinOperator_DEPTHWISE_CONV_2D,
                   .inputs = {data, fixed(weights), fixed(real({4}, bias))},
                   .outputs = {result},
                   .options = options});
  return cases;
}

// Each pixel of the data adds the kernel to the result at twice its place.
std::vector<OperatorCase> transposed_cases() {
  const FileTensor data = made_up({1, 2, 2, 2}, 6);
  const FileTensor weights = made_up({3, 2, 2, 2}, 7);
  FileTensor result = real({1, 4, 4, 3}, std::vector<float>(48));
  for (int32_t y = 0; y < 2; ++y) {
    for (int32_t x = 0; x < 2; ++x) {
      for (int32_t c = 0; c < 3; ++c) {
        for (int32_t ky = 0; ky < 2; ++ky) {
          for (int32_t kx = 0; kx < 2; ++kx) {
            for (int32_t d = 0; d < 2; ++d) {
              result.values[at(result, 0, 2 * y + ky, 2 * x + kx, c)] +=
                  data.values[at(data, 0, y, x, d)] * weights.values[at(weights, c, ky, kx, d)];
            }
          }
        }
      }
    }
  }
  std::vector<OperatorCase> cases;
  cases.push_back({.name = "",
                   .code = BuiltinOperator_TRANSPOSE_CONV,
                   .inputs = {fixed(whole({4}, {1, 4, 4, 3})), fixed(weights), data},
                   .outputs = {result},
                   .options = made([](auto& b) { return CreateTransposeConvOptions(b, Padding_VALID, 2, 2, Activation_NONE); })});
  return cases;
}

// Rows of the data times rows of the weights.
FileTensor dense(const FileTensor& data, const FileTensor& weights, const std::vector<float>& bias, std::vector<int32_t> shape) {
  const auto depth = static_cast<size_t>(weights.shape[1]), units = static_cast<size_t>(weights.shape[0]);
  FileTensor result = real(std::move(shape), {});
  for (size_t row = 0; row < data.values.size() / depth; ++row) {
    for (size_t u = 0; u < units; ++u) {
      float sum = bias.empty() ? 0 : bias[u];
      for (size_t d = 0; d < depth; ++d) sum += data.values[row * depth + d] * weights.values[u * depth + d];
      result.values.push_back(sum);
    }
  }
  return result;
}

std::vector<OperatorCase> dense_cases() {
  const FileTensor data = made_up({2, 6}, 8);
  const FileTensor weights = made_up({3, 6}, 9);
  const std::vector<float> bias{1, -0.5F, 0};
  const auto plain = made([](auto& b) { return CreateFullyConnectedOptions(b, Activation_NONE); });
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, std::vector<FileTensor> inputs, FileTensor output, const OptionsMaker& options) {
    cases.push_back({.name = name,
                     .code = BuiltinOperator_FULLY_CONNECTED,
                     .inputs = std::move(inputs),
                     .outputs = {std::move(output)},
                     .options = options});
  };
  add("", {data, fixed(weights), fixed(real({3}, bias))}, dense(data, weights, bias, {2, 3}), plain);
  FileTensor clamped = dense(data, weights, {}, {2, 3});
  for (float& value : clamped.values) value = std::max(value, 0.0F);
  add("WithRelu", {data, fixed(weights), kOmitted}, clamped,
      made([](auto& b) { return CreateFullyConnectedOptions(b, Activation_RELU); }));
  const FileTensor cube = made_up({2, 2, 6}, 10);
  add("OfRows", {cube, fixed(weights)}, dense(cube, weights, {}, {2, 2, 3}),
      made([](auto& b) { return CreateFullyConnectedOptions(b, Activation_NONE, WeightsFormat_DEFAULT, true); }));
  // Two weights in each byte, the first in the low half.
  FileTensor packed = fixed(weights);
  packed.type = TensorType_INT4;
  packed.scale = 0.25F;
  packed.stored.resize(9);
  for (size_t i = 0; i < packed.values.size(); ++i) {
    const auto stored = static_cast<uint8_t>(static_cast<int>(packed.values[i] / 0.25F) & 0xf);
    packed.stored[i / 2] = static_cast<uint8_t>(packed.stored[i / 2] | (i % 2 == 0 ? stored : stored << 4));
  }
  add("OfRealsWithHalfBytes", {data, packed}, dense(data, weights, {}, {2, 3}), plain);
  const FileTensor bytes = quantized(data.shape, data.values, 0.25F, -3);
  const FileTensor channels = per_channel(weights, {0.125F, 0.25F, 0.5F}, 0);
  FileTensor result = dense(data, channels, {}, {2, 3});
  add("OfStepsPerChannel", {bytes, channels}, quantized({2, 3}, result.values, 0.5F, 0), plain);
  result = dense(data, weights, {}, {2, 3});
  add("OfSteps", {bytes, fixed(quantized({3, 6}, weights.values, 0.25F, 0))}, quantized({2, 3}, result.values, 0.5F, 0), plain);
  add("OfStepsWithHalfBytes", {bytes, packed}, quantized({2, 3}, result.values, 0.5F, 0), plain);
  return cases;
}

// Stacks of matrices [.., rows, inner] and [.., inner, columns]; the second may be one matrix for all.
FileTensor product(const FileTensor& a, const FileTensor& b, std::vector<int32_t> shape) {
  const auto rows = static_cast<size_t>(a.shape[a.shape.size() - 2]), inner = static_cast<size_t>(a.shape.back());
  const auto columns = static_cast<size_t>(b.shape.back());
  FileTensor result = real(std::move(shape), {});
  const size_t stacks = a.values.size() / (rows * inner);
  for (size_t s = 0; s < stacks; ++s) {
    const size_t other = s % (b.values.size() / (inner * columns));
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < columns; ++c) {
        float sum = 0;
        for (size_t i = 0; i < inner; ++i) {
          sum += a.values[(s * rows + r) * inner + i] * b.values[(other * inner + i) * columns + c];
        }
        result.values.push_back(sum);
      }
    }
  }
  return result;
}

FileTensor transposed(const FileTensor& matrix) {
  FileTensor result = matrix;
  const auto rows = static_cast<size_t>(matrix.shape[0]), columns = static_cast<size_t>(matrix.shape[1]);
  std::swap(result.shape[0], result.shape[1]);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) result.values[c * rows + r] = matrix.values[r * columns + c];
  }
  return result;
}

std::vector<OperatorCase> product_cases() {
  const FileTensor a = made_up({2, 2, 3}, 11), b = made_up({2, 3, 4}, 12), one = made_up({3, 4}, 13);
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, std::vector<FileTensor> inputs, FileTensor output, const OptionsMaker& options) {
    cases.push_back({.name = name,
                     .code = BuiltinOperator_BATCH_MATMUL,
                     .inputs = std::move(inputs),
                     .outputs = {std::move(output)},
                     .options = options});
  };
  const auto plain = made([](auto& builder) { return CreateBatchMatMulOptions(builder, false, false); });
  add("", {a, b}, product(a, b, {2, 2, 4}), plain);
  add("WithOneMatrix", {a, one}, product(a, one, {2, 2, 4}), plain);
  add("WithATransposedMatrix", {a, transposed(one)}, product(a, one, {2, 2, 4}),
      made([](auto& builder) { return CreateBatchMatMulOptions(builder, false, true); }));
  const FileTensor flat = made_up({2, 3}, 14);
  add("OfATransposedMatrix", {transposed(flat), one}, product(flat, one, {2, 4}),
      made([](auto& builder) { return CreateBatchMatMulOptions(builder, true, false); }));
  const FileTensor lone = made_up({1, 2, 3}, 15);
  FileTensor repeated = real({2, 2, 3}, lone.values);
  repeated.values.insert(repeated.values.end(), lone.values.begin(), lone.values.end());
  add("WithABroadcastStack", {lone, b}, product(repeated, b, {2, 2, 4}), plain);
  add("OfRealsWithBytes", {a, fixed(quantized({3, 4}, one.values, 0.25F, 0))}, product(a, one, {2, 2, 4}), plain);
  add("OfSteps", {quantized(a.shape, a.values, 0.25F, 2), quantized(b.shape, b.values, 0.25F, 0)},
      quantized({2, 2, 4}, product(a, b, {2, 2, 4}).values, 0.25F, 0), plain);
  return cases;
}

}  // namespace

std::vector<OperatorCase> layer_cases() {
  std::vector<OperatorCase> cases;
  for (auto* family : {convolution_cases, depthwise_cases, transposed_cases, dense_cases, product_cases}) {
    for (OperatorCase& one : family()) cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace nnvk::test
