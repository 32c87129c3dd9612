// Tests of shape resolution: known, unknown, computed parameters, and the key of a recording.
#include "core/plan/resolve.h"

#include <gtest/gtest.h>

#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using test::PlanFixture;
using test::value_of;
constexpr auto kI32 = OperandType::kTensorInt32;

std::span<const std::byte> bytes_of(const std::vector<int32_t>& values) { return std::as_bytes(std::span(values)); }

TEST(Resolve, UnknownInputDimensionsFlowThroughToTheOutput) {
  PlanFixture f;
  const TensorId in = f.input({kUnknownDimension, 3});
  const TensorId out = f.output({kUnknownDimension, kUnknownDimension});
  f.node(OperationCode::kTanh, {in}, {out});
  const auto plan = f.plan();
  const std::vector<BoundTensor> inputs = {{Shape{5, 3}}};
  const auto resolution = value_of(resolve(*plan, inputs, {}, nullptr));
  EXPECT_EQ(resolution.infos[out].shape, (Shape{5, 3}));
}

TEST(Resolve, AtCompileTimeUnknownStaysUnknown) {
  PlanFixture f;
  const TensorId in = f.input({kUnknownDimension, 3});
  const TensorId out = f.output(Shape::unknown_rank());
  f.node(OperationCode::kTanh, {in}, {out});
  const auto plan = f.plan();
  const auto resolution = value_of(resolve_declared(*plan, nullptr));
  EXPECT_EQ(resolution.infos[out].shape, (Shape{kUnknownDimension, 3}));
}

TEST(Resolve, AnInputThatContradictsTheModelIsAnError) {
  PlanFixture f;
  const TensorId in = f.input({2, 3});
  const TensorId out = f.output({2, 3});
  f.node(OperationCode::kTanh, {in}, {out});
  const auto plan = f.plan();
  const std::vector<BoundTensor> inputs = {{Shape{2, 4}}};
  const auto resolution = resolve(*plan, inputs, {}, nullptr);
  ASSERT_FALSE(resolution.has_value());
  EXPECT_EQ(resolution.error().code, Code::kBadData);
}

TEST(Resolve, AParameterGivenAtExecutionDecidesTheShape) {
  PlanFixture f;
  const TensorId in = f.input({6});
  const TensorId target = f.input({2}, kI32);
  const TensorId out = f.output({kUnknownDimension, kUnknownDimension});
  f.node(OperationCode::kReshape, {in, target}, {out});
  const auto plan = f.plan();
  EXPECT_EQ(parameter_inputs(*plan), (std::vector<bool>{false, true}));
  const std::vector<int32_t> wanted = {3, 2};
  const std::vector<BoundTensor> inputs = {{Shape{6}}, {Shape{2}, bytes_of(wanted)}};
  const auto resolution = value_of(resolve(*plan, inputs, {}, nullptr));
  EXPECT_EQ(resolution.infos[out].shape, (Shape{3, 2}));
}

TEST(Resolve, AComputedParameterIsEvaluatedOnTheHost) {
  PlanFixture f;
  const TensorId in = f.input({6});
  const TensorId half = f.input({2}, kI32);
  const TensorId target = f.temporary({2}, kI32);
  const TensorId out = f.output({kUnknownDimension, kUnknownDimension});
  f.node(OperationCode::kAdd, {half, half, f.scalar(0)}, {target});
  f.node(OperationCode::kReshape, {in, target}, {out});
  const auto plan = f.plan();
  EXPECT_EQ(host_nodes(*plan), (std::vector<bool>{true, false}));
  const HostEvaluator evaluator = [](const Plan&, const PlanNode&, std::span<const OperandView>, std::span<const OperandInfo>,
                                     std::span<const std::span<std::byte>> outputs) -> Status {
    const int32_t values[] = {2, 3};
    std::memcpy(outputs[0].data(), values, sizeof values);
    return {};
  };
  const std::vector<int32_t> ones = {1, 1};
  const std::vector<BoundTensor> inputs = {{Shape{6}}, {Shape{2}, bytes_of(ones)}};
  const auto resolution = value_of(resolve(*plan, inputs, {}, evaluator));
  EXPECT_TRUE(resolution.evaluated_on_host[0]);
  EXPECT_EQ(resolution.infos[out].shape, (Shape{2, 3}));
}

