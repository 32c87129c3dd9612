// Parts, margins and joined tensors, with worked numbers.
#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using namespace format;

const std::vector<float> kTwelve{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

FileTensor numbers(std::vector<int32_t> shape, std::vector<float> values) {
  return fixed(whole(std::move(shape), std::move(values)));
}

using Inputs = std::vector<FileTensor>;

std::vector<OperatorCase> slice_cases() {
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, BuiltinOperator code, Inputs inputs, FileTensor output, OptionsMaker options = {}) {
    cases.push_back(
        {.name = name, .code = code, .inputs = std::move(inputs), .outputs = {std::move(output)}, .options = std::move(options)});
  };
  const FileTensor table = real({3, 4}, kTwelve);
  const FileTensor counts = whole({3, 4}, kTwelve);
  add("", BuiltinOperator_SLICE, {table, numbers({2}, {1, 0}), numbers({2}, {2, -1})}, real({2, 4}, {5, 6, 7, 8, 9, 10, 11, 12}));
  add("OfIntegers", BuiltinOperator_SLICE, {counts, numbers({2}, {0, 1}), numbers({2}, {1, 2})}, whole({1, 2}, {2, 3}));
  const auto masks = [](int32_t begin, int32_t end, int32_t ellipsis, int32_t new_axis, int32_t shrink) {
    return made([=](auto& b) { return CreateStridedSliceOptions(b, begin, end, ellipsis, new_axis, shrink, false); });
  };
  const auto strided = [&](const char* name, const FileTensor& data, std::vector<std::vector<float>> lists, FileTensor output,
                           OptionsMaker options) {
    Inputs inputs{data};
    for (std::vector<float>& list : lists) inputs.push_back(numbers({static_cast<int32_t>(list.size())}, list));
    add(name, BuiltinOperator_STRIDED_SLICE, std::move(inputs), std::move(output), std::move(options));
  };
  strided("", table, {{0, 0}, {3, 4}, {2, 3}}, real({2, 2}, {1, 4, 9, 12}), masks(0, 0, 0, 0, 0));
  strided("Backwards", table, {{-1, 0}, {0, 1}, {-1, 1}}, real({3, 1}, {9, 5, 1}), masks(0, 1, 0, 0, 0));
  strided("OfOneRow", table, {{1, 0}, {2, 4}, {1, 1}}, real({4}, {5, 6, 7, 8}), masks(0, 0, 0, 0, 1));
  strided("WithAnEllipsis", table, {{0, 1}, {0, 3}, {1, 1}}, real({3, 2}, {2, 3, 6, 7, 10, 11}), masks(0, 0, 1, 0, 0));
  strided("WithANewAxis", table, {{0, 0, 1}, {0, 2, 2}, {1, 1, 1}}, real({1, 2, 1}, {2, 6}), masks(0, 0, 0, 1, 0));
  strided("OfIntegers", counts, {{0, 0}, {3, 4}, {1, 1}}, whole({2}, {2, 3}), {});
  cases.back().inputs[1] = numbers({2}, {0, 1});
  cases.back().inputs[2] = numbers({2}, {1, 3});
  cases.back().options = masks(0, 0, 0, 0, 1);
  strided("OfIntegersBackwards", counts, {{-1, 0}, {0, 4}, {-2, 3}}, whole({2, 2}, {9, 12, 1, 4}), masks(0, 1, 0, 0, 0));
  strided("WithLengths", table, {{1, 1}, {2, 2}, {1, 1}}, real({2, 2}, {6, 7, 10, 11}),
          made([](auto& b) { return CreateStridedSliceOptions(b, 0, 0, 0, 0, 0, true); }));
  const FileTensor pairs = numbers({2, 2}, {1, 0, 0, 1});
  const FileTensor square = real({2, 2}, {1, 2, 3, 4});
  add("", BuiltinOperator_PAD, {square, pairs}, real({3, 3}, {0, 0, 0, 1, 2, 0, 3, 4, 0}));
  add("OfSteps", BuiltinOperator_PAD, {quantized({2, 2}, {1, 2, 3, 4}, 0.5F, 3), pairs},
      quantized({3, 3}, {0, 0, 0, 1, 2, 0, 3, 4, 0}, 0.5F, 3));
  add("", BuiltinOperator_PADV2, {square, pairs, fixed(real({1}, {9}))}, real({3, 3}, {9, 9, 9, 1, 2, 9, 3, 4, 9}));
  const auto mirror = [](MirrorPadMode mode) { return made([mode](auto& b) { return CreateMirrorPadOptions(b, mode); }); };
  add("", BuiltinOperator_MIRROR_PAD, {square, numbers({2, 2}, {1, 0, 0, 1})}, real({3, 3}, {3, 4, 3, 1, 2, 1, 3, 4, 3}),
      mirror(MirrorPadMode_REFLECT));
  add("Symmetric", BuiltinOperator_MIRROR_PAD, {square, numbers({2, 2}, {1, 0, 0, 1})}, real({3, 3}, {1, 2, 2, 1, 2, 2, 3, 4, 4}),
      mirror(MirrorPadMode_SYMMETRIC));
  return cases;
}

