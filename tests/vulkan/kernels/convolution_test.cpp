// CONV_2D on Vulkan against the CPU reference: tile edges, odd channels, layouts, padding, dilation, residuals.
#include <gtest/gtest.h>

#include "tests/support/plan_fixture.h"
#include "tests/vulkan/kernels/convolution_cases.h"

namespace nnvk::vulkan::rig {
namespace {

void expect_agrees(const ConvolutionCase& c) { expect_convolution_agrees(OperationCode::kConv2d, c); }

TEST(ConvolutionKernel, PointwiseLayersAgreeAroundTileEdges) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t width : {1U, 3U, 8U, 33U}) {
    for (const uint32_t channels : {4U, 12U, 40U}) {
      expect_agrees({.height = 8, .width = width, .in_channels = 16, .out_channels = channels});
    }
  }
}

TEST(ConvolutionKernel, ChannelsThatAreNoMultipleOfFourAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t in : {1U, 3U, 7U, 17U}) {
    for (const uint32_t out : {1U, 2U, 5U, 21U}) {
      expect_agrees({.batches = 2, .in_channels = in, .out_channels = out, .filter_height = 3, .filter_width = 2});
    }
  }
}

TEST(ConvolutionKernel, PaddedStridedAndDilatedWindowsAgree) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.batches = 2,
                 .height = 7,
                 .width = 9,
                 .in_channels = 8,
                 .out_channels = 16,
                 .filter_height = 3,
                 .filter_width = 3,
                 .stride_height = 2,
                 .stride_width = 2,
                 .pad_top = 1,
                 .pad_bottom = 1,
                 .pad_left = 1,
                 .pad_right = 1});
  expect_agrees({.height = 13,
                 .width = 11,
                 .in_channels = 3,
                 .out_channels = 32,
                 .filter_height = 3,
                 .filter_width = 3,
                 .stride_height = 3,
                 .stride_width = 2,
                 .pad_bottom = 1,
                 .pad_right = 2});
  expect_agrees({.height = 11,
                 .width = 13,
                 .in_channels = 4,
                 .out_channels = 8,
                 .filter_height = 3,
                 .filter_width = 2,
                 .dilation_height = 2,
                 .dilation_width = 3,
                 .pad_top = 4,
                 .pad_bottom = 3,
                 .pad_left = 2,
                 .pad_right = 3});
  expect_agrees({.height = 1,
                 .width = 1,
                 .in_channels = 4,
                 .out_channels = 4,
                 .filter_height = 5,
                 .filter_width = 5,
                 .pad_top = 2,
                 .pad_bottom = 2,
                 .pad_left = 2,
                 .pad_right = 2});
}

TEST(ConvolutionKernel, PlanarImagesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t batches : {1U, 3U}) {
    expect_agrees({.batches = batches, .in_channels = 8, .out_channels = 12, .nchw = true});
    expect_agrees({.batches = batches,
                   .height = 7,
                   .width = 6,
                   .in_channels = 3,
                   .out_channels = 5,
                   .filter_height = 3,
                   .filter_width = 3,
                   .pad_top = 1,
                   .pad_left = 2,
                   .nchw = true});
  }
}

TEST(ConvolutionKernel, SumsBeyondWhatOneFloatCountsExactlyStayExact) {
  NNVK_REQUIRE_VULKAN();
  // 1100 channels of extreme bytes: every sum exceeds 2^24.
  const OperandType type = OperandType::kTensorQuant8Asymm;
  const uint32_t channels = 1100;
  const OperandInfo input = tensor(type, {1, 2, 3, channels}, 0.5F, 0);
  const OperandInfo filter = tensor(type, {5, 1, 1, channels}, 0.5F, 0);
  const OperandInfo bias = tensor(OperandType::kTensorInt32, {5}, 0.25F);
  std::vector<uint8_t> x(6 * channels, 255);
  for (size_t i = 0; i < x.size(); i += 3) x[i] = 254;
  std::vector<uint8_t> w(5 * channels, 255);
  for (size_t i = 0; i < w.size(); i += 7) w[i] = 253;
  // The bias brings the first sum back to zero and a step of the output is 8: a float sum, which counts in steps of 8 up there
  // and rounds a thousand times, would be off by many steps.
  int32_t sum = 0;
  for (uint32_t k = 0; k < channels; ++k) sum += x[k] * w[k];
  ASSERT_GT(sum, 1 << 26);
  OneNode node(OperationCode::kConv2d);
  node.input(input, raw_values(x)).constant(filter, raw_values(w));
  node.constant(bias, raw_values(std::vector<int32_t>(5, -sum)));
  node.scalar(0).scalar(0).scalar(0).scalar(0).scalar(1).scalar(1).scalar(0);
  expect_same_as_reference(node.output(tensor(type, {1, 2, 3, 5}, 0.25F * 8.0F, 128)));
}

TEST(ConvolutionKernel, ActivationsClampResults) {
  NNVK_REQUIRE_VULKAN();
  for (int32_t activation = 0; activation < 4; ++activation) {
    expect_agrees({.in_channels = 8, .out_channels = 8, .activation = activation});
    expect_agrees({.in_channels = 8, .out_channels = 7, .activation = activation});
  }
}

