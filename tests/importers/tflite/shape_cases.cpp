// Shapes, repetitions and reversals, with worked numbers.
#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using namespace format;

const std::vector<float> kSix{1, 2, 3, 4, 5, 6};

FileTensor numbers(std::vector<float> values) {
  const auto size = static_cast<int32_t>(values.size());
  return fixed(whole({size}, std::move(values)));
}

std::vector<OperatorCase> reshape_cases() {
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, BuiltinOperator code, std::vector<FileTensor> inputs, FileTensor output,
                       OptionsMaker options = {}) {
    cases.push_back(
        {.name = name, .code = code, .inputs = std::move(inputs), .outputs = {std::move(output)}, .options = std::move(options)});
  };
  add("", BuiltinOperator_RESHAPE, {real({2, 3}, kSix), numbers({3, 2})}, real({3, 2}, kSix));
  add("OfIntegers", BuiltinOperator_RESHAPE, {whole({2, 3}, kSix), numbers({-1})}, whole({6}, kSix));
  add("OfMasks", BuiltinOperator_RESHAPE, {mask({2, 2}, {1, 0, 0, 1}), numbers({4})}, mask({4}, {1, 0, 0, 1}));
  add("OfStepsToOthers", BuiltinOperator_RESHAPE, {quantized({2, 3}, kSix, 1, 0), numbers({6})}, quantized({6}, kSix, 0.5F, -4));
  add("", BuiltinOperator_SQUEEZE, {real({1, 6, 1}, kSix)}, real({6, 1}, kSix), made([](auto& b) {
        const std::vector<int32_t> axes{0};
        return CreateSqueezeOptions(b, b.CreateVector(axes));
      }));
  add("OfAllOnes", BuiltinOperator_SQUEEZE, {real({1, 6, 1}, kSix)}, real({6}, kSix));
  add("OfIntegers", BuiltinOperator_SQUEEZE, {whole({1, 6, 1}, kSix)}, whole({6}, kSix));
  add("", BuiltinOperator_EXPAND_DIMS, {real({2, 3}, kSix), numbers({1})}, real({2, 1, 3}, kSix));
  add("AtTheEnd", BuiltinOperator_EXPAND_DIMS, {whole({2, 3}, kSix), numbers({-1})}, whole({2, 3, 1}, kSix));
  add("", BuiltinOperator_TRANSPOSE, {real({2, 3}, kSix), numbers({1, 0})}, real({3, 2}, {1, 4, 2, 5, 3, 6}));
  add("OfIntegers", BuiltinOperator_TRANSPOSE, {whole({1, 2, 3}, kSix), numbers({2, 0, 1})},
      whole({3, 1, 2}, {1, 4, 2, 5, 3, 6}));
  add("OfMasks", BuiltinOperator_TRANSPOSE, {mask({2, 2}, {1, 0, 1, 1}), numbers({1, 0})}, mask({2, 2}, {1, 1, 0, 1}));
  return cases;
}

std::vector<OperatorCase> repeat_cases() {
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, BuiltinOperator code, std::vector<FileTensor> inputs, FileTensor output) {
    cases.push_back({.name = name, .code = code, .inputs = std::move(inputs), .outputs = {std::move(output)}});
  };
  add("", BuiltinOperator_TILE, {real({1, 2}, {1, 2}), numbers({2, 2})}, real({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2}));
  add("OfIntegers", BuiltinOperator_TILE, {whole({2}, {1, 2}), numbers({2})}, whole({4}, {1, 2, 1, 2}));
  add("", BuiltinOperator_BROADCAST_TO, {real({2, 1}, {1, 2}), numbers({2, 2, 2})}, real({2, 2, 2}, {1, 1, 2, 2, 1, 1, 2, 2}));
  add("OfMasks", BuiltinOperator_BROADCAST_TO, {mask({2, 1}, {1, 0}), numbers({2, 2})}, mask({2, 2}, {1, 1, 0, 0}));
  add("OfAComputedNumber", BuiltinOperator_FILL, {numbers({2, 2}), real({}, {1.5F})}, real({2, 2}, {1.5F, 1.5F, 1.5F, 1.5F}));
  add("", BuiltinOperator_ZEROS_LIKE, {real({2, 1}, {1, 2})}, real({2, 1}, {0, 0}));
  add("", BuiltinOperator_REVERSE_V2, {real({2, 3}, kSix), numbers({1})}, real({2, 3}, {3, 2, 1, 6, 5, 4}));
  add("AlongTwoAxes", BuiltinOperator_REVERSE_V2, {whole({2, 3}, kSix), numbers({0, -1})}, whole({2, 3}, {6, 5, 4, 3, 2, 1}));
  add("", BuiltinOperator_SHAPE, {real({2, 3}, kSix)}, whole({2}, {2, 3}));
  add("", BuiltinOperator_RANK, {real({2, 3}, kSix)}, whole({}, {2}));
  return cases;
}

}  // namespace

std::vector<OperatorCase> shape_cases() {
  std::vector<OperatorCase> cases = reshape_cases();
  for (OperatorCase& one : repeat_cases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace nnvk::test
