// Which kernel form each layer shape gets. No GPU.
#include "vulkan/kernels/convolution_choice.h"

#include <gtest/gtest.h>

#include "shaders/convolution_params.h"

namespace nnvk::vulkan {
namespace {

WindowParameters layer(uint32_t size, uint32_t in_channels, uint32_t out_channels, uint32_t filter = 1, int32_t stride = 1,
                       int32_t pad = 0) {
  WindowParameters w;
  w.batches = 1;
  w.in_height = w.in_width = size;
  w.in_channels = in_channels;
  w.out_channels = out_channels;
  w.filter_height = w.filter_width = filter;
  w.stride_height = w.stride_width = stride;
  w.pad_top = w.pad_bottom = w.pad_left = w.pad_right = pad;
  w.out_height = w.out_width = static_cast<uint32_t>((static_cast<int32_t>(size + 2 * pad - filter)) / stride + 1);
  return w;
}

DeviceTraits software() {
  DeviceTraits traits;
  traits.machine.kind = MachineKind::kSoftware;
  return traits;
}

TEST(ConvolutionChoice, APlainOneByOneLayerReadsPixelsInOrder) {
  const ConvolutionChoice choice = choose_convolution(layer(56, 24, 144), false, 4, software());
  EXPECT_EQ(choice.window, kWindowPointwise);
  EXPECT_FALSE(choice.scalar_input || choice.scalar_output || choice.narrow);
}

TEST(ConvolutionChoice, PaddingIsOnlyCheckedWhereThereIsSome) {
  EXPECT_EQ(choose_convolution(layer(56, 16, 16, 3), false, 4, software()).window, kWindowInside);
  EXPECT_EQ(choose_convolution(layer(56, 16, 16, 3, 1, 1), false, 4, software()).window, kWindowPadded);
  for (int32_t WindowParameters::*const side : {&WindowParameters::pad_top, &WindowParameters::pad_left}) {
    WindowParameters w = layer(56, 16, 16, 3);
    w.*side = 1;
    EXPECT_EQ(choose_convolution(w, false, 4, software()).window, kWindowPadded) << "at one side alone";
  }
}

TEST(ConvolutionChoice, AWindowBeyondTheBottomEdgeCountsAsPadded) {
  WindowParameters w = layer(224, 3, 32, 3, 2);
  EXPECT_EQ(choose_convolution(w, false, 4, software()).window, kWindowInside);
  w.out_height = w.out_width = 112;  // SAME padding puts one row at the bottom
  w.pad_bottom = w.pad_right = 1;
  EXPECT_EQ(choose_convolution(w, false, 4, software()).window, kWindowPadded);
}

TEST(ConvolutionChoice, AStridedOneByOneLayerIsNoPixelwiseProduct) {
  EXPECT_EQ(choose_convolution(layer(56, 16, 16, 1, 2), false, 4, software()).window, kWindowInside);
}

TEST(ConvolutionChoice, ATransposedLayerGathersUnlessItIsPointwise) {
  EXPECT_EQ(choose_convolution(layer(8, 16, 16), true, 4, software()).window, kWindowPointwise);
  EXPECT_EQ(choose_convolution(layer(8, 16, 16, 1, 2), true, 4, software()).window, kWindowTransposed);
}

TEST(ConvolutionChoice, ChannelsThatDoNotFillVectorsAreReadOneByOne) {
  EXPECT_TRUE(choose_convolution(layer(56, 3, 16, 3), false, 4, software()).scalar_input);
  EXPECT_FALSE(choose_convolution(layer(56, 4, 16, 3), false, 4, software()).scalar_input);
}

TEST(ConvolutionChoice, PlanarImagesAreAddressedElementwiseOnBothSides) {
  WindowParameters w = layer(56, 16, 16);
  w.nchw = true;
  const ConvolutionChoice one = choose_convolution(w, false, 4, software());
  EXPECT_EQ(one.window, kWindowPointwise);
  EXPECT_TRUE(one.scalar_input && one.scalar_output);
  EXPECT_FALSE(one.narrow);
  w.batches = 2;  // pixels of the second image do not follow those of the first
  EXPECT_EQ(choose_convolution(w, false, 4, software()).window, kWindowInside);
}

TEST(ConvolutionChoice, NarrowOutputsOfOddChannelsTakeASecondKernel) {
  EXPECT_FALSE(choose_convolution(layer(56, 16, 21), false, 4, software()).narrow);
  EXPECT_TRUE(choose_convolution(layer(56, 16, 21), false, 2, software()).narrow);
  EXPECT_TRUE(choose_convolution(layer(56, 16, 21), false, 1, software()).narrow);
  EXPECT_FALSE(choose_convolution(layer(56, 16, 20), false, 1, software()).narrow);
}

TEST(ConvolutionChoice, ASinglePixelMayWriteIntoThePaddingBehindTheTensor) {
  const ConvolutionChoice choice = choose_convolution(layer(1, 1280, 1001), false, 1, software());
  EXPECT_FALSE(choice.scalar_output);
  EXPECT_FALSE(choice.narrow);
  EXPECT_EQ(choice.tile.pixels, 1U);
}

TEST(ConvolutionChoice, GroupsAreReadAndWrittenInVectorsWhereTheyConsistOfThem) {
  WindowParameters w = layer(56, 32, 32);
  w.groups = 4;
  EXPECT_FALSE(choose_convolution(w, false, 1, software()).scalar_input);
  EXPECT_FALSE(choose_convolution(w, false, 1, software()).scalar_output);
  w.groups = 16;
  EXPECT_TRUE(choose_convolution(w, false, 1, software()).scalar_input);
  EXPECT_TRUE(choose_convolution(w, false, 1, software()).narrow);
}

TEST(ExactSums, TheLargestProductsOfBytesStayBelowTheFloatsThatRound) {
  EXPECT_TRUE(fits_exact_sum(256));
  EXPECT_FALSE(fits_exact_sum(257));
  EXPECT_LE(256LL * 255 * 255, 1LL << 24);
}

TEST(PackedColumns, WeightsOfMoreThanFourChannelsHaveAnEvenNumberOfVectors) {
  EXPECT_EQ(packed_columns(1), 1U);
  EXPECT_EQ(packed_columns(4), 1U);
  EXPECT_EQ(packed_columns(5), 2U);
  EXPECT_EQ(packed_columns(12), 4U);
  EXPECT_EQ(packed_columns(24), 6U);
}

TEST(PhaseGrid, TransposedPixelsAreSplitByTheirRemainders) {
  WindowParameters w = layer(8, 16, 16);
  w.batches = 2;
  w.stride_height = 2;
  w.stride_width = 3;
  w.out_height = 7;
  w.out_width = 8;
  EXPECT_EQ(phase_grid(w, false).pixels, 2U * 7 * 8);
  EXPECT_EQ(phase_grid(w, true).phases, 6U);
  EXPECT_EQ(phase_grid(w, true).pixels, 2U * 4 * 3);
  w.stride_height = 2147483647;  // one row per phase
  EXPECT_EQ(phase_grid(w, true).phases, 7U * 3);
  EXPECT_EQ(phase_grid(w, true).pixels, 2U * 1 * 3);
}

TEST(DepthwiseChoice, CommonFiltersAreUnrolled) {
  const DepthwiseChoice choice = choose_depthwise(layer(112, 96, 96, 3, 2), 4, software());
  EXPECT_EQ(choice.filter_width, 3U);
  EXPECT_EQ(choice.stride_width, 2U);
  EXPECT_EQ(choose_depthwise(layer(56, 96, 96, 5, 1, 2), 4, software()).filter_width, 5U);
  EXPECT_EQ(choose_depthwise(layer(56, 96, 96, 7), 4, software()).filter_width, 0U);
  EXPECT_EQ(choose_depthwise(layer(56, 96, 96, 3, 3), 4, software()).filter_width, 0U);
}

TEST(DepthwiseChoice, DilatedFiltersAreNotUnrolled) {
  WindowParameters w = layer(56, 96, 96, 3);
  w.dilation_width = 2;
  EXPECT_EQ(choose_depthwise(w, 4, software()).filter_width, 0U);
}

TEST(DepthwiseChoice, SeveralOutputsPerChannelReadElementwise) {
  WindowParameters w = layer(56, 16, 32, 3);
  w.depth_multiplier = 2;
  EXPECT_TRUE(choose_depthwise(w, 4, software()).scalar_input);
  EXPECT_FALSE(choose_depthwise(w, 4, software()).scalar_output);
}

TEST(PlanarImages, OnePixelOrOneChannelIsTheSameInBothLayouts) {
  EXPECT_TRUE(is_planar(true, 2, 1, 2));
  EXPECT_FALSE(is_planar(true, 1, 1, 8));
  EXPECT_FALSE(is_planar(true, 8, 8, 1));
  EXPECT_FALSE(is_planar(false, 8, 8, 8));
}

}  // namespace
}  // namespace nnvk::vulkan
