// Shapes that a client names before a compilation finishes (nnvk/shapes.h): on every device, in steps, and wrong ones.
#include <gmock/gmock.h>
#include <nnvk/shapes.h>

#include "tests/api/descriptions.h"

namespace nnvk::test {
namespace {

using testing::HasSubstr;

int name_shapes(const CompilationPointer& compilation, const std::vector<std::vector<uint32_t>>& inputs) {
  std::vector<NnvkShape> shapes;
  for (const auto& dimensions : inputs) shapes.push_back({static_cast<uint32_t>(dimensions.size()), dimensions.data()});
  return nnvk_Compilation_addInputShapes(compilation.get(), shapes.data(), static_cast<uint32_t>(shapes.size()));
}

// The recordings that a Vulkan device has built; nothing for devices that build none.
std::optional<uint64_t> recordings_of(const CompilationPointer& compilation) {
  const auto counters = describe(compilation)["counters"];
  if (!counters.contains("recordings_built")) return std::nullopt;
  return counters["recordings_built"].get<uint64_t>();
}

void expect_sum(const CompilationPointer& compilation, uint32_t columns) {
  const std::vector<float> x(size_t{2} * columns, 1.5F);
  const std::vector<float> y(size_t{2} * columns, 2.0F);
  const TypeOf type(kFloat, {2, columns});
  for (const auto* of_result : {type.get(), static_cast<const ANeuralNetworksOperandType*>(nullptr)}) {
    std::vector<float> sum(size_t{2} * columns);
    EXPECT_EQ(compute(make_execution(compilation, {{x, type.get()}, {y, type.get()}}, {{sum, of_result}})), kOk);
    EXPECT_EQ(sum, std::vector<float>(size_t{2} * columns, 3.5F));
  }
}

TEST(NamedShapes, AreCompiledByFinishOnEveryDevice) {
  const ModelBuilder model = make_add({2, 0});
  for (const ANeuralNetworksDevice* device : devices()) {
    const CompilationPointer compilation = compile_for(model.get(), device);
    for (const uint32_t columns : {3U, 8U, 3U}) {
      EXPECT_EQ(name_shapes(compilation, {{2, columns}, {0, columns}}), kOk) << nnvk_lastError();
    }
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk) << nnvk_lastError();
    const auto built = recordings_of(compilation);
    EXPECT_EQ(built.value_or(2), 2U) << name_of(device) << ": one per set, however often it is named";
    for (const uint32_t columns : {3U, 8U}) expect_sum(compilation, columns);
    EXPECT_EQ(recordings_of(compilation), built) << name_of(device);
    expect_sum(compilation, 5);
    if (built) {
      EXPECT_EQ(recordings_of(compilation), *built + 1) << "given or open, the shape of the output is the same";
    }
  }
}

TEST(NamedShapes, ShapesThatTheModelKnowsNeedNoDimensions) {
  const ModelBuilder model = make_add({2, 4});
  const CompilationPointer compilation = compile_for_all(model.get());
  EXPECT_EQ(name_shapes(compilation, {{}, {2, 4}}), kOk) << nnvk_lastError();
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk) << nnvk_lastError();
  expect_sum(compilation, 4);
}

// TANH, then IF: two steps on any device. The first is prepared, the models of IF are not.
TEST(NamedShapes, ReachTheStepsOfAModelWithControlFlow) {
  const ModelBuilder first = make_unary(ANEURALNETWORKS_RELU, kFloat, {0});
  const ModelBuilder second = make_unary(ANEURALNETWORKS_TANH, kFloat, {0});
  ModelBuilder m;
  const uint32_t first_model = m.reference(first);
  const uint32_t second_model = m.reference(second);
  const uint32_t condition = m.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
  const uint32_t x = m.operand(kFloat, {0});
  const uint32_t before = m.operand(kFloat, {0});
  const uint32_t y = m.operand(kFloat, {0});
  EXPECT_EQ(m.operation(ANEURALNETWORKS_RELU1, {x}, {before}), kOk);
  EXPECT_EQ(m.operation(ANEURALNETWORKS_IF, {condition, first_model, second_model, before}, {y}), kOk);
  m.finish({condition, x}, {y});
  for (const ANeuralNetworksDevice* device : devices()) {
    const CompilationPointer compilation = compile_for(m.get(), device);
    EXPECT_EQ(name_shapes(compilation, {{1}, {4}}), kOk) << nnvk_lastError();
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk) << nnvk_lastError();
    EXPECT_EQ(recordings_of(compilation).value_or(1), 1U) << name_of(device);
    const std::array<uint8_t, 1> is_first{1};
    const std::array<float, 4> in{-2, 0.5F, 2, 0};
    std::array<float, 4> out{};
    const TypeOf type(kFloat, {4});
    EXPECT_EQ(compute(make_execution(compilation, {is_first, {in, type.get()}}, {{out, type.get()}})), kOk) << nnvk_lastError();
    EXPECT_EQ(out, (std::array<float, 4>{0, 0.5F, 1, 0})) << name_of(device);
    EXPECT_EQ(recordings_of(compilation).value_or(2), 2U) << name_of(device) << ": of the branch that was taken";
  }
}

