// The rewrite from NCHW to NHWC: required transpositions, and places where none is allowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/rewrites.h"
#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using test::PlanFixture;
using ::testing::ElementsAre;
using enum OperationCode;

// A convolution of two channels, 1x1, in the implicit signature.
TensorId convolution(PlanFixture& f, TensorId in, TensorId out, bool nchw = true) {
  const TensorId filter = f.constant<float>({2, 1, 1, 2}, OperandType::kTensorFloat32, {1, 2, 3, 4});
  const TensorId bias = f.constant<float>({2}, OperandType::kTensorFloat32, {0, 0});
  f.node(kConv2d, {in, filter, bias, f.scalar(1), f.scalar(1), f.scalar(1), f.scalar(0), f.flag(nchw)}, {out});
  return out;
}

std::vector<OperationCode> codes(const PlanPointer& plan) {
  std::vector<OperationCode> codes;
  for (const PlanNode& node : plan->nodes) codes.push_back(node.code);
  return codes;
}

const Shape kImage{1, 2, 3, 5};

TEST(KeepChannelsLast, ARunOfNodesIsTransposedAtItsEndsOnly) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  const TensorId squashed = f.temporary(kImage);
  f.node(kLogistic, {first}, {squashed});
  const TensorId scaled = f.temporary(kImage);
  f.node(kMul, {first, squashed, f.scalar(0)}, {scaled});
  const TensorId out = convolution(f, scaled, f.output(kImage));
  const PlanPointer plan = keep_channels_last(f.plan());
  EXPECT_THAT(codes(plan), ElementsAre(kTranspose, kConv2d, kLogistic, kMul, kConv2d, kTranspose));
  EXPECT_EQ(plan->nodes.back().outputs[0], out);
  for (size_t n = 1; n < 5; ++n) {
    EXPECT_EQ(plan->tensors[plan->nodes[n].outputs[0]].info.shape, Shape({1, 3, 5, 2})) << n;
  }
  // No node writes the tensors between them, so no device allocates memory for them.
  EXPECT_EQ(plan->tensors[squashed].role, TensorRole::kOmitted);
}

TEST(KeepChannelsLast, WhoReadsChannelsFirstGetsThem) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  f.node(kReshape, {first, f.constant<int32_t>({2}, OperandType::kTensorInt32, {1, 30})}, {f.output({1, 30})});
  convolution(f, first, f.output(kImage));
  const PlanPointer plan = keep_channels_last(f.plan());
  EXPECT_THAT(codes(plan), ElementsAre(kTranspose, kConv2d, kTranspose, kReshape, kConv2d, kTranspose));
  EXPECT_EQ(plan->nodes[3].inputs[0], first);
}

TEST(KeepChannelsLast, AnOutputThatLaterNodesReadIsWrittenOnce) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.output(kImage));
  convolution(f, first, f.output(kImage));
  EXPECT_THAT(codes(keep_channels_last(f.plan())), ElementsAre(kTranspose, kConv2d, kTranspose, kConv2d, kTranspose));
}

TEST(KeepChannelsLast, JoinedChannelsAreTheLastDimension) {
  PlanFixture f;
  const TensorId in = f.input(kImage);
  const TensorId a = convolution(f, in, f.temporary(kImage));
  const TensorId b = convolution(f, in, f.temporary(kImage));
  f.node(kConcatenation, {a, b, f.scalar(-3)}, {f.output({1, 4, 3, 5})});
  const PlanPointer plan = keep_channels_last(f.plan());
  EXPECT_THAT(codes(plan), ElementsAre(kTranspose, kConv2d, kConv2d, kConcatenation, kTranspose));
  EXPECT_EQ(declared_view(*plan, plan->nodes[3]).view().scalar<int32_t>(2), 3);
}

