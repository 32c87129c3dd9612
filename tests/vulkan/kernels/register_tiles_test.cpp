// Which tiles convolutions get on software Vulkan and on GPUs with many and with few registers. No GPU.
#include "vulkan/kernels/products/register_tiles.h"

#include <gtest/gtest.h>

#include "tests/vulkan/kernels/product_shapes.h"
#include "vulkan/kernels/products/depthwise.h"

namespace nnvk::vulkan {
namespace {

using test::product_of;

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

const ProductShape kLarge = product_of(56 * 56, 32);

// 8-bit sums that a float cannot hold exactly.
ProductShape with_two_sums(ProductShape shape) {
  shape.type = OperandType::kTensorQuant8Asymm;
  shape.filter.in_channels = 1024;
  return shape;
}

TEST(RegisterTile, SoftwareVulkanReadsEveryPixelOncePerSubgroup) {
  EXPECT_EQ(choose_register_tile(kLarge, software()), (RegisterTile{16, 1, 8}));
}

TEST(RegisterTile, OnlyAsManyInvocationsShareAsDivideTheChannels) {
  ProductShape product = kLarge;
  product.filter.columns = 36;
  EXPECT_EQ(choose_register_tile(product, software()).sharers, 4U);
  product.filter.columns = 6;
  const RegisterTile tile = choose_register_tile(product, software());
  EXPECT_EQ(6 / tile.vectors % tile.sharers, 0U);
  product.filter.columns = 1;
  EXPECT_EQ(choose_register_tile(product, software()).sharers, 1U);
}

TEST(RegisterTile, NothingIsSharedWithoutShufflesOrInNarrowSubgroups) {
  EXPECT_EQ(choose_register_tile(kLarge, software(false)).sharers, 1U);
  DeviceTraits narrow = software();
  narrow.subgroup_size = 4;
  EXPECT_EQ(choose_register_tile(kLarge, narrow).sharers, 1U);
}

TEST(RegisterTile, SharersDivideThePixelsOfATile) {
  for (const uint64_t pixels : {1U, 2U, 3U, 4U, 5U, 9U, 49U, 100000U}) {
    for (const uint32_t columns : {1U, 2U, 4U, 6U, 8U, 10U, 40U, 320U}) {
      const ProductShape shape = product_of(pixels, columns);
      for (const bool two_sums : {false, true}) {
        const RegisterTile tile = choose_register_tile(two_sums ? with_two_sums(shape) : shape, software());
        EXPECT_EQ(tile.pixels % tile.sharers, 0U) << pixels << " pixels, " << columns << " columns";
        EXPECT_EQ(columns % (tile.vectors * tile.sharers), 0U) << pixels << " pixels, " << columns << " columns";
      }
    }
  }
}

TEST(RegisterTile, TilesShrinkUntilEveryCoreHasWork) {
  EXPECT_LT(choose_register_tile(product_of(49, 4), software()).pixels, 4U);
  EXPECT_LT(choose_register_tile(product_of(196, 16), gpu(128)).pixels, 8U);  // a GPU has more lanes to fill
}

TEST(RegisterTile, FewPixelsShareTheirWeights) {
  EXPECT_EQ(choose_register_tile(product_of(4, 2), software()).pixels, 4U);
  EXPECT_EQ(choose_register_tile(product_of(3, 2), software()).pixels, 4U);
  EXPECT_EQ(choose_register_tile(product_of(1, 320), software()).pixels, 1U);
}

TEST(RegisterTile, AGpuWithFewRegistersGetsSmallerTiles) {
  const RegisterTile large = choose_register_tile(kLarge, gpu(128));
  const RegisterTile small = choose_register_tile(kLarge, gpu(64));
  EXPECT_LE(tile_registers(large, kLarge), 128U);
  EXPECT_LE(tile_registers(small, kLarge), 64U);
  EXPECT_GT(large.pixels, small.pixels);
}

TEST(RegisterTile, TransposedTilesOfOtherFormsAreSmallerWhereCompilersNeedMoreRegisters) {
  ProductShape transposed = kLarge;
  transposed.window = kWindowTransposed;
  DeviceTraits nvidia = gpu(128);
  nvidia.machine.vendor = GpuVendor::kNvidia;
  EXPECT_EQ(most_tile_pixels(84, kLarge, gpu(128)), 4U);
  EXPECT_EQ(most_tile_pixels(84, transposed, gpu(128)), 4U);
  EXPECT_EQ(most_tile_pixels(84, kLarge, nvidia), 4U);
  EXPECT_EQ(most_tile_pixels(84, transposed, nvidia), 2U);
  EXPECT_EQ(most_tile_pixels(84, transposed, gpu(64)), 2U);
  EXPECT_EQ(most_tile_pixels(84, kLarge, gpu(48)), 2U);
  EXPECT_EQ(most_tile_pixels(84, transposed, gpu(48)), 1U);
}

TEST(RegisterTile, ConsecutiveInvocationsOfAGpuReadConsecutiveWeights) {
  for (const uint32_t registers : {32U, 64U, 128U, 256U}) {
    EXPECT_EQ(choose_register_tile(kLarge, gpu(registers)).vectors, 1U);
    EXPECT_EQ(choose_register_tile(kLarge, gpu(registers)).sharers, 1U);
  }
}

TEST(RegisterTile, SumsInTwoPartsTakeMoreRegisters) {
  const ProductShape product = with_two_sums(kLarge);
  EXPECT_GT(tile_registers({8, 1}, product), tile_registers({8, 1}, kLarge));
  EXPECT_LE(tile_registers(choose_register_tile(product, gpu(96)), product), 96U);
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
