// Arithmetic: each result is computed here, element by element, by what the operator is defined to do.
#include <algorithm>
#include <cmath>

#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using format::Activation_NONE;
using format::Activation_RELU;
using format::Activation_TANH;
using Function = float (*)(float, float);

const std::vector<int32_t> kShape{1, 2, 2, 3};

// Both inputs of shape kShape.
FileTensor combined(const FileTensor& a, const FileTensor& b, Function function) {
  FileTensor result = a;
  for (size_t i = 0; i < a.values.size(); ++i) {
    result.values[i] = function(a.values[i], b.values[b.values.size() == 1 ? 0 : i % b.values.size()]);
  }
  return result;
}

OperatorCase of_reals(const char* name, format::BuiltinOperator code, Function function, OptionsMaker options = {}) {
  const FileTensor a = made_up(kShape, 1);
  FileTensor b = made_up(kShape, 2);
  for (float& value : b.values) value += value >= 0 ? 0.75F : -0.75F;  // a divisor
  return {.name = name, .code = code, .inputs = {a, b}, .outputs = {combined(a, b, function)}, .options = std::move(options)};
}

OperatorCase of_integers(const char* name, format::BuiltinOperator code, Function function, OptionsMaker options = {}) {
  FileTensor a = made_up(kShape, 3, 3);
  FileTensor b = made_up({3}, 4, 1);
  a.type = b.type = format::TensorType_INT32;
  for (float& value : b.values) value += value >= 0 ? 1 : -1;
  return {.name = name, .code = code, .inputs = {a, b}, .outputs = {combined(a, b, function)}, .options = std::move(options)};
}

// 8-bit inputs, with results in `scale`.
OperatorCase of_steps(const char* name, format::BuiltinOperator code, Function function, float scale, OptionsMaker options = {}) {
  const FileTensor from_a = made_up(kShape, 5, 0.5F);
  FileTensor from_b = made_up(kShape, 6, 0.25F);
  for (float& value : from_b.values) value += value >= 0 ? 0.5F : -0.5F;
  const FileTensor a = quantized(kShape, from_a.values, 0.5F, -3);
  const FileTensor b = quantized(kShape, from_b.values, 0.25F, 5);
  FileTensor result = combined(a, b, function);
  result.scale = scale;
  result.zero_point = 2;
  for (float& value : result.values) value = std::clamp(value, scale * (-128 - 2), scale * (127 - 2));
  return {.name = name, .code = code, .inputs = {a, b}, .outputs = {result}, .options = std::move(options)};
}

float add(float a, float b) { return a + b; }
float subtract(float a, float b) { return a - b; }
float multiply(float a, float b) { return a * b; }
float divide(float a, float b) { return a / b; }
float floor_of_quotient(float a, float b) { return std::floor(a / b); }
float remainder_of(float a, float b) { return a - std::floor(a / b) * b; }
float squared_difference(float a, float b) { return (a - b) * (a - b); }
float larger(float a, float b) { return std::max(a, b); }
float smaller(float a, float b) { return std::min(a, b); }

OperatorCase power() {
  const FileTensor a = real({2, 3}, {0.5F, 1, 2, 3, 4, 5});
  const FileTensor b = real({1, 3}, {2, -1, 0.5F});
  return {.name = "",
          .code = format::BuiltinOperator_POW,
          .inputs = {a, b},
          .outputs = {real({2, 3}, {0.25F, 1, std::sqrt(2.0F), 9, 0.25F, std::sqrt(5.0F)})}};
}

OperatorCase square(bool steps) {
  const FileTensor from = made_up(kShape, 7, 0.5F);
  OperatorCase one{.name = steps ? "OfSteps" : "", .code = format::BuiltinOperator_SQUARE, .inputs = {from}, .outputs = {from}};
  for (float& value : one.outputs[0].values) value *= value;
  if (!steps) return one;
  one.inputs[0] = quantized(kShape, from.values, 0.5F, 1);
  one.outputs[0] = quantized(kShape, one.outputs[0].values, 0.125F, -128);
  return one;
}

OperatorCase sum_of_many() {
  const FileTensor a = made_up(kShape, 8), b = made_up(kShape, 9), c = made_up(kShape, 10);
  return {
      .name = "", .code = format::BuiltinOperator_ADD_N, .inputs = {a, b, c}, .outputs = {combined(combined(a, b, add), c, add)}};
}

OperatorCase prelu() {
  const FileTensor a = made_up(kShape, 11);
  const FileTensor alpha = fixed(real({1, 1, 3}, {0.5F, -1, 2}));
  return {.name = "",
          .code = format::BuiltinOperator_PRELU,
          .inputs = {a, alpha},
          .outputs = {combined(a, alpha, [](float x, float slope) { return x >= 0 ? x : slope * x; })}};
}

}  // namespace

std::vector<OperatorCase> arithmetic_cases() {
  const auto plain_add = made([](auto& b) { return format::CreateAddOptions(b, Activation_NONE); });
  const auto clamped = made([](auto& b) { return format::CreateSubOptions(b, Activation_RELU); });
  const auto bent = made([](auto& b) { return format::CreateMulOptions(b, Activation_TANH); });
  const auto plain_div = made([](auto& b) { return format::CreateDivOptions(b, Activation_NONE); });
  using format::BuiltinOperator_ADD;
  return {
      of_reals("", BuiltinOperator_ADD, add, plain_add),
      of_reals("WithoutOptions", BuiltinOperator_ADD, add),
      of_integers("OfIntegers", BuiltinOperator_ADD, add, plain_add),
      of_steps("OfSteps", BuiltinOperator_ADD, add, 0.5F, plain_add),
      of_reals(
          "", format::BuiltinOperator_SUB, [](float a, float b) { return std::max(a - b, 0.0F); }, clamped),
      of_steps("OfSteps", format::BuiltinOperator_SUB, subtract, 0.5F),
      of_reals(
          "WithTanh", format::BuiltinOperator_MUL, [](float a, float b) { return std::tanh(a * b); }, bent),
      of_integers("OfIntegers", format::BuiltinOperator_MUL, multiply),
      of_steps("OfSteps", format::BuiltinOperator_MUL, multiply, 0.25F),
      of_steps("OfFineSteps", format::BuiltinOperator_MUL, multiply, 0.0625F),
      of_reals("", format::BuiltinOperator_DIV, divide, plain_div),
      of_steps("OfSteps", format::BuiltinOperator_DIV, divide, 0.125F, plain_div),
      of_reals("", format::BuiltinOperator_FLOOR_DIV, floor_of_quotient),
      of_integers("OfIntegers", format::BuiltinOperator_FLOOR_DIV, floor_of_quotient),
      of_reals("", format::BuiltinOperator_FLOOR_MOD, remainder_of),
      of_integers("OfIntegers", format::BuiltinOperator_FLOOR_MOD, remainder_of),
      of_reals("", format::BuiltinOperator_SQUARED_DIFFERENCE, squared_difference),
      of_steps("OfSteps", format::BuiltinOperator_SQUARED_DIFFERENCE, squared_difference, 0.25F),
      of_reals("", format::BuiltinOperator_MAXIMUM, larger),
      of_integers("OfIntegers", format::BuiltinOperator_MAXIMUM, larger),
      of_steps("OfSteps", format::BuiltinOperator_MAXIMUM, larger, 0.5F),
      of_reals("", format::BuiltinOperator_MINIMUM, smaller),
      of_steps("OfSteps", format::BuiltinOperator_MINIMUM, smaller, 0.5F),
      power(),
      square(false),
      square(true),
      sum_of_many(),
      prelu(),
  };
}

}  // namespace nnvk::test
