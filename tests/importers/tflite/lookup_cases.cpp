// Lookups, and what is found in or made of whole dimensions, with worked numbers.
#include <algorithm>
#include <cmath>

#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using namespace format;
using Tensors = std::vector<FileTensor>;

FileTensor numbers(std::vector<float> values) {
  const auto size = static_cast<int32_t>(values.size());
  return fixed(whole({size}, std::move(values)));
}

FileTensor bytes(std::vector<int32_t> shape, std::vector<float> values) {
  FileTensor tensor = whole(std::move(shape), std::move(values));
  tensor.type = TensorType_UINT8;
  return tensor;
}

std::vector<OperatorCase> index_cases() {
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, BuiltinOperator code, Tensors inputs, Tensors outputs, OptionsMaker options = {}) {
    cases.push_back(
        {.name = name, .code = code, .inputs = std::move(inputs), .outputs = std::move(outputs), .options = std::move(options)});
  };
  const FileTensor table = real({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto axis = [](int32_t at) { return made([at](auto& b) { return CreateGatherOptions(b, at, 0); }); };
  add("", BuiltinOperator_GATHER, {table, whole({2}, {2, 0})}, {real({2, 2}, {5, 6, 1, 2})}, axis(0));
  add("AlongColumns", BuiltinOperator_GATHER, {table, numbers({1})}, {real({3, 1}, {2, 4, 6})}, axis(-1));
  add("OfOneRow", BuiltinOperator_GATHER, {table, whole({}, {1})}, {real({2}, {3, 4})}, axis(0));
  add("", BuiltinOperator_GATHER_ND, {table, whole({2, 2}, {0, 1, 2, 0})}, {real({2}, {2, 5})});
  add("OfRows", BuiltinOperator_GATHER_ND, {table, fixed(whole({2, 1}, {2, 1}))}, {real({2, 2}, {5, 6, 3, 4})});
  add("", BuiltinOperator_EMBEDDING_LOOKUP, {whole({2}, {2, 0}), fixed(table)}, {real({2, 2}, {5, 6, 1, 2})});
  add("OfRealsInBytes", BuiltinOperator_EMBEDDING_LOOKUP,
      {whole({2}, {2, 0}), fixed(quantized({3, 2}, {1, 2, 3, 4, 5, 6}, 0.5F, 1))}, {real({2, 2}, {5, 6, 1, 2})});
  add("", BuiltinOperator_HASHTABLE_LOOKUP, {whole({3}, {7, 8, 9}), numbers({7, 9, 11}), fixed(table)},
      {real({3, 2}, {1, 2, 0, 0, 3, 4}), bytes({3}, {1, 0, 1})});
  add("", BuiltinOperator_TOPK_V2, {real({2, 3}, {1, 3, 2, 9, 7, 8}), numbers({2})},
      {real({2, 2}, {3, 2, 9, 8}), whole({2, 2}, {1, 2, 0, 2})});
  add("", BuiltinOperator_ARG_MAX, {real({2, 3}, {1, 3, 2, 9, 7, 8}), numbers({-1})}, {whole({2}, {1, 0})});
  add("", BuiltinOperator_ARG_MIN, {real({2, 3}, {1, 3, 2, 9, 7, 8}), numbers({0})}, {whole({3}, {0, 0, 0})});
  add("OfSteps", BuiltinOperator_ARG_MIN, {quantized({2, 3}, {1, 3, 2, 9, 7, 8}, 0.5F, 1), numbers({1})}, {whole({2}, {0, 1})});
  // The published example, whose hashes are those of Google's FarmHash.
  const FileTensor seeds = fixed(real({4, 2}, {0.123F, 0.456F, -0.321F, -0.654F, 1.234F, 5.678F, -4.321F, 8.765F}));
  FileTensor keys = whole({3, 2}, {0, 0, 0, 0, 0, 0});
  for (const int32_t key : {12345, 54321, 67890, 9876, -12345678, -87654321}) {  // which no float holds
    for (int byte = 0; byte < 4; ++byte) keys.stored.push_back(static_cast<uint8_t>(static_cast<uint32_t>(key) >> (8 * byte)));
  }
  const auto projection = [](LshType type) { return made([type](auto& b) { return CreateLSHProjectionOptions(b, type); }); };
  add("", BuiltinOperator_LSH_PROJECTION, {seeds, keys}, {whole({4}, {1, 6, 10, 12})}, projection(LshType_SPARSE));
  add("Dense", BuiltinOperator_LSH_PROJECTION, {seeds, keys, fixed(real({3}, {0.12F, 0.34F, 0.56F}))},
      {whole({8}, {1, 1, 1, 0, 1, 1, 1, 0})}, projection(LshType_DENSE));
  return cases;
}

// The reduction of dimensions 0 and 2 of [2, 3, 2], by a fold over the elements.
OperatorCase reduction(BuiltinOperator code, const char* name, bool keep, float first, float (*fold)(float, float)) {
  const FileTensor data = made_up({2, 3, 2}, static_cast<int>(code));
  FileTensor result = keep ? real({1, 3, 1}, {}) : real({3}, {});
  for (size_t row = 0; row < 3; ++row) {
    float value = first;
    for (const size_t i : {row * 2, row * 2 + 1, 6 + row * 2, 6 + row * 2 + 1}) value = fold(value, data.values[i]);
    result.values.push_back(value);
  }
  return {.name = name, .code = code, .inputs = {data, numbers({0, -1})}, .outputs = {result}, .options = made([keep](auto& b) {
                                                                                                 return CreateReducerOptions(
                                                                                                     b, keep);
                                                                                               })};
}

std::vector<OperatorCase> reduction_cases() {
  const auto sum = [](float a, float b) { return a + b; };
  std::vector<OperatorCase> cases{
      reduction(BuiltinOperator_MEAN, "", true, 0, [](float a, float b) { return a + b / 4; }),
      reduction(BuiltinOperator_SUM, "", false, 0, sum),
      reduction(BuiltinOperator_SUM, "KeepingDimensions", true, 0, sum),
      reduction(BuiltinOperator_REDUCE_PROD, "", false, 1, [](float a, float b) { return a * b; }),
      reduction(BuiltinOperator_REDUCE_MAX, "", false, -1000, [](float a, float b) { return std::max(a, b); }),
      reduction(BuiltinOperator_REDUCE_MIN, "", true, 1000, [](float a, float b) { return std::min(a, b); }),
  };
  OperatorCase steps = cases[1];
  steps.name = "OfSteps";
  steps.inputs[0] = quantized(steps.inputs[0].shape, steps.inputs[0].values, 0.25F, 7);
  steps.outputs[0] = quantized(steps.outputs[0].shape, steps.outputs[0].values, 0.125F, -3);
  cases.push_back(steps);
  const FileTensor masks = mask({2, 3}, {1, 1, 0, 0, 1, 0});
  cases.push_back(
      {.name = "", .code = BuiltinOperator_REDUCE_ANY, .inputs = {masks, numbers({0})}, .outputs = {mask({3}, {1, 1, 0})}});
  cases.push_back(
      {.name = "", .code = BuiltinOperator_REDUCE_ALL, .inputs = {masks, numbers({0})}, .outputs = {mask({3}, {0, 1, 0})}});
  return cases;
}

}  // namespace

std::vector<OperatorCase> lookup_cases() {
  std::vector<OperatorCase> cases = index_cases();
  for (OperatorCase& one : reduction_cases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace nnvk::test
