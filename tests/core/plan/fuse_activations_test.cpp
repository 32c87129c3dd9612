// The rewrite that fuses activations into the nodes before them: changes of the pass, and plans that it must not change.
#include <gtest/gtest.h>

#include "core/plan/rewrites.h"
#include "tests/core/plan/convolution_inputs.h"

namespace nnvk {
namespace {

using test::conv_inputs;
using test::ConvolutionFixture;
using test::PlanFixture;
constexpr auto kQ8 = OperandType::kTensorQuant8Asymm;

TEST(FuseActivations, AReluAfterAConvolutionBecomesPartOfIt) {
  ConvolutionFixture f;
  f.node(OperationCode::kRelu6, {f.middle}, {f.out});
  const auto plan = fuse_activations(f.plan());
  ASSERT_EQ(plan->nodes.size(), 1U);
  EXPECT_EQ(plan->nodes[0].fused_activation, FusedActivation::kRelu6);
  EXPECT_EQ(plan->nodes[0].outputs[0], f.out);
  EXPECT_EQ(plan->nodes[0].fused_operations, std::vector<uint32_t>{1});
}

TEST(FuseActivations, AResultThatIsReadTwiceStays) {
  ConvolutionFixture f;
  f.node(OperationCode::kRelu6, {f.middle}, {f.out});
  f.node(OperationCode::kRelu, {f.middle}, {f.output({1, 4, 4, 2})});
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

}  // namespace
}  // namespace nnvk
