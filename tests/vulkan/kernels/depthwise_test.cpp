// DEPTHWISE_CONV_2D on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include "tests/vulkan/kernels/convolution_cases.h"

namespace nnvk::vulkan::rig {
namespace {

void expect_agrees(const ConvolutionCase& c) { expect_convolution_agrees(OperationCode::kDepthwiseConv2d, c); }

TEST(DepthwiseKernel, UnrolledFiltersAgreeAroundTileEdges) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t filter : {3U, 5U}) {
    for (const int32_t stride : {1, 2}) {
      for (const uint32_t width : {7U, 16U, 21U}) {
        const auto pad = static_cast<int32_t>(filter / 2);
        expect_agrees({.height = 9,
                       .width = width,
                       .in_channels = 16,
                       .out_channels = 16,
                       .filter_height = filter,
                       .filter_width = filter,
                       .stride_height = stride,
                       .stride_width = stride,
                       .pad_top = pad,
                       .pad_bottom = pad,
                       .pad_left = pad,
                       .pad_right = pad});
      }
    }
  }
}

TEST(DepthwiseKernel, ManyPixelsUseTilesOfFour) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.height = 17,
                 .width = 19,
                 .in_channels = 32,
                 .out_channels = 32,
                 .filter_height = 3,
                 .filter_width = 3,
                 .pad_top = 1,
                 .pad_bottom = 1,
                 .pad_left = 1,
                 .pad_right = 1});
  expect_agrees({.height = 17,
                 .width = 19,
                 .in_channels = 31,
                 .out_channels = 31,
                 .filter_height = 3,
                 .filter_width = 3,
                 .pad_top = 1,
                 .pad_bottom = 1,
                 .pad_left = 1,
                 .pad_right = 1});
}

TEST(DepthwiseKernel, OddChannelsAndMultipliersAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t channels : {1U, 3U, 8U}) {
    for (const uint32_t multiplier : {1U, 2U, 3U, 8U}) {
      expect_agrees({.batches = 2,
                     .height = 6,
                     .width = 5,
                     .in_channels = channels,
                     .out_channels = channels * multiplier,
                     .filter_height = 3,
                     .filter_width = 3});
    }
  }
}

TEST(DepthwiseKernel, OtherFiltersStridesAndDilationsAgree) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.height = 11,
                 .width = 12,
                 .in_channels = 8,
                 .out_channels = 8,
                 .filter_height = 7,
                 .filter_width = 4,
                 .stride_height = 3,
                 .stride_width = 3,
                 .pad_top = 2,
                 .pad_bottom = 6,
                 .pad_left = 3,
                 .pad_right = 1});
  expect_agrees({.height = 11,
                 .width = 12,
                 .in_channels = 12,
                 .out_channels = 12,
                 .filter_height = 3,
                 .filter_width = 3,
                 .dilation_height = 3,
                 .dilation_width = 2,
                 .pad_top = 3,
                 .pad_bottom = 3,
                 .pad_left = 2,
                 .pad_right = 4});
  expect_agrees({.height = 11,
                 .width = 12,
                 .in_channels = 12,
                 .out_channels = 12,
                 .filter_height = 3,
                 .filter_width = 3,
                 .stride_height = 2,
                 .stride_width = 1,
                 .dilation_height = 3,
                 .pad_top = 3,
                 .pad_left = 1,
                 .pad_right = 1});
}

TEST(DepthwiseKernel, PlanarImagesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t multiplier : {1U, 2U}) {
    expect_agrees({.batches = 2,
                   .height = 6,
                   .width = 7,
                   .in_channels = 4,
                   .out_channels = 4 * multiplier,
                   .filter_height = 3,
                   .filter_width = 3,
                   .pad_top = 1,
                   .pad_bottom = 1,
                   .pad_left = 1,
                   .pad_right = 1,
                   .nchw = true});
  }
}

TEST(DepthwiseKernel, ActivationsClampResults) {
  NNVK_REQUIRE_VULKAN();
  for (int32_t activation = 0; activation < 4; ++activation) {
    expect_agrees({.in_channels = 8, .out_channels = 8, .filter_height = 2, .filter_width = 2, .activation = activation});
  }
}

TEST(DepthwiseKernel, WeightsGivenAtExecutionArePackedThen) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.in_channels = 8, .out_channels = 8, .filter_height = 3, .filter_width = 3, .constant_weights = false});
}

}  // namespace
}  // namespace nnvk::vulkan::rig
