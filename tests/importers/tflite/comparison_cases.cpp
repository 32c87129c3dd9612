// Comparisons, logic and selections.
#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using namespace format;
using Tensors = std::vector<FileTensor>;

OperatorCase comparison(BuiltinOperator code, bool (*holds)(float, float)) {
  const FileTensor a = real({2, 3}, {1, 2, 3, 4, 5, 6});
  const FileTensor b = real({1, 3}, {4, 2, 3});
  FileTensor result = mask({2, 3}, {});
  for (size_t i = 0; i < 6; ++i) result.values.push_back(holds(a.values[i], b.values[i % 3]) ? 1 : 0);
  return {.name = "", .code = code, .inputs = {a, b}, .outputs = {result}};
}

}  // namespace

std::vector<OperatorCase> comparison_cases() {
  std::vector<OperatorCase> cases{
      comparison(BuiltinOperator_EQUAL, [](float a, float b) { return a == b; }),
      comparison(BuiltinOperator_NOT_EQUAL, [](float a, float b) { return a != b; }),
      comparison(BuiltinOperator_LESS, [](float a, float b) { return a < b; }),
      comparison(BuiltinOperator_LESS_EQUAL, [](float a, float b) { return a <= b; }),
      comparison(BuiltinOperator_GREATER, [](float a, float b) { return a > b; }),
      comparison(BuiltinOperator_GREATER_EQUAL, [](float a, float b) { return a >= b; }),
  };
  const auto add = [&](const char* name, BuiltinOperator code, Tensors inputs, FileTensor output) {
    cases.push_back({.name = name, .code = code, .inputs = std::move(inputs), .outputs = {std::move(output)}});
  };
  add("OfDifferentSteps", BuiltinOperator_GREATER, {quantized({3}, {1, 2, 3}, 0.5F, 1), quantized({3}, {2, 2, 2}, 0.25F, 0)},
      mask({3}, {0, 0, 1}));
  add("OfIntegers", BuiltinOperator_EQUAL, {whole({3}, {1, 2, 3}), fixed(whole({1}, {2}))}, mask({3}, {0, 1, 0}));
  const FileTensor a = mask({4}, {0, 0, 1, 1}), b = mask({4}, {0, 1, 0, 1});
  add("", BuiltinOperator_LOGICAL_AND, {a, b}, mask({4}, {0, 0, 0, 1}));
  add("", BuiltinOperator_LOGICAL_OR, {a, b}, mask({4}, {0, 1, 1, 1}));
  add("", BuiltinOperator_LOGICAL_NOT, {a}, mask({4}, {1, 1, 0, 0}));
  const FileTensor x = real({2, 2}, {1, 2, 3, 4}), y = real({2, 2}, {5, 6, 7, 8});
  add("", BuiltinOperator_SELECT, {mask({2, 2}, {1, 0, 0, 1}), x, y}, real({2, 2}, {1, 6, 7, 4}));
  add("OfRows", BuiltinOperator_SELECT, {mask({2}, {0, 1}), x, y}, real({2, 2}, {5, 6, 3, 4}));
  add("OfRowsOfIntegers", BuiltinOperator_SELECT, {mask({2}, {0, 1}), whole({2, 2}, {1, 2, 3, 4}), whole({2, 2}, {5, 6, 7, 8})},
      whole({2, 2}, {5, 6, 3, 4}));
  add("", BuiltinOperator_SELECT_V2, {mask({2}, {0, 1}), x, y}, real({2, 2}, {5, 2, 7, 4}));
  add("WithBroadcast", BuiltinOperator_SELECT_V2, {mask({2, 1}, {0, 1}), x, fixed(real({}, {9}))}, real({2, 2}, {9, 9, 3, 4}));
  return cases;
}

}  // namespace nnvk::test
