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

// A factor per channel, as importers write it, with fewer dimensions than the image.
TEST(KeepChannelsLast, ConstantsOfFewerDimensionsAreTransposed) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  const TensorId scaled = f.temporary(kImage);
  f.node(kMul, {first, f.constant<float>({2, 1, 1}, OperandType::kTensorFloat32, {3, 4}), f.scalar(0)}, {scaled});
  const TensorId moved = f.temporary(kImage);
  f.node(kAdd, {scaled, f.constant<float>({2, 3, 1}, OperandType::kTensorFloat32, {1, 2, 3, 4, 5, 6}), f.scalar(0)}, {moved});
  convolution(f, moved, f.output(kImage));
  const PlanPointer plan = keep_channels_last(f.plan());
  ASSERT_THAT(codes(plan), ElementsAre(kTranspose, kConv2d, kMul, kAdd, kConv2d, kTranspose));
  EXPECT_EQ(plan->tensors[plan->nodes[2].inputs[1]].info.shape, Shape({1, 1, 1, 2}));
  EXPECT_EQ(plan->tensors[plan->nodes[3].inputs[1]].info.shape, Shape({1, 3, 1, 2}));
  EXPECT_THAT(declared_view(*plan, plan->nodes[3]).view().values<float>(1).value(), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(KeepChannelsLast, AxesOfReductionsMove) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  const TensorId axes = f.constant<int32_t>({2}, OperandType::kTensorInt32, {-1, 1});
  f.node(kMean, {first, axes, f.scalar(1)}, {f.output({1, 1, 3, 1})});
  const PlanPointer plan = keep_channels_last(f.plan());
  ASSERT_THAT(codes(plan), ElementsAre(kTranspose, kConv2d, kMean, kTranspose));
  EXPECT_THAT(declared_view(*plan, plan->nodes[2]).view().values<int32_t>(1).value(), ElementsAre(2, 3));
}

TEST(KeepChannelsLast, AMeanPerChannelIsTheSameInBothLayouts) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  const TensorId mean = f.output({1, 2});
  f.node(kMean, {first, f.constant<int32_t>({2}, OperandType::kTensorInt32, {2, 3}), f.scalar(0)}, {mean});
  const PlanPointer plan = keep_channels_last(f.plan());
  ASSERT_THAT(codes(plan), ElementsAre(kTranspose, kConv2d, kMean));
  EXPECT_EQ(plan->nodes[2].outputs[0], mean);
  EXPECT_THAT(declared_view(*plan, plan->nodes[2]).view().values<int32_t>(1).value(), ElementsAre(1, 2));
}

TEST(KeepChannelsLast, OtherReductionsWithoutTheirDimensionsStayInNchw) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  f.node(kMean, {first, f.constant<int32_t>({1}, OperandType::kTensorInt32, {1}), f.scalar(0)}, {f.output({1, 3, 5})});
  EXPECT_THAT(codes(keep_channels_last(f.plan())), ElementsAre(kTranspose, kConv2d, kTranspose, kMean));
}

const Shape kLast{1, 3, 5, 2};

TensorId permutation(PlanFixture& f, const std::vector<int32_t>& dims) {
  return f.constant<int32_t>({4}, OperandType::kTensorInt32, dims);
}

TEST(KeepChannelsLast, TheModelsOwnTranspositionsDisappear) {
  PlanFixture f;
  const TensorId first = f.temporary(kImage);
  f.node(kTranspose, {f.input(kLast), permutation(f, {0, 3, 1, 2})}, {first});
  const TensorId second = convolution(f, first, f.temporary(kImage));
  const TensorId last = f.temporary(kLast);
  f.node(kTranspose, {second, permutation(f, {0, 2, 3, 1})}, {last});
  const TensorId out = f.output(kLast);
  f.node(kLogistic, {last}, {out});
  const PlanPointer plan = keep_channels_last(f.plan());
  ASSERT_THAT(codes(plan), ElementsAre(kConv2d, kLogistic));
  EXPECT_EQ(plan->nodes[0].inputs[0], plan->inputs[0]);
  EXPECT_EQ(plan->nodes[1].inputs[0], plan->nodes[0].outputs[0]);
  EXPECT_EQ(plan->tensors[last].role, TensorRole::kOmitted);
}

TEST(KeepChannelsLast, ATranspositionWhoseResultIsReadAsItIsStays) {
  PlanFixture f;
  const TensorId first = f.temporary(kImage);
  f.node(kTranspose, {f.input(kLast), permutation(f, {0, 3, 1, 2})}, {first});
  convolution(f, first, f.output(kImage));
  f.node(kSoftmax, {first, f.constant<float>({}, OperandType::kFloat32, {1.0F}), f.scalar(1)}, {f.output(kImage)});
  const PlanPointer plan = keep_channels_last(f.plan());
  EXPECT_THAT(codes(plan), ElementsAre(kConv2d, kTranspose, kTranspose, kSoftmax));
  EXPECT_EQ(plan->nodes[2].outputs[0], first);
}

TEST(KeepChannelsLast, ATranspositionToAnOutputStays) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  f.node(kTranspose, {first, permutation(f, {0, 2, 3, 1})}, {f.output(kLast)});
  EXPECT_THAT(codes(keep_channels_last(f.plan())), ElementsAre(kTranspose, kConv2d, kTranspose, kTranspose));
}

TEST(KeepChannelsLast, ATranspositionWhoseBytesAViewSharesStays) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  const TensorId last = f.temporary(kLast);
  f.node(kTranspose, {first, permutation(f, {0, 2, 3, 1})}, {last});
  const TensorId flat = f.temporary({1, 30});
  f.node(kReshape, {last, f.constant<int32_t>({2}, OperandType::kTensorInt32, {1, 30})}, {flat});
  f.raw().nodes.back().is_view = true;
  f.raw().tensors[flat].view_of = last;
  f.node(kLogistic, {flat}, {f.output({1, 30})});
  EXPECT_THAT(codes(keep_channels_last(f.plan())), ElementsAre(kTranspose, kConv2d, kTranspose, kTranspose, kReshape, kLogistic));
}

TEST(KeepChannelsLast, OtherPermutationsStay) {
  PlanFixture f;
  const TensorId first = convolution(f, f.input(kImage), f.temporary(kImage));
  f.node(kTranspose, {first, permutation(f, {0, 1, 3, 2})}, {f.output({1, 2, 5, 3})});
  EXPECT_THAT(codes(keep_channels_last(f.plan())), ElementsAre(kTranspose, kConv2d, kTranspose, kTranspose));
}

// The image is in NHWC twice: a transposition of a tensor that itself has a twin.
TEST(KeepChannelsLast, ATwinThatHasATwinIsWrittenFirst) {
  PlanFixture f;
  const Shape cube{1, 2, 2, 2};
  const TensorId first = convolution(f, f.input(cube), f.temporary(cube));
  const TensorId turned = f.temporary(cube);
  f.node(kTranspose, {first, permutation(f, {0, 3, 1, 2})}, {turned});
  const TensorId out = convolution(f, turned, f.output(cube));
  const PlanPointer plan = keep_channels_last(f.plan());
  ASSERT_THAT(codes(plan), ElementsAre(kTranspose, kConv2d, kTranspose, kConv2d, kTranspose));
  EXPECT_EQ(plan->nodes[2].outputs[0], first);
  EXPECT_EQ(plan->nodes[3].inputs[0], first);
  EXPECT_EQ(plan->nodes[4].outputs[0], out);
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
