// Functions of single elements, and of rows (SOFTMAX).
#include <algorithm>
#include <cmath>

#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using Function = float (*)(float);

const std::vector<int32_t> kShape{2, 1, 3, 2};

FileTensor applied(FileTensor tensor, Function function) {
  for (float& value : tensor.values) value = function(value);
  return tensor;
}

OperatorCase of_reals(format::BuiltinOperator code, Function function, float offset = 0, OptionsMaker options = {}) {
  FileTensor data = made_up(kShape, static_cast<int>(code));
  for (float& value : data.values) value += offset + 0.1F;
  return {.name = "", .code = code, .inputs = {data}, .outputs = {applied(data, function)}, .options = std::move(options)};
}

// With 8-bit input (in quarters) and output (in `scale`).
OperatorCase of_steps(format::BuiltinOperator code, Function function, float scale, int64_t zero_point,
                      OptionsMaker options = {}) {
  const FileTensor from = made_up(kShape, static_cast<int>(code) + 1);
  const FileTensor data = quantized(kShape, from.values, 0.25F, 4);
  FileTensor result = quantized(kShape, applied(from, function).values, scale, zero_point);
  for (float& value : result.values) {
    value = std::clamp(value, scale * static_cast<float>(-128 - zero_point), scale * static_cast<float>(127 - zero_point));
  }
  return {.name = "OfSteps", .code = code, .inputs = {data}, .outputs = {result}, .options = std::move(options)};
}

FileTensor rows_applied(FileTensor tensor, int32_t size, void (*function)(float* row, int32_t size)) {
  for (size_t first = 0; first < tensor.values.size(); first += static_cast<size_t>(size)) function(&tensor.values[first], size);
  return tensor;
}

void softmax(float* row, int32_t size) {
  float sum = 0;
  for (int32_t i = 0; i < size; ++i) sum += row[i] = std::exp(row[i]);
  for (int32_t i = 0; i < size; ++i) row[i] /= sum;
}

void log_softmax(float* row, int32_t size) {
  softmax(row, size);
  for (int32_t i = 0; i < size; ++i) row[i] = std::log(row[i]);
}

std::vector<OperatorCase> row_cases() {
  const FileTensor data = made_up({2, 5}, 3);
  const auto beta = made([](auto& b) { return format::CreateSoftmaxOptions(b, 1.0F); });
  std::vector<OperatorCase> cases;
  cases.push_back({.name = "",
                   .code = format::BuiltinOperator_SOFTMAX,
                   .inputs = {data},
                   .outputs = {rows_applied(data, 5, softmax)},
                   .options = beta});
  cases.push_back({.name = "OfSteps",
                   .code = format::BuiltinOperator_SOFTMAX,
                   .inputs = {quantized({2, 5}, data.values, 0.25F, 0)},
                   .outputs = {quantized({2, 5}, rows_applied(data, 5, softmax).values, 1.0F / 256, -128)},
                   .options = beta});
  cases.push_back({.name = "",
                   .code = format::BuiltinOperator_LOG_SOFTMAX,
                   .inputs = {data},
                   .outputs = {rows_applied(data, 5, log_softmax)}});
  cases.push_back({.name = "OfSteps",
                   .code = format::BuiltinOperator_LOG_SOFTMAX,
                   .inputs = {quantized({2, 5}, data.values, 0.25F, 0)},
                   .outputs = {quantized({2, 5}, rows_applied(data, 5, log_softmax).values, 16.0F / 256, 127)}});
  return cases;
}

std::vector<OperatorCase> cast_cases() {
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, format::BuiltinOperator code, FileTensor from, FileTensor to) {
    cases.push_back({.name = name, .code = code, .inputs = {std::move(from)}, .outputs = {std::move(to)}});
  };
  using format::BuiltinOperator_CAST;
  add("ToIntegers", BuiltinOperator_CAST, real({4}, {1.75F, -1.75F, 0, 3}), whole({4}, {1, -1, 0, 3}));
  add("ToReals", BuiltinOperator_CAST, whole({3}, {1, -2, 3}), real({3}, {1, -2, 3}));
  add("ToMask", BuiltinOperator_CAST, real({4}, {0, 0.5F, -1, 0}), mask({4}, {0, 1, 1, 0}));
  add("OfMask", BuiltinOperator_CAST, mask({2, 2}, {0, 1, 1, 0}), real({2, 2}, {0, 1, 1, 0}));
  add("OfMaskToIntegers", BuiltinOperator_CAST, mask({2, 2}, {1, 1, 0, 0}), whole({2, 2}, {1, 1, 0, 0}));
  FileTensor bytes = whole({3}, {-5, 0, 100});
  bytes.type = format::TensorType_INT8;
  add("OfBytes", BuiltinOperator_CAST, bytes, whole({3}, {-5, 0, 100}));
  add("", format::BuiltinOperator_QUANTIZE, real({4}, {0, 1, -1, 3}), quantized({4}, {0, 1, -1, 3}, 0.25F, 3));
  add("OfSteps", format::BuiltinOperator_QUANTIZE, quantized({3}, {0, 1, -1}, 0.5F, 1), quantized({3}, {0, 1, -1}, 0.25F, -4));
  add("", format::BuiltinOperator_DEQUANTIZE, quantized({4}, {0, 1, -1, 3}, 0.25F, 3), real({4}, {0, 1, -1, 3}));
  return cases;
}

}  // namespace