TEST(KeepChannelsLast, ConstantsOfFourDimensionsAreTransposedOnce) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input({1, 2, 1, 3}), f.temporary({1, 2, 1, 3}));
  const TensorId factors = f.constant<float>({1, 2, 1, 3}, OperandType::kTensorFloat32, {1, 2, 3, 4, 5, 6});
  f.node(kMul, {first, factors, f.scalar(0)}, {f.output({1, 2, 1, 3})});
  const PlanPointer plan = keep_channels_last(f.plan());
  ASSERT_THAT(codes(plan), ElementsAre(kTranspose, kConv2d, kMul, kTranspose));
  EXPECT_THAT(declared_view(*plan, plan->nodes[2]).view().values<float>(1).value(), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(KeepChannelsLast, EveryBatchOfAConstantIsTransposed) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input({2, 2, 1, 2}), f.temporary({2, 2, 1, 2}));
  const TensorId factors = f.constant<float>({2, 2, 1, 2}, OperandType::kTensorFloat32, {1, 2, 3, 4, 5, 6, 7, 8});
  f.node(kMul, {first, factors, f.scalar(0)}, {f.output({2, 2, 1, 2})});
  const PlanPointer plan = keep_channels_last(f.plan());
  ASSERT_THAT(codes(plan), ElementsAre(kTranspose, kConv2d, kMul, kTranspose));
  EXPECT_THAT(declared_view(*plan, plan->nodes[2]).view().values<float>(1).value(), ElementsAre(1, 3, 2, 4, 5, 7, 6, 8));
}

// Joining in NHWC would need two transpositions in place of one.
TEST(KeepChannelsLast, WhatJoinsImagesOfBothLayoutsStaysInNchw) {
  PlanFixture f;
  const TensorId in = f.input(kImage);
  const TensorId first = convolution(f, in, f.temporary(kImage));
  f.node(kConcatenation, {first, f.input(kImage), f.scalar(1)}, {f.output({1, 4, 3, 5})});
  EXPECT_THAT(codes(keep_channels_last(f.plan())), ElementsAre(kTranspose, kConv2d, kTranspose, kConcatenation));
}

// Such operands broadcast along dimensions that move.
TEST(KeepChannelsLast, OperandsOfFewerDimensionsStayInNchw) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  f.node(kMul, {first, f.input({3, 5}), f.scalar(0)}, {f.output(kImage)});
  EXPECT_THAT(codes(keep_channels_last(f.plan())), ElementsAre(kTranspose, kConv2d, kTranspose, kMul));
}

TEST(KeepChannelsLast, SizesOfTransposedConvolutionsMove) {
  PlanFixture f;
  const TensorId filter = f.constant<float>({2, 1, 1, 2}, OperandType::kTensorFloat32, {1, 2, 3, 4});
  const TensorId bias = f.constant<float>({2}, OperandType::kTensorFloat32, {0, 0});
  const TensorId sizes = f.constant<int32_t>({4}, OperandType::kTensorInt32, {1, 2, 6, 10});
  f.node(kTransposeConv2d,
         {f.input(kImage), filter, bias, sizes, f.scalar(1), f.scalar(2), f.scalar(2), f.scalar(0), f.flag(true)},
         {f.output({1, 2, 6, 10})});
  const PlanPointer plan = keep_channels_last(f.plan());
  ASSERT_THAT(codes(plan), ElementsAre(kTranspose, kTransposeConv2d, kTranspose));
  EXPECT_THAT(declared_view(*plan, plan->nodes[1]).view().values<int32_t>(3).value(), ElementsAre(1, 6, 10, 2));
}

TEST(KeepChannelsLast, WithoutAConvolutionInNchwNothingChanges) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input({1, 3, 5, 2}), f.temporary({1, 3, 5, 2}), false);
  f.node(kDepthToSpace, {first, f.scalar(1), f.flag(true)}, {f.output({1, 3, 5, 2})});
  const PlanPointer plan = f.plan();
  EXPECT_EQ(keep_channels_last(plan), plan);
}

TEST(KeepChannelsLast, ALayoutThatOnlyTheExecutionKnowsStays) {
  PlanFixture f;
  const TensorId filter = f.constant<float>({2, 1, 1, 2}, OperandType::kTensorFloat32, {1, 2, 3, 4});
  const TensorId bias = f.constant<float>({2}, OperandType::kTensorFloat32, {0, 0});
  f.node(kConv2d,
         {f.input(kImage), filter, bias, f.scalar(1), f.scalar(1), f.scalar(1), f.scalar(0), f.input({}, OperandType::kBool)},
         {f.output(kImage)});
  const PlanPointer plan = f.plan();
  EXPECT_EQ(keep_channels_last(plan), plan);
}

}  // namespace
}  // namespace nnvk
