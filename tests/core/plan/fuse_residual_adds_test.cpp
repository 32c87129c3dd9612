// The rewrite that fuses sums into convolutions: changes of the pass, and plans that it must not change.
#include <gtest/gtest.h>

#include "core/plan/rewrites.h"
#include "tests/core/plan/convolution_inputs.h"

namespace nnvk {
namespace {

using test::conv_inputs;
using test::ConvolutionFixture;
using test::PlanFixture;

TEST(FuseResidualAdds, TheSumBecomesTheResidualOfTheConvolution) {
  ConvolutionFixture f;
  f.node(OperationCode::kAdd, {f.in, f.middle, f.scalar(1)}, {f.out});
  const auto plan = fuse_residual_adds(f.plan());
  ASSERT_EQ(plan->nodes.size(), 1U);
  EXPECT_EQ(plan->nodes[0].code, OperationCode::kConv2d);
  EXPECT_EQ(plan->nodes[0].residual, f.in);
  EXPECT_EQ(plan->nodes[0].fused_activation, FusedActivation::kRelu);
  EXPECT_EQ(plan->nodes[0].outputs[0], f.out);
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
  ConvolutionFixture f;
  const TensorId late = f.temporary({1, 4, 4, 2});
  f.node(OperationCode::kTanh, {f.in}, {late});
  f.node(OperationCode::kAdd, {f.middle, late, f.scalar(0)}, {f.out});
  const auto plan = fuse_residual_adds(f.plan());
  ASSERT_EQ(plan->nodes.size(), 2U);
  EXPECT_EQ(plan->nodes[0].code, OperationCode::kTanh);
  EXPECT_EQ(plan->nodes[1].residual, late);
}

TEST(FuseResidualAdds, ABroadcastSumStays) {
  ConvolutionFixture f;
  const TensorId vector = f.constant<float>({2}, OperandType::kTensorFloat32, {1, 2});
  f.node(OperationCode::kAdd, {f.middle, vector, f.scalar(0)}, {f.out});
  EXPECT_EQ(fuse_residual_adds(f.plan())->nodes.size(), 2U);
}

}  // namespace
}  // namespace nnvk