std::vector<OperatorCase> unary_cases() {
  using namespace format;
  const auto leaky = made([](auto& b) { return CreateLeakyReluOptions(b, 0.125F); });
  const auto tanh_form = made([](auto& b) { return CreateGeluOptions(b, true); });
  const auto gelu = [](float x) { return 0.5F * x * (1 + std::tanh(0.79788456F * (x + 0.044715F * x * x * x))); };
  std::vector<OperatorCase> cases{
      of_reals(BuiltinOperator_ABS, [](float x) { return std::abs(x); }),
      of_steps(
          BuiltinOperator_ABS, [](float x) { return std::abs(x); }, 0.25F, -128),
      of_reals(BuiltinOperator_NEG, [](float x) { return -x; }),
      of_reals(BuiltinOperator_EXP, [](float x) { return std::exp(x); }),
      of_reals(
          BuiltinOperator_LOG, [](float x) { return std::log(x); }, 2),
      of_reals(BuiltinOperator_SIN, [](float x) { return std::sin(x); }),
      of_reals(
          BuiltinOperator_SQRT, [](float x) { return std::sqrt(x); }, 2),
      of_reals(
          BuiltinOperator_RSQRT, [](float x) { return 1 / std::sqrt(x); }, 2),
      of_reals(BuiltinOperator_FLOOR, [](float x) { return std::floor(x); }),
      of_reals(BuiltinOperator_CEIL, [](float x) { return std::ceil(x); }),
      of_reals(BuiltinOperator_ELU, [](float x) { return x >= 0 ? x : std::expm1(x); }),
      of_steps(
          BuiltinOperator_ELU, [](float x) { return x >= 0 ? x : std::expm1(x); }, 0.125F, -50),
      of_reals(BuiltinOperator_GELU, gelu, 0, tanh_form),
      of_steps(BuiltinOperator_GELU, gelu, 0.125F, -50, tanh_form),
      of_reals(
          BuiltinOperator_LEAKY_RELU, [](float x) { return x >= 0 ? x : 0.125F * x; }, 0, leaky),
      of_steps(
          BuiltinOperator_LEAKY_RELU, [](float x) { return x >= 0 ? x : 0.125F * x; }, 0.25F, 0, leaky),
      of_reals(BuiltinOperator_RELU, [](float x) { return std::max(x, 0.0F); }),
      of_steps(
          BuiltinOperator_RELU, [](float x) { return std::max(x, 0.0F); }, 0.25F, 4),
      of_reals(BuiltinOperator_RELU_N1_TO_1, [](float x) { return std::clamp(x, -1.0F, 1.0F); }),
      of_reals(
          BuiltinOperator_RELU6, [](float x) { return std::clamp(x, 0.0F, 6.0F); }, 5),
      of_reals(BuiltinOperator_RELU_0_TO_1, [](float x) { return std::clamp(x, 0.0F, 1.0F); }),
      of_steps(
          BuiltinOperator_RELU_0_TO_1, [](float x) { return std::clamp(x, 0.0F, 1.0F); }, 1.0F / 64, -128),
      of_reals(BuiltinOperator_HARD_SWISH, [](float x) { return x * std::clamp(x + 3, 0.0F, 6.0F) / 6; }),
      of_steps(
          BuiltinOperator_HARD_SWISH, [](float x) { return x * std::clamp(x + 3, 0.0F, 6.0F) / 6; }, 0.0625F, 0),
      of_reals(BuiltinOperator_LOGISTIC, [](float x) { return 1 / (1 + std::exp(-x)); }),
      of_steps(
          BuiltinOperator_LOGISTIC, [](float x) { return 1 / (1 + std::exp(-x)); }, 1.0F / 256, -128),
      of_reals(BuiltinOperator_TANH, [](float x) { return std::tanh(x); }),
      of_steps(
          BuiltinOperator_TANH, [](float x) { return std::tanh(x); }, 1.0F / 100, 0),
  };
  for (auto* more : {row_cases, cast_cases}) {
    for (OperatorCase& one : more()) cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace nnvk::test