TEST(ConvolutionKernel, WeightsGivenAtExecutionArePackedThen) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.in_channels = 8, .out_channels = 12, .filter_height = 2, .filter_width = 3, .constant_weights = false});
  expect_agrees({.in_channels = 5, .out_channels = 6, .filter_height = 2, .filter_width = 3, .constant_weights = false});
}

TEST(ConvolutionKernel, AnEmptyBatchGivesAnEmptyResult) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.batches = 0, .in_channels = 8, .out_channels = 8});
}

void expect_grouped_agrees(const ConvolutionCase& c) { expect_convolution_agrees(OperationCode::kGroupedConv2d, c); }

TEST(GroupedConvolutionKernel, GroupsOfEverySizeAgree) {
  NNVK_REQUIRE_VULKAN();
  struct Channels {
    uint32_t groups, in, out;
  };
  // Channels per group: whole vectors, odd ones, one in (a depthwise convolution), one out, more than a tile.
  for (const Channels& g :
       {Channels{2, 8, 16}, {3, 12, 12}, {2, 6, 10}, {4, 4, 4}, {3, 3, 9}, {5, 10, 5}, {2, 8, 26}, {1, 5, 6}}) {
    for (const bool nchw : {false, true}) {
      expect_grouped_agrees({.batches = 2,
                             .height = 5,
                             .width = 4,
                             .in_channels = g.in,
                             .out_channels = g.out,
                             .groups = g.groups,
                             .filter_height = 3,
                             .filter_width = 2,
                             .stride_height = 2,
                             .pad_top = 1,
                             .pad_right = 1,
                             .nchw = nchw});
    }
  }
}

TEST(GroupedConvolutionKernel, PointwiseGroupsAndActivationsAgree) {
  NNVK_REQUIRE_VULKAN();
  for (int32_t activation = 0; activation < 4; ++activation) {
    expect_grouped_agrees(
        {.height = 7, .width = 9, .in_channels = 16, .out_channels = 24, .groups = 4, .activation = activation});
  }
  expect_grouped_agrees({.height = 1, .width = 1, .in_channels = 6, .out_channels = 9, .groups = 3});
}

TEST(GroupedConvolutionKernel, WeightsGivenAtExecutionArePackedThen) {
  NNVK_REQUIRE_VULKAN();
  expect_grouped_agrees(
      {.in_channels = 8, .out_channels = 12, .groups = 2, .filter_height = 2, .filter_width = 2, .constant_weights = false});
  expect_grouped_agrees({.in_channels = 6, .out_channels = 6, .groups = 6, .filter_height = 2, .constant_weights = false});
}

TEST(ConvolutionKernel, ResultsFarBeyond32BitsSaturateAsOnTheReference) {
  NNVK_REQUIRE_VULKAN();
  const OperandType type = OperandType::kTensorQuant8AsymmSigned;
  for (const float scale : {1e-7F, 1e-12F, 1e-30F}) {
    OneNode node(OperationCode::kConv2d);
    node.random_input(tensor(type, {1, 3, 3, 8}, 4.0F, -100), 5).random_constant(tensor(type, {8, 1, 1, 8}, 4.0F, 100), 6);
    node.random_constant(tensor(OperandType::kTensorInt32, {8}, 16.0F), 7, 1e6F);
    for (const int32_t value : {0, 0, 0, 0, 1, 1, 0}) node.scalar(value);
    expect_same_as_reference(node.output(tensor(type, {1, 3, 3, 8}, scale, 120)));
  }
}

// A convolution followed by ADD and RELU, which the device folds into one dispatch.
void expect_residual_agrees(OperandType type, uint32_t channels, bool nchw, bool residual_first) {
  test::PlanFixture fixture;
  const Shape image = image_shape(nchw, 2, 5, 6, channels);
  const TensorId x = fixture.input(image_shape(nchw, 2, 5, 6, 8), type);
  const TensorId other = fixture.input(image, type);
  const TensorId filter = fixture.input({channels, 1, 1, 8}, type);
  const TensorId bias = fixture.input({channels}, type);
  const TensorId convolved = fixture.temporary(image, type);
  const TensorId sum = fixture.output(image, type);
  std::vector<TensorId> inputs = {x, filter, bias};
  for (const int32_t value : {0, 0, 0, 0, 1, 1, 0}) inputs.push_back(fixture.scalar(value));
  inputs.push_back(fixture.flag(nchw));
  fixture.node(OperationCode::kConv2d, inputs, {convolved});
  const TensorId relu = fixture.scalar(1);
  fixture.node(OperationCode::kAdd,
               residual_first ? std::vector<TensorId>{other, convolved, relu} : std::vector<TensorId>{convolved, other, relu},
               {sum});
  std::vector<std::vector<std::byte>> bytes;
  uint32_t seed = 31;
  for (const TensorId id : {x, other, filter, bias}) bytes.push_back(random_values(fixture.raw().tensors[id].info, seed++, 1.0F));
  const Tolerance tolerance = type == OperandType::kTensorFloat32 ? Tolerance{} : Tolerance{1e-2, 1e-2};  // one rounding less
  expect_same_as_reference(fixture.plan(), bytes, tolerance);
}

TEST(ConvolutionKernel, AResidualIsAddedBeforeTheLastActivation) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
    for (const uint32_t channels : {8U, 5U}) {
      for (const bool nchw : {false, true}) {
        expect_residual_agrees(type, channels, nchw, false);
        expect_residual_agrees(type, channels, nchw, true);
      }
    }
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
