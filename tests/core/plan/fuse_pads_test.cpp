// The rewrite that fuses pads into convolutions: changes of the pass, and plans that it must not change.
#include <gtest/gtest.h>

#include "core/plan/rewrites.h"
#include "tests/core/plan/convolution_inputs.h"

namespace nnvk {
namespace {

using test::conv_inputs;
using test::PlanFixture;
constexpr auto kI32 = OperandType::kTensorInt32;

constexpr int32_t kSame = 1;
constexpr int32_t kValid = 2;

// in -> PAD -> padded -> CONV_2D with a window of 3x3 -> out.
PlanPointer padded_convolution(const Shape& in, const Shape& padded, const Shape& out, const std::vector<int32_t>& pads,
                               int32_t scheme = kValid) {
  PlanFixture f;
  const TensorId between = f.temporary(padded);
  f.node(OperationCode::kPad, {f.input(in), f.constant<int32_t>({4, 2}, kI32, pads)}, {between});
  f.node(OperationCode::kConv2d, conv_inputs(f, between, scheme, 0, 3), {f.output(out)});
  return f.plan();
}

TEST(FusePads, SpatialZerosBecomeExplicitPadding) {
  const PlanPointer padded = padded_convolution({1, 3, 2, 2}, {1, 4, 4, 2}, {1, 2, 2, 2}, {0, 0, 1, 0, 2, 0, 0, 0});
  const auto plan = fuse_pads(padded);
  ASSERT_EQ(plan->nodes.size(), 1U);
  const PlanNode& conv = plan->nodes[0];
  EXPECT_EQ(conv.inputs[0], padded->inputs[0]);
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
  const PlanPointer padded = padded_convolution({1, 3, 2, 2}, {1, 4, 5, 2}, {1, 2, 3, 2}, {0, 0, 1, 0, 0, 3, 0, 0});
  EXPECT_EQ(fuse_pads(padded)->nodes.size(), 2U);
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
  const PlanPointer padded =
      padded_convolution({kUnknownDimension, 3, kUnknownDimension, 2}, {kUnknownDimension, 4, kUnknownDimension, 2},
                         {kUnknownDimension, 2, kUnknownDimension, 2}, {0, 0, 1, 0, 2, 0, 0, 0});
  EXPECT_EQ(fuse_pads(padded)->nodes.size(), 1U);
}

TEST(FusePads, AResultOfAnotherDeclaredSizeStays) {
  const PlanPointer padded = padded_convolution({1, 3, 2, 2}, {1, 4, 5, 2}, {1, 2, 2, 2}, {0, 0, 1, 0, 2, 0, 0, 0});
  EXPECT_EQ(fuse_pads(padded)->nodes.size(), 2U);
}

TEST(FusePads, PaddingOfChannelsStays) {
  // Unknown declared channels do not contradict anything.
  for (const auto& [channels, padded_channels] : {std::pair{1U, 2U}, std::pair{kUnknownDimension, kUnknownDimension}}) {
    PlanFixture f;
    const TensorId in = f.input({1, 4, 4, channels});
    const TensorId padded = f.temporary({1, 4, 4, padded_channels});
    const TensorId out = f.output({1, 4, 4, 2});
    f.node(OperationCode::kPad, {in, f.constant<int32_t>({4, 2}, kI32, {0, 0, 0, 0, 0, 0, 0, 1})}, {padded});
    f.node(OperationCode::kConv2d, conv_inputs(f, padded), {out});
    EXPECT_EQ(fuse_pads(f.plan())->nodes.size(), 2U);
  }
}

TEST(FusePads, AConvolutionWithSamePaddingStays) {
  const PlanPointer padded = padded_convolution({1, 3, 3, 2}, {1, 4, 4, 2}, {1, 4, 4, 2}, {0, 0, 1, 0, 1, 0, 0, 0}, kSame);
  EXPECT_EQ(fuse_pads(padded)->nodes.size(), 2U);
}

}  // namespace
}  // namespace nnvk