// RANK reads only the shape: a device may compute its input.
TEST(Resolve, ARankOfDeviceDataIsKnownOnTheHost) {
  PlanFixture f;
  const TensorId in = f.input({2, 3});
  const TensorId hidden = f.temporary({2, 3});
  const TensorId rank = f.temporary({}, OperandType::kInt32);
  const TensorId out = f.output(Shape::unknown_rank());
  f.node(OperationCode::kTanh, {in}, {hidden});
  f.node(OperationCode::kRank, {hidden}, {rank});
  f.node(OperationCode::kExpandDims, {hidden, rank}, {out});
  const auto plan = f.plan();
  EXPECT_EQ(host_nodes(*plan), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(parameter_inputs(*plan), (std::vector<bool>{false}));
  const HostEvaluator evaluator = [](const Plan&, const PlanNode&, std::span<const OperandView> inputs,
                                     std::span<const OperandInfo>, std::span<const std::span<std::byte>> outputs) -> Status {
    const auto value = static_cast<int32_t>(inputs[0].info->shape.rank());
    std::memcpy(outputs[0].data(), &value, sizeof value);
    return {};
  };
  const std::vector<BoundTensor> inputs = {{Shape{2, 3}}};
  const auto resolution = value_of(resolve(*plan, inputs, {}, evaluator));
  EXPECT_EQ(resolution.infos[out].shape, (Shape{2, 3, 1}));
}

TEST(Resolve, AnInputThatMayBeOmittedDoesNotHaveToFitBeforeItIsGiven) {
  PlanFixture f;
  const TensorId in = f.input({2, 3});
  const TensorId permutation = f.input({7}, kI32);
  const TensorId out = f.output({3, 2});
  f.node(OperationCode::kTranspose, {in, permutation}, {out});
  const auto plan = f.plan();
  EXPECT_TRUE(resolve_declared(*plan, nullptr).has_value());
  const std::vector<BoundTensor> without = {{Shape{2, 3}}, {.shape = {}, .data = {}, .omitted = true}};
  EXPECT_TRUE(resolve(*plan, without, {}, nullptr).has_value());
  const std::vector<int32_t> seven = {0, 1, 2, 3, 4, 5, 6};
  const std::vector<BoundTensor> with = {{Shape{2, 3}}, {Shape{7}, bytes_of(seven)}};
  EXPECT_FALSE(resolve(*plan, with, {}, nullptr).has_value());
}

TEST(ResolutionKey, DependsOnShapesAndParametersButNotOnData) {
  PlanFixture f;
  const TensorId in = f.input({kUnknownDimension}, kI32);
  const TensorId target = f.input({2}, kI32);
  const TensorId out = f.output({kUnknownDimension, kUnknownDimension}, kI32);
  f.node(OperationCode::kReshape, {in, target}, {out});
  const auto plan = f.plan();
  const auto parameters = parameter_inputs(*plan);
  const auto key = [&](const std::vector<int32_t>& data, const std::vector<int32_t>& shape) {
    const std::vector<BoundTensor> inputs = {{Shape{static_cast<uint32_t>(data.size())}, bytes_of(data)},
                                             {Shape{2}, bytes_of(shape)}};
    std::vector<std::byte> bytes;
    append_resolution_key(*plan, parameters, inputs, {}, bytes);
    return bytes;
  };
  EXPECT_EQ(key({1, 2, 3, 4}, {2, 2}), key({5, 6, 7, 8}, {2, 2}));
  EXPECT_NE(key({1, 2, 3, 4}, {2, 2}), key({1, 2, 3, 4}, {4, 1}));
  EXPECT_NE(key({1, 2, 3, 4}, {2, 2}), key({1, 2}, {2, 2}));
}

}  // namespace
}  // namespace nnvk
