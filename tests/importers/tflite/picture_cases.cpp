// Operators on pictures, with worked numbers and plain loops.
#include <algorithm>
#include <cmath>

#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using namespace format;

const FileTensor kPicture = real({1, 4, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});

OperatorCase pool(BuiltinOperator code, std::vector<float> values) {
  return {.name = "",
          .code = code,
          .inputs = {kPicture},
          .outputs = {real({1, 2, 2, 1}, std::move(values))},
          .options = made([](auto& b) { return CreatePool2DOptions(b, Padding_VALID, 2, 2, 2, 2, Activation_NONE); })};
}

std::vector<OperatorCase> pool_cases() {
  const auto root = [](float a, float b, float c, float d) { return std::sqrt((a * a + b * b + c * c + d * d) / 4); };
  std::vector<OperatorCase> cases{
      pool(BuiltinOperator_AVERAGE_POOL_2D, {3.5F, 5.5F, 11.5F, 13.5F}), pool(BuiltinOperator_MAX_POOL_2D, {6, 8, 14, 16}),
      pool(BuiltinOperator_L2_POOL_2D, {root(1, 2, 5, 6), root(3, 4, 7, 8), root(9, 10, 13, 14), root(11, 12, 15, 16)})};
  OperatorCase steps = cases[2];
  steps.name = "OfSteps";
  steps.inputs[0] = quantized({1, 4, 4, 1}, kPicture.values, 1, 0);
  steps.outputs[0] = quantized({1, 2, 2, 1}, steps.outputs[0].values, 0.25F, -100);
  cases.push_back(steps);
  return cases;
}

std::vector<OperatorCase> resize_cases() {
  const FileTensor small = real({1, 2, 2, 1}, {1, 2, 3, 4});
  const FileTensor size = fixed(whole({2}, {4, 4}));
  std::vector<OperatorCase> cases;
  cases.push_back({.name = "",
                   .code = BuiltinOperator_RESIZE_NEAREST_NEIGHBOR,
                   .inputs = {small, size},
                   .outputs = {real({1, 4, 4, 1}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4})},
                   .options = made([](auto& b) { return CreateResizeNearestNeighborOptions(b, false, false); })});
  // Without half pixels, result row y lies at y / 2, up to the last row of the picture.
  FileTensor smooth = real({1, 4, 4, 1}, {});
  for (const float y : {0.0F, 0.5F, 1.0F, 1.0F}) {
    for (const float x : {0.0F, 0.5F, 1.0F, 1.0F}) smooth.values.push_back(1 + 2 * y + x);
  }
  cases.push_back({.name = "",
                   .code = BuiltinOperator_RESIZE_BILINEAR,
                   .inputs = {small, size},
                   .outputs = {smooth},
                   .options = made([](auto& b) { return CreateResizeBilinearOptions(b, false, false); })});
  return cases;
}

std::vector<OperatorCase> block_cases() {
  const FileTensor deep = real({1, 2, 2, 4}, {1, 2, 5, 6, 3, 4, 7, 8, 9, 10, 13, 14, 11, 12, 15, 16});
  const FileTensor batches = real({4, 2, 2, 1}, {1, 3, 9, 11, 2, 4, 10, 12, 5, 7, 13, 15, 6, 8, 14, 16});
  const FileTensor twos = fixed(whole({2}, {2, 2}));
  const FileTensor none = fixed(whole({2, 2}, {0, 0, 0, 0}));
  std::vector<OperatorCase> cases;
  const auto add = [&](const char* name, BuiltinOperator code, std::vector<FileTensor> inputs, FileTensor output,
                       OptionsMaker options = {}) {
    cases.push_back(
        {.name = name, .code = code, .inputs = std::move(inputs), .outputs = {std::move(output)}, .options = std::move(options)});
  };
  add("", BuiltinOperator_SPACE_TO_DEPTH, {kPicture}, deep, made([](auto& b) { return CreateSpaceToDepthOptions(b, 2); }));
  add("", BuiltinOperator_DEPTH_TO_SPACE, {deep}, kPicture, made([](auto& b) { return CreateDepthToSpaceOptions(b, 2); }));
  add("", BuiltinOperator_SPACE_TO_BATCH_ND, {kPicture, twos, none}, batches);
  add("", BuiltinOperator_BATCH_TO_SPACE_ND, {batches, twos, none}, kPicture);
  add("WithCrops", BuiltinOperator_BATCH_TO_SPACE_ND, {batches, twos, fixed(whole({2, 2}, {1, 0, 0, 2}))},
      real({1, 3, 2, 1}, {5, 6, 9, 10, 13, 14}));
  add("WithPaddings", BuiltinOperator_SPACE_TO_BATCH_ND,
      {real({1, 1, 2, 1}, {1, 2}), fixed(whole({2}, {1, 2})), fixed(whole({2, 2}, {0, 0, 1, 1}))},
      real({2, 1, 2, 1}, {0, 2, 1, 0}));
  // Three dimensions: one block size.
  const FileTensor line = real({1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const FileTensor parts = real({2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8});
  const FileTensor two = fixed(whole({1}, {2}));
  add("OfLines", BuiltinOperator_SPACE_TO_BATCH_ND, {line, two, fixed(whole({1, 2}, {0, 0}))}, parts);
  add("OfLines", BuiltinOperator_BATCH_TO_SPACE_ND, {parts, two, fixed(whole({1, 2}, {0, 0}))}, line);
  add("OfLinesWithCrops", BuiltinOperator_BATCH_TO_SPACE_ND, {parts, two, fixed(whole({1, 2}, {1, 0}))},
      real({1, 3, 2}, {3, 4, 5, 6, 7, 8}));
  return cases;
}

std::vector<OperatorCase> normalization_cases() {
  const FileTensor data = made_up({1, 2, 2, 5}, 3);
  FileTensor unit = data, response = data;
  for (size_t pixel = 0; pixel < 4; ++pixel) {
    const float* in = &data.values[pixel * 5];
    float squares = 0;
    for (size_t c = 0; c < 5; ++c) squares += in[c] * in[c];
    for (size_t c = 0; c < 5; ++c) {
      unit.values[pixel * 5 + c] = in[c] / std::sqrt(squares);
      float near = 0;
      for (size_t d = c == 0 ? 0 : c - 1; d <= std::min<size_t>(c + 1, 4); ++d) near += in[d] * in[d];
      response.values[pixel * 5 + c] = in[c] / std::pow(2 + 0.5F * near, 0.75F);
    }
  }
  std::vector<OperatorCase> cases;
  cases.push_back({.name = "", .code = BuiltinOperator_L2_NORMALIZATION, .inputs = {data}, .outputs = {unit}});
  cases.push_back({.name = "OfSteps",
                   .code = BuiltinOperator_L2_NORMALIZATION,
                   .inputs = {quantized(data.shape, data.values, 0.25F, 2)},
                   .outputs = {quantized(unit.shape, unit.values, 1.0F / 128, 0)},
                   .options = made([](auto& b) { return CreateL2NormOptions(b, Activation_NONE); })});
  cases.push_back({.name = "",
                   .code = BuiltinOperator_LOCAL_RESPONSE_NORMALIZATION,
                   .inputs = {data},
                   .outputs = {response},
                   .options = made([](auto& b) { return CreateLocalResponseNormalizationOptions(b, 1, 2, 0.5F, 0.75F); })});
  return cases;
}

}  // namespace

std::vector<OperatorCase> picture_cases() {
  std::vector<OperatorCase> cases;
  for (auto* family : {pool_cases, resize_cases, block_cases, normalization_cases}) {
    for (OperatorCase& one : family()) cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace nnvk::test
