// Tests of the plan rewrites: what each pass changes, and what it must leave alone.
#include "core/plan/rewrites.h"

#include <gtest/gtest.h>

#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using test::PlanFixture;
constexpr auto kF32 = OperandType::kTensorFloat32;
constexpr auto kQ8 = OperandType::kTensorQuant8Asymm;
constexpr auto kI32 = OperandType::kTensorInt32;

// A convolution of two channels in the implicit signature, 1x1 unless said otherwise; returns its node inputs.
std::vector<TensorId> conv_inputs(PlanFixture& f, TensorId in, int32_t padding = 2, int32_t activation = 0, uint32_t window = 1) {
  const TensorId filter = f.constant<float>({2, window, window, 2}, kF32, std::vector<float>(4 * window * window, 1));
  const TensorId bias = f.constant<float>({2}, kF32, {0, 0});
  return {in, filter, bias, f.scalar(padding), f.scalar(1), f.scalar(1), f.scalar(activation)};
}

TEST(FuseActivations, AReluAfterAConvolutionBecomesPartOfIt) {
  PlanFixture f;
  const TensorId in = f.input({1, 4, 4, 2});
  const TensorId middle = f.temporary({1, 4, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  f.node(OperationCode::kConv2d, conv_inputs(f, in), {middle});
  f.node(OperationCode::kRelu6, {middle}, {out});
  const auto plan = fuse_activations(f.plan());
  ASSERT_EQ(plan->nodes.size(), 1U);
  EXPECT_EQ(plan->nodes[0].fused_activation, FusedActivation::kRelu6);
  EXPECT_EQ(plan->nodes[0].outputs[0], out);
  EXPECT_EQ(plan->nodes[0].fused_operations, std::vector<uint32_t>{1});
}

TEST(FuseActivations, AResultThatIsReadTwiceStays) {
  PlanFixture f;
  const TensorId in = f.input({1, 4, 4, 2});
  const TensorId middle = f.temporary({1, 4, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  const TensorId out2 = f.output({1, 4, 4, 2});
  f.node(OperationCode::kConv2d, conv_inputs(f, in), {middle});
  f.node(OperationCode::kRelu6, {middle}, {out});
  f.node(OperationCode::kRelu, {middle}, {out2});
  EXPECT_EQ(fuse_activations(f.plan())->nodes.size(), 3U);
}

TEST(FuseActivations, AResultTheClientSeesStays) {
  PlanFixture f;
  const TensorId in = f.input({1, 4, 4, 2});
  const TensorId middle = f.output({1, 4, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  f.node(OperationCode::kConv2d, conv_inputs(f, in), {middle});
  f.node(OperationCode::kRelu, {middle}, {out});
  EXPECT_EQ(fuse_activations(f.plan())->nodes.size(), 2U);
}

TEST(FuseActivations, AnotherQuantizationOfTheResultStays) {
  PlanFixture f;
  const TensorId in = f.input({4}, kQ8, 0.5F, 1);
  const TensorId middle = f.temporary({4}, kQ8, 0.5F, 1);
  const TensorId out = f.output({4}, kQ8, 0.25F, 1);
  f.node(OperationCode::kAdd, {in, in, f.scalar(0)}, {middle});
  f.node(OperationCode::kRelu, {middle}, {out});
  EXPECT_EQ(fuse_activations(f.plan())->nodes.size(), 2U);
}

TEST(FuseResidualAdds, TheSumBecomesTheResidualOfTheConvolution) {
  PlanFixture f;
  const TensorId in = f.input({1, 4, 4, 2});
  const TensorId middle = f.temporary({1, 4, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  f.node(OperationCode::kConv2d, conv_inputs(f, in), {middle});
  f.node(OperationCode::kAdd, {in, middle, f.scalar(1)}, {out});
  const auto plan = fuse_residual_adds(f.plan());
  ASSERT_EQ(plan->nodes.size(), 1U);
  EXPECT_EQ(plan->nodes[0].code, OperationCode::kConv2d);
  EXPECT_EQ(plan->nodes[0].residual, in);
  EXPECT_EQ(plan->nodes[0].fused_activation, FusedActivation::kRelu);
  EXPECT_EQ(plan->nodes[0].outputs[0], out);
}

TEST(FuseResidualAdds, AConvolutionWithAnActivationOfItsOwnStays) {
  PlanFixture f;
  const TensorId in = f.input({1, 4, 4, 2});
  const TensorId middle = f.temporary({1, 4, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  f.node(OperationCode::kConv2d, conv_inputs(f, in, 2, 1), {middle});
  f.node(OperationCode::kAdd, {in, middle, f.scalar(0)}, {out});
  EXPECT_EQ(fuse_residual_adds(f.plan())->nodes.size(), 2U);
}

TEST(FuseResidualAdds, TheConvolutionMovesBehindTheOtherAddend) {
  PlanFixture f;
  const TensorId in = f.input({1, 4, 4, 2});
  const TensorId middle = f.temporary({1, 4, 4, 2});
  const TensorId late = f.temporary({1, 4, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  f.node(OperationCode::kConv2d, conv_inputs(f, in), {middle});
  f.node(OperationCode::kTanh, {in}, {late});
  f.node(OperationCode::kAdd, {middle, late, f.scalar(0)}, {out});
  const auto plan = fuse_residual_adds(f.plan());
  ASSERT_EQ(plan->nodes.size(), 2U);
  EXPECT_EQ(plan->nodes[0].code, OperationCode::kTanh);
  EXPECT_EQ(plan->nodes[1].residual, late);
}

TEST(FuseResidualAdds, ABroadcastSumStays) {
  PlanFixture f;
  const TensorId in = f.input({1, 4, 4, 2});
  const TensorId middle = f.temporary({1, 4, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  const TensorId vector = f.constant<float>({2}, kF32, {1, 2});
  f.node(OperationCode::kConv2d, conv_inputs(f, in), {middle});
  f.node(OperationCode::kAdd, {middle, vector, f.scalar(0)}, {out});
  EXPECT_EQ(fuse_residual_adds(f.plan())->nodes.size(), 2U);
}

TEST(FuseActivations, TheDeclaredShapeOfTheHiddenResultIsKept) {
  PlanFixture f;
  const TensorId in = f.input({kUnknownDimension, 4, 4, 2});
  const TensorId middle = f.temporary({3, kUnknownDimension, 4, 2});
  const TensorId out = f.output({kUnknownDimension, 4, kUnknownDimension, 2});
  f.node(OperationCode::kConv2d, conv_inputs(f, in), {middle});
  f.node(OperationCode::kRelu, {middle}, {out});
  const auto plan = fuse_activations(f.plan());
  ASSERT_EQ(plan->nodes.size(), 1U);
  EXPECT_EQ(plan->tensors[out].info.shape, (Shape{3, 4, 4, 2}));
}

TEST(FuseActivations, ContradictingDeclarationsStayToBeReported) {
  PlanFixture f;
  const TensorId in = f.input({1, 4, 4, 2});
  const TensorId middle = f.temporary({1, 5, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  f.node(OperationCode::kConv2d, conv_inputs(f, in), {middle});
  f.node(OperationCode::kRelu, {middle}, {out});
  EXPECT_EQ(fuse_activations(f.plan())->nodes.size(), 2U);
}

TEST(FusePads, SpatialZerosBecomeExplicitPadding) {
  PlanFixture f;
  const TensorId in = f.input({1, 3, 2, 2});
  const TensorId padded = f.temporary({1, 4, 4, 2});
  const TensorId out = f.output({1, 2, 2, 2});
  f.node(OperationCode::kPad, {in, f.constant<int32_t>({4, 2}, kI32, {0, 0, 1, 0, 2, 0, 0, 0})}, {padded});
  f.node(OperationCode::kConv2d, conv_inputs(f, padded, 2, 0, 3), {out});
  const auto plan = fuse_pads(f.plan());
  ASSERT_EQ(plan->nodes.size(), 1U);
  const PlanNode& conv = plan->nodes[0];
  EXPECT_EQ(conv.inputs[0], in);
  ASSERT_EQ(conv.inputs.size(), 10U);  // the explicit signature
  std::vector<int32_t> padding;
  for (size_t i = 3; i < 7; ++i) {
    int32_t value;
    std::memcpy(&value, plan->tensors[conv.inputs[i]].value.data(), sizeof value);
    padding.push_back(value);
  }
  EXPECT_EQ(padding, (std::vector<int32_t>{2, 0, 1, 0}));  // left, right, top, bottom
}

// Convolutions refuse such padding.
TEST(FusePads, PaddingAsLargeAsTheWindowStays) {
  PlanFixture f;
  const TensorId in = f.input({1, 3, 2, 2});
  const TensorId padded = f.temporary({1, 4, 5, 2});
  const TensorId out = f.output({1, 2, 3, 2});
  f.node(OperationCode::kPad, {in, f.constant<int32_t>({4, 2}, kI32, {0, 0, 1, 0, 0, 3, 0, 0})}, {padded});
  f.node(OperationCode::kConv2d, conv_inputs(f, padded, 2, 0, 3), {out});
  EXPECT_EQ(fuse_pads(f.plan())->nodes.size(), 2U);
}

TEST(FusePads, PaddingBeforeAWindowOfUnknownSizeStays) {
  PlanFixture f;
  const TensorId in = f.input({1, 3, 2, 2});
  const TensorId padded = f.temporary({1, 4, 4, 2});
  const TensorId filter = f.temporary({2, kUnknownDimension, kUnknownDimension, 2});
  f.node(OperationCode::kRelu, {f.input({2, 1, 1, 2})}, {filter});
  f.node(OperationCode::kPad, {in, f.constant<int32_t>({4, 2}, kI32, {0, 0, 1, 0, 2, 0, 0, 0})}, {padded});
  auto inputs = conv_inputs(f, padded);
  inputs[1] = filter;
  f.node(OperationCode::kConv2d, inputs, {f.output({1, 4, 4, 2})});
  EXPECT_EQ(fuse_pads(f.plan())->nodes.size(), 3U);
}

TEST(FusePads, UnknownSizesAreNoContradiction) {
  PlanFixture f;
  const TensorId in = f.input({kUnknownDimension, 3, kUnknownDimension, 2});
  const TensorId padded = f.temporary({kUnknownDimension, 4, kUnknownDimension, 2});
  const TensorId out = f.output({kUnknownDimension, 2, kUnknownDimension, 2});
  f.node(OperationCode::kPad, {in, f.constant<int32_t>({4, 2}, kI32, {0, 0, 1, 0, 2, 0, 0, 0})}, {padded});
  f.node(OperationCode::kConv2d, conv_inputs(f, padded, 2, 0, 3), {out});
  EXPECT_EQ(fuse_pads(f.plan())->nodes.size(), 1U);
}

TEST(FusePads, AResultOfAnotherDeclaredSizeStays) {
  PlanFixture f;
  const TensorId in = f.input({1, 3, 2, 2});
  const TensorId padded = f.temporary({1, 4, 5, 2});
  const TensorId out = f.output({1, 2, 2, 2});
  f.node(OperationCode::kPad, {in, f.constant<int32_t>({4, 2}, kI32, {0, 0, 1, 0, 2, 0, 0, 0})}, {padded});
  f.node(OperationCode::kConv2d, conv_inputs(f, padded, 2, 0, 3), {out});
  EXPECT_EQ(fuse_pads(f.plan())->nodes.size(), 2U);
}

TEST(FusePads, PaddingOfChannelsStays) {
  PlanFixture f;
  const TensorId in = f.input({1, 4, 4, 1});
  const TensorId padded = f.temporary({1, 4, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  f.node(OperationCode::kPad, {in, f.constant<int32_t>({4, 2}, kI32, {0, 0, 0, 0, 0, 0, 0, 1})}, {padded});
  f.node(OperationCode::kConv2d, conv_inputs(f, padded), {out});
  EXPECT_EQ(fuse_pads(f.plan())->nodes.size(), 2U);
}

TEST(FusePads, AConvolutionWithSamePaddingStays) {
  PlanFixture f;
  const TensorId in = f.input({1, 3, 3, 2});
  const TensorId padded = f.temporary({1, 4, 4, 2});
  const TensorId out = f.output({1, 4, 4, 2});
  f.node(OperationCode::kPad, {in, f.constant<int32_t>({4, 2}, kI32, {0, 0, 1, 0, 1, 0, 0, 0})}, {padded});
  f.node(OperationCode::kConv2d, conv_inputs(f, padded, 1, 0, 3), {out});
  EXPECT_EQ(fuse_pads(f.plan())->nodes.size(), 2U);
}

TEST(RemoveReshapes, AReshapeBetweenTemporariesIsAView) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId a = f.temporary({4});
  const TensorId b = f.temporary({2, 2});
  const TensorId out = f.output({2, 2});
  f.node(OperationCode::kTanh, {in}, {a});
  f.node(OperationCode::kReshape, {a, f.constant<int32_t>({2}, kI32, {2, 2})}, {b});
  f.node(OperationCode::kTanh, {b}, {out});
  const auto plan = remove_reshapes(f.plan());
  EXPECT_TRUE(plan->nodes[1].is_view);
  EXPECT_EQ(plan->storage_of(b), a);
}

TEST(RemoveReshapes, AReshapeIntoAPlanOutputLetsTheProducerWriteThere) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId a = f.temporary({4});
  const TensorId b = f.temporary({1, 4});
  const TensorId out = f.output({2, 2});
  f.node(OperationCode::kTanh, {in}, {a});
  f.node(OperationCode::kReshape, {a, f.constant<int32_t>({2}, kI32, {1, 4})}, {b});
  f.node(OperationCode::kReshape, {b, f.constant<int32_t>({2}, kI32, {2, 2})}, {out});
  const auto plan = remove_reshapes(f.plan());
  EXPECT_TRUE(plan->nodes[1].is_view);
  EXPECT_TRUE(plan->nodes[2].is_view);
  EXPECT_EQ(plan->storage_of(a), out);
  EXPECT_EQ(plan->storage_of(b), out);
  EXPECT_EQ(plan->storage_of(out), out);
}

TEST(RemoveReshapes, InputToOutputIsCopied) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId out = f.output({2, 2});
  f.node(OperationCode::kReshape, {in, f.constant<int32_t>({2}, kI32, {2, 2})}, {out});
  EXPECT_FALSE(remove_reshapes(f.plan())->nodes[0].is_view);
}

TEST(RemoveReshapes, TwoOutputsNeverShareBytes) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId a = f.temporary({4});
  const TensorId out1 = f.output({2, 2});
  const TensorId out2 = f.output({4, 1});
  f.node(OperationCode::kTanh, {in}, {a});
  f.node(OperationCode::kReshape, {a, f.constant<int32_t>({2}, kI32, {2, 2})}, {out1});
  f.node(OperationCode::kReshape, {a, f.constant<int32_t>({2}, kI32, {4, 1})}, {out2});
  const auto plan = remove_reshapes(f.plan());
  EXPECT_TRUE(plan->nodes[1].is_view);
  EXPECT_FALSE(plan->nodes[2].is_view);
}

TEST(RemoveDeadNodes, AResultNobodyReadsIsNotComputed) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId unused = f.temporary({4});
  const TensorId unused2 = f.temporary({4});
  const TensorId out = f.output({4});
  f.node(OperationCode::kTanh, {in}, {unused});
  f.node(OperationCode::kRelu, {unused}, {unused2});
  f.node(OperationCode::kRelu, {in}, {out});
  const auto plan = remove_dead_nodes(f.plan());
  ASSERT_EQ(plan->nodes.size(), 1U);
  EXPECT_EQ(plan->nodes[0].source_operation, 2U);
}

TEST(RemoveDeadNodes, ANodeThatMayFailStaysForExecutionToReport) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId other = f.input({3});
  const TensorId open = f.input({kUnknownDimension});
  const TensorId wrong = f.temporary({4});
  const TensorId perhaps_wrong = f.temporary({4});
  const TensorId out = f.output({4});
  f.node(OperationCode::kAdd, {in, other, f.scalar(0)}, {wrong});
  f.node(OperationCode::kAdd, {in, open, f.scalar(0)}, {perhaps_wrong});
  f.node(OperationCode::kAdd, {in, in, f.scalar(7)}, {f.temporary({4})});
  f.node(OperationCode::kRelu, {in}, {out});
  EXPECT_EQ(remove_dead_nodes(f.plan())->nodes.size(), 4U);
}

TEST(FoldConstants, ANodeOverConstantsIsEvaluatedOnce) {
  PlanFixture f;
  const TensorId a = f.constant<float>({2}, kF32, {1, 2});
  const TensorId folded = f.temporary({2});
  const TensorId in = f.input({2});
  const TensorId out = f.output({2});
  f.node(OperationCode::kRelu, {a}, {folded});
  f.node(OperationCode::kAdd, {in, folded, f.scalar(0)}, {out});
  int calls = 0;
  const HostEvaluator evaluator = [&](const Plan&, const PlanNode& node, std::span<const OperandView>,
                                      std::span<const OperandInfo>, std::span<const std::span<std::byte>> outputs) -> Status {
    ++calls;
    EXPECT_EQ(node.code, OperationCode::kRelu);
    const float values[] = {5, 6};
    std::memcpy(outputs[0].data(), values, sizeof values);
    return {};
  };
  const auto plan = fold_constants(f.plan(), evaluator);
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(plan->nodes.size(), 1U);
  ASSERT_TRUE(plan->is_constant(folded));
  float second;
  std::memcpy(&second, plan->tensors[folded].value.data() + 4, 4);
  EXPECT_EQ(second, 6.0F);
}

TEST(FoldConstants, AFailingNodeStaysForExecutionToReport) {
  PlanFixture f;
  const TensorId a = f.constant<float>({2}, kF32, {1, 2});
  const TensorId middle = f.temporary({2});
  const TensorId out = f.output({2});
  f.node(OperationCode::kRelu, {a}, {middle});
  f.node(OperationCode::kRelu, {middle}, {out});
  const HostEvaluator evaluator = [](auto&&...) -> Status { return fail(Code::kOpFailed, "no"); };
  EXPECT_EQ(fold_constants(f.plan(), evaluator)->nodes.size(), 2U);
}

}  // namespace
}  // namespace nnvk
