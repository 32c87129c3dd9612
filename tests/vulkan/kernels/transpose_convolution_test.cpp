// TRANSPOSE_CONV_2D on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include "tests/vulkan/kernels/convolution_cases.h"

namespace nnvk::vulkan::rig {
namespace {

void expect_agrees(const ConvolutionCase& c) { expect_convolution_agrees(OperationCode::kTransposeConv2d, c); }

TEST(TransposeConvolutionKernel, StridesSpreadTheInput) {
  NNVK_REQUIRE_VULKAN();
  for (const int32_t stride : {1, 2, 3}) {
    expect_agrees({.batches = 2,
                   .height = 4,
                   .width = 5,
                   .in_channels = 8,
                   .out_channels = 12,
                   .filter_height = 3,
                   .filter_width = 3,
                   .stride_height = stride,
                   .stride_width = 2});
  }
}

TEST(TransposeConvolutionKernel, StridesBeyondTheFilterLeaveGaps) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.batches = 2,
                 .height = 3,
                 .width = 2,
                 .in_channels = 4,
                 .out_channels = 8,
                 .filter_height = 2,
                 .filter_width = 3,
                 .stride_height = 5,
                 .stride_width = 7,
                 .pad_top = 1});
  // One image row: the stride is far larger than the whole output.
  expect_agrees({.height = 1,
                 .width = 1,
                 .in_channels = 4,
                 .out_channels = 4,
                 .filter_height = 3,
                 .filter_width = 2,
                 .stride_height = 2147483647,
                 .stride_width = 100000});
}

TEST(TransposeConvolutionKernel, LargePaddingShiftsThePhases) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.height = 9,
                 .width = 8,
                 .in_channels = 8,
                 .out_channels = 5,
                 .filter_height = 3,
                 .filter_width = 5,
                 .stride_height = 2,
                 .stride_width = 3,
                 .pad_top = 7,
                 .pad_left = 10,
                 .pad_right = 1});
}

TEST(TransposeConvolutionKernel, PaddingCutsTheOutput) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.height = 5,
                 .width = 4,
                 .in_channels = 4,
                 .out_channels = 4,
                 .filter_height = 4,
                 .filter_width = 3,
                 .stride_height = 2,
                 .stride_width = 2,
                 .pad_top = 1,
                 .pad_bottom = 2,
                 .pad_left = 1});
  expect_agrees({.height = 5,
                 .width = 4,
                 .in_channels = 4,
                 .out_channels = 4,
                 .filter_height = 2,
                 .filter_width = 2,
                 .stride_height = 3,
                 .stride_width = 3,
                 .pad_bottom = -1,
                 .pad_right = -2});
}

TEST(TransposeConvolutionKernel, OddChannelsAndPlanarImagesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const bool nchw : {false, true}) {
    expect_agrees({.batches = 2,
                   .height = 3,
                   .width = 4,
                   .in_channels = 3,
                   .out_channels = 5,
                   .filter_height = 3,
                   .filter_width = 2,
                   .stride_height = 2,
                   .stride_width = 1,
                   .activation = 1,
                   .nchw = nchw});
    expect_agrees({.batches = 1, .height = 3, .width = 4, .in_channels = 8, .out_channels = 8, .nchw = nchw});
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