// The values of input 1 decide the shape of the output, so that nothing can be compiled for shapes alone.
TEST(NamedShapes, AreAcceptedWhereValuesDecideShapes) {
  ModelBuilder m;
  const uint32_t x = m.operand(kFloat, {0});
  const uint32_t shape = m.operand(ANEURALNETWORKS_TENSOR_INT32, {2});
  const uint32_t y = m.operand(kFloat, {0, 0});
  EXPECT_EQ(m.operation(ANEURALNETWORKS_RESHAPE, {x, shape}, {y}), kOk);
  m.finish({x, shape}, {y});
  for (const ANeuralNetworksDevice* device : devices()) {
    const CompilationPointer compilation = compile_for(m.get(), device);
    EXPECT_EQ(name_shapes(compilation, {{6}, {2}}), kOk) << nnvk_lastError();
    EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk) << name_of(device) << ": " << nnvk_lastError();
  }
}

TEST(NamedShapesMisuse, EveryWrongSetIsRefusedAtOnceOrByFinish) {
  const ModelBuilder model = make_add({2, 0});
  const CompilationPointer compilation = compile_for_one(model.get());
  const std::vector<NnvkShape> without_dimensions(2, NnvkShape{2, nullptr});
  EXPECT_EQ(nnvk_Compilation_addInputShapes(nullptr, without_dimensions.data(), 2), kNull);
  EXPECT_EQ(nnvk_Compilation_addInputShapes(compilation.get(), nullptr, 2), kNull);
  EXPECT_EQ(nnvk_Compilation_addInputShapes(compilation.get(), without_dimensions.data(), 2), kNull);
  EXPECT_EQ(name_shapes(compilation, {{2, 3}}), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("1 inputs are named, but the model has 2"));
  EXPECT_EQ(name_shapes(compilation, {{2, 3}, {6}}), kBadData) << "another rank";
  EXPECT_THAT(nnvk_lastError(), HasSubstr("input 1 is named as [6], which contradicts the model: it declares [2, ?]"));
  EXPECT_EQ(name_shapes(compilation, {{3, 3}, {2, 3}}), kBadData) << "another dimension";
  EXPECT_EQ(name_shapes(compilation, {{2, 0}, {2, 3}}), kBadData) << "a dimension that stays open";
  EXPECT_THAT(nnvk_lastError(), HasSubstr("leaves a size open"));
  EXPECT_EQ(name_shapes(compilation, {{}, {2, 3}}), kBadData) << "the model leaves it open as well";
  for (uint32_t n = 0; n < NNVK_MAX_INPUT_SHAPES; ++n) EXPECT_EQ(name_shapes(compilation, {{2, n + 1}, {2, n + 1}}), kOk);
  EXPECT_EQ(name_shapes(compilation, {{2, 99}, {2, 99}}), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("takes no more"));
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk) << nnvk_lastError();
  EXPECT_EQ(name_shapes(compilation, {{2, 3}, {2, 3}}), kBadState);

  const CompilationPointer unfit = compile_for_one(model.get());
  EXPECT_EQ(name_shapes(unfit, {{2, 3}, {2, 3}}), kOk);
  EXPECT_EQ(name_shapes(unfit, {{2, 3}, {2, 4}}), kOk) << "each fits its input";
  EXPECT_EQ(ANeuralNetworksCompilation_finish(unfit.get()), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("set 1 of the named shapes does not fit: "));
}

}  // namespace
}  // namespace nnvk::test
