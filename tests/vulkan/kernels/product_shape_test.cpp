// How kernels access the images of each layer. No GPU.
#include "vulkan/kernels/products/product.h"

#include <gtest/gtest.h>

#include "vulkan/kernels/products/depthwise.h"
#include "vulkan/kernels/products/register_tiles.h"

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

constexpr OperandType kFloat32 = OperandType::kTensorFloat32;
constexpr OperandType kFloat16 = OperandType::kTensorFloat16;
constexpr OperandType kBytes = OperandType::kTensorQuant8Asymm;

DeviceTraits software() {
  DeviceTraits traits;
  traits.machine.kind = MachineKind::kSoftware;
  return traits;
}

TEST(ConvolutionShape, APlainOneByOneLayerReadsPixelsInOrder) {
  const ProductShape choice = convolution_shape(layer(56, 24, 144), false, kFloat32);
  EXPECT_EQ(choice.window, kWindowPointwise);
  EXPECT_FALSE(choice.scalar_input() || choice.scalar_output || choice.narrow);
}

TEST(ConvolutionShape, PaddingIsOnlyCheckedWhereThereIsSome) {
  EXPECT_EQ(convolution_shape(layer(56, 16, 16, 3), false, kFloat32).window, kWindowInside);
  EXPECT_EQ(convolution_shape(layer(56, 16, 16, 3, 1, 1), false, kFloat32).window, kWindowPadded);
  for (int32_t WindowParameters::*const side : {&WindowParameters::pad_top, &WindowParameters::pad_left}) {
    WindowParameters w = layer(56, 16, 16, 3);
    w.*side = 1;
    EXPECT_EQ(convolution_shape(w, false, kFloat32).window, kWindowPadded) << "at one side alone";
  }
}

TEST(ConvolutionShape, AWindowBeyondTheBottomEdgeCountsAsPadded) {
  WindowParameters w = layer(224, 3, 32, 3, 2);
  EXPECT_EQ(convolution_shape(w, false, kFloat32).window, kWindowInside);
  w.out_height = w.out_width = 112;  // SAME padding puts one row at the bottom
  w.pad_bottom = w.pad_right = 1;
  EXPECT_EQ(convolution_shape(w, false, kFloat32).window, kWindowPadded);
}

TEST(ConvolutionShape, AStridedOneByOneLayerIsNoPixelwiseProduct) {
  EXPECT_EQ(convolution_shape(layer(56, 16, 16, 1, 2), false, kFloat32).window, kWindowInside);
}

TEST(ConvolutionShape, ATransposedLayerGathersUnlessItIsPointwise) {
  EXPECT_EQ(convolution_shape(layer(8, 16, 16), true, kFloat32).window, kWindowPointwise);
  EXPECT_EQ(convolution_shape(layer(8, 16, 16, 1, 2), true, kFloat32).window, kWindowTransposed);
}

TEST(ConvolutionShape, ChannelsThatDoNotFillVectorsAreReadOneByOne) {
  EXPECT_TRUE(convolution_shape(layer(56, 3, 16, 3), false, kFloat32).scalar_input());
  EXPECT_FALSE(convolution_shape(layer(56, 4, 16, 3), false, kFloat32).scalar_input());
}

TEST(ConvolutionShape, PlanarImagesAreAddressedElementwiseOnBothSides) {
  WindowParameters w = layer(56, 16, 16);
  w.nchw = true;
  const ProductShape one = convolution_shape(w, false, kFloat32);
  EXPECT_EQ(one.window, kWindowPointwise);
  EXPECT_TRUE(one.scalar_input() && one.scalar_output);
  EXPECT_FALSE(one.narrow);
  w.batches = 2;  // pixels of the second image do not follow those of the first
  EXPECT_EQ(convolution_shape(w, false, kFloat32).window, kWindowInside);
}

TEST(ConvolutionShape, NarrowOutputsOfOddChannelsTakeASecondKernel) {
  EXPECT_FALSE(convolution_shape(layer(56, 16, 21), false, kFloat32).narrow);
  EXPECT_TRUE(convolution_shape(layer(56, 16, 21), false, kFloat16).narrow);
  EXPECT_TRUE(convolution_shape(layer(56, 16, 21), false, kBytes).narrow);
  EXPECT_FALSE(convolution_shape(layer(56, 16, 20), false, kBytes).narrow);
}

TEST(ConvolutionShape, ASinglePixelMayWriteIntoThePaddingBehindTheTensor) {
  const ProductShape choice = convolution_shape(layer(1, 1280, 1001), false, kBytes);
  EXPECT_FALSE(choice.scalar_output);
  EXPECT_FALSE(choice.narrow);
  EXPECT_EQ(choose_register_tile(choice, software()).pixels, 1U);
}

TEST(ConvolutionShape, GroupsAreReadAndWrittenInVectorsWhereTheyConsistOfThem) {
  WindowParameters w = layer(56, 32, 32);
  w.groups = 4;
  EXPECT_FALSE(convolution_shape(w, false, kBytes).scalar_input());
  EXPECT_FALSE(convolution_shape(w, false, kBytes).scalar_output);
  w.groups = 16;
  EXPECT_TRUE(convolution_shape(w, false, kBytes).scalar_input());
  EXPECT_TRUE(convolution_shape(w, false, kBytes).narrow);
}

TEST(ExactSums, TheLargestProductsOfBytesStayBelowTheFloatsThatRound) {
  EXPECT_TRUE(convolution_shape(layer(1, 256, 8), false, kBytes).is_exact());
  EXPECT_FALSE(convolution_shape(layer(1, 257, 8), false, kBytes).is_exact());
  EXPECT_FALSE(convolution_shape(layer(8, 32, 8, 3), false, kBytes).is_exact()) << "288 products";
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
  const DepthwiseChoice choice = choose_depthwise(depthwise_shape(layer(112, 96, 96, 3, 2), true, kFloat32), software());
  EXPECT_EQ(choice.filter_width, 3U);
  EXPECT_EQ(choice.stride_width, 2U);
  EXPECT_EQ(choose_depthwise(depthwise_shape(layer(56, 96, 96, 5, 1, 2), true, kFloat32), software()).filter_width, 5U);
  EXPECT_EQ(choose_depthwise(depthwise_shape(layer(56, 96, 96, 7), true, kFloat32), software()).filter_width, 0U);
  EXPECT_EQ(choose_depthwise(depthwise_shape(layer(56, 96, 96, 3, 3), true, kFloat32), software()).filter_width, 0U);
}

TEST(DepthwiseChoice, DilatedFiltersAreNotUnrolled) {
  WindowParameters w = layer(56, 96, 96, 3);
  w.dilation_width = 2;
  EXPECT_EQ(choose_depthwise(depthwise_shape(w, true, kFloat32), software()).filter_width, 0U);
}

TEST(DepthwiseChoice, SeveralOutputsPerChannelReadElementwise) {
  WindowParameters w = layer(56, 16, 32, 3);
  w.depth_multiplier = 2;
  EXPECT_TRUE(choose_depthwise(depthwise_shape(w, true, kFloat32), software()).scalar_input);
  EXPECT_FALSE(depthwise_shape(w, true, kFloat32).scalar_output);
}

TEST(PlanarImages, OnePixelOrOneChannelIsTheSameInBothLayouts) {
  EXPECT_TRUE(is_planar(true, 2, 1, 2));
  EXPECT_FALSE(is_planar(true, 1, 1, 8));
  EXPECT_FALSE(is_planar(true, 8, 8, 1));
  EXPECT_FALSE(is_planar(false, 8, 8, 8));
}

}  // namespace
}  // namespace nnvk::vulkan
