// Which tiles convolutions get on software Vulkan and on GPUs with many and with few registers. No GPU.
#include "vulkan/kernels/convolution_tile.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

DeviceTraits software(bool shuffles = true) {
  DeviceTraits traits;
  traits.machine.kind = MachineKind::kSoftware;
  traits.subgroup_size = 8;
  if (shuffles) traits.features.insert(KernelFeature::kSubgroupShuffle);
  return traits;
}

DeviceTraits gpu(uint32_t registers) {
  DeviceTraits traits;
  traits.registers = registers;
  traits.subgroup_size = 64;
  traits.features.insert(KernelFeature::kSubgroupShuffle);
  return traits;
}

constexpr TiledProduct kLarge{.pixels = 56 * 56, .columns = 32};

TEST(ConvolutionTile, SoftwareVulkanReadsEveryPixelOncePerSubgroup) {
  EXPECT_EQ(choose_tile(kLarge, software()), (ConvolutionTile{16, 1, 8}));
}

TEST(ConvolutionTile, OnlyAsManyInvocationsShareAsDivideTheChannels) {
  TiledProduct product = kLarge;
  product.columns = 36;
  EXPECT_EQ(choose_tile(product, software()).sharers, 4U);
  product.columns = 6;
  const ConvolutionTile tile = choose_tile(product, software());
  EXPECT_EQ(6 / tile.vectors % tile.sharers, 0U);
  product.columns = 1;
  EXPECT_EQ(choose_tile(product, software()).sharers, 1U);
}

TEST(ConvolutionTile, NothingIsSharedWithoutShufflesOrInNarrowSubgroups) {
  EXPECT_EQ(choose_tile(kLarge, software(false)).sharers, 1U);
  DeviceTraits narrow = software();
  narrow.subgroup_size = 4;
  EXPECT_EQ(choose_tile(kLarge, narrow).sharers, 1U);
}

TEST(ConvolutionTile, SharersDivideThePixelsOfATile) {
  for (const uint64_t pixels : {1U, 2U, 3U, 4U, 5U, 9U, 49U, 100000U}) {
    for (const uint32_t columns : {1U, 2U, 4U, 6U, 8U, 10U, 40U, 320U}) {
      for (const bool two_sums : {false, true}) {
        const ConvolutionTile tile = choose_tile({.pixels = pixels, .columns = columns, .two_sums = two_sums}, software());
        EXPECT_EQ(tile.pixels % tile.sharers, 0U) << pixels << " pixels, " << columns << " columns";
        EXPECT_EQ(columns % (tile.vectors * tile.sharers), 0U) << pixels << " pixels, " << columns << " columns";
      }
    }
  }
}

TEST(ConvolutionTile, TilesShrinkUntilEveryCoreHasWork) {
  EXPECT_LT(choose_tile({.pixels = 49, .columns = 4}, software()).pixels, 4U);
  EXPECT_LT(choose_tile({.pixels = 196, .columns = 16}, gpu(128)).pixels, 8U);  // a GPU has more lanes to fill
}

TEST(ConvolutionTile, FewPixelsShareTheirWeights) {
  EXPECT_EQ(choose_tile({.pixels = 4, .columns = 2}, software()).pixels, 4U);
  EXPECT_EQ(choose_tile({.pixels = 3, .columns = 2}, software()).pixels, 4U);
  EXPECT_EQ(choose_tile({.pixels = 1, .columns = 320}, software()).pixels, 1U);
}

TEST(ConvolutionTile, AGpuWithFewRegistersGetsSmallerTiles) {
  const ConvolutionTile large = choose_tile(kLarge, gpu(128));
  const ConvolutionTile small = choose_tile(kLarge, gpu(64));
  EXPECT_LE(tile_registers(large, kLarge), 128U);
  EXPECT_LE(tile_registers(small, kLarge), 64U);
  EXPECT_GT(large.pixels, small.pixels);
}

TEST(ConvolutionTile, ConsecutiveInvocationsOfAGpuReadConsecutiveWeights) {
  for (const uint32_t registers : {32U, 64U, 128U, 256U}) {
    EXPECT_EQ(choose_tile(kLarge, gpu(registers)).vectors, 1U);
    EXPECT_EQ(choose_tile(kLarge, gpu(registers)).sharers, 1U);
  }
}

TEST(ConvolutionTile, SumsInTwoPartsTakeMoreRegisters) {
  TiledProduct product = kLarge;
  product.two_sums = true;
  EXPECT_GT(tile_registers({8, 1}, product), tile_registers({8, 1}, kLarge));
  EXPECT_LE(tile_registers(choose_tile(product, gpu(96)), product), 96U);
}

WindowParameters depthwise(uint32_t size, uint32_t channels, uint32_t filter, int32_t stride) {
  WindowParameters w;
  w.batches = 1;
  w.out_height = w.out_width = size;
  w.out_channels = channels;
  w.filter_height = w.filter_width = filter;
  w.stride_height = w.stride_width = stride;
  w.dilation_height = w.dilation_width = 1;
  return w;
}

TEST(DepthwiseTile, SoftwareVulkanReadsTheInputOfSeveralRowsOnce) {
  const DepthwiseTile tile = choose_depthwise_tile(depthwise(112, 32, 3, 1), true, false, software());
  EXPECT_GE(tile.rows * tile.pixels, 16U);
}

TEST(DepthwiseTile, AnyFilterHasTilesOfOneRow) {
  EXPECT_EQ(choose_depthwise_tile(depthwise(112, 32, 7, 1), false, false, software()).rows, 1U);
  WindowParameters dilated = depthwise(112, 32, 3, 1);
  dilated.dilation_height = 2;
  EXPECT_EQ(choose_depthwise_tile(dilated, true, false, software()).rows, 1U);
}

TEST(DepthwiseTile, SmallImagesAreSplitForAllCores) {
  EXPECT_EQ(choose_depthwise_tile(depthwise(4, 8, 3, 1), true, false, software()), (DepthwiseTile{1, 1}));
}

TEST(DepthwiseTile, AGpuTakesOneRowAndWhatItsRegistersHold) {
  EXPECT_EQ(choose_depthwise_tile(depthwise(112, 96, 3, 1), true, false, gpu(128)), (DepthwiseTile{4, 1}));
  EXPECT_EQ(choose_depthwise_tile(depthwise(112, 96, 5, 2), true, true, gpu(64)), (DepthwiseTile{1, 1}));
}

}  // namespace
}  // namespace nnvk::vulkan