std::vector<OperatorCase> join_cases() {
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, BuiltinOperator code, Inputs inputs, Inputs outputs, OptionsMaker options) {
    cases.push_back(
        {.name = name, .code = code, .inputs = std::move(inputs), .outputs = std::move(outputs), .options = std::move(options)});
  };
  const auto along = [](int32_t axis) {
    return made([axis](auto& b) { return CreateConcatenationOptions(b, axis, Activation_NONE); });
  };
  const auto packed = [](int32_t axis) { return made([axis](auto& b) { return CreatePackOptions(b, 2, axis); }); };
  const Inputs halves{real({2, 1}, {1, 3}), real({2, 1}, {2, 4})};
  const FileTensor square = real({2, 2}, {1, 2, 3, 4});
  add("", BuiltinOperator_CONCATENATION, halves, {square}, along(-1));
  add("OfIntegers", BuiltinOperator_CONCATENATION, {whole({1, 2}, {1, 2}), whole({2, 2}, {3, 4, 5, 6})},
      {whole({3, 2}, {1, 2, 3, 4, 5, 6})}, along(0));
  add("OfIntegerLists", BuiltinOperator_CONCATENATION, {whole({2}, {1, 2}), whole({1}, {3})}, {whole({3}, {1, 2, 3})}, along(0));
  add("OfMasks", BuiltinOperator_CONCATENATION, {mask({1}, {1}), mask({2}, {0, 1})}, {mask({3}, {1, 0, 1})}, along(0));
  add("", BuiltinOperator_PACK, {real({2}, {1, 2}), real({2}, {3, 4})}, {square}, packed(0));
  add("OfScalars", BuiltinOperator_PACK, {real({}, {1}), real({}, {3})}, {real({2}, {1, 3})}, packed(0));
  add("", BuiltinOperator_UNPACK, {square}, {real({2}, {1, 3}), real({2}, {2, 4})},
      made([](auto& b) { return CreateUnpackOptions(b, 2, 1); }));
  add("ToScalars", BuiltinOperator_UNPACK, {real({2}, {1, 3})}, {real({}, {1}), real({}, {3})},
      made([](auto& b) { return CreateUnpackOptions(b, 2, 0); }));
  add("", BuiltinOperator_SPLIT, {numbers({1}, {1}), square}, halves, made([](auto& b) { return CreateSplitOptions(b, 2); }));
  add("", BuiltinOperator_SPLIT_V, {real({3, 1}, {1, 2, 3}), numbers({2}, {1, -1}), numbers({1}, {0})},
      {real({1, 1}, {1}), real({2, 1}, {2, 3})}, made([](auto& b) { return CreateSplitVOptions(b, 2); }));
  add("InEqualParts", BuiltinOperator_SPLIT_V, {square, numbers({2}, {1, 1}), numbers({1}, {-1})}, halves,
      made([](auto& b) { return CreateSplitVOptions(b, 2); }));
  return cases;
}

}  // namespace

std::vector<OperatorCase> slicing_cases() {
  std::vector<OperatorCase> cases = slice_cases();
  for (OperatorCase& one : join_cases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace nnvk::test
