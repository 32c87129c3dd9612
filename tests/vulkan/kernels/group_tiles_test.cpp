// The float products that use shared memory on GPUs of several kinds. No GPU.
#include "vulkan/kernels/products/group_tiles.h"

#include <gtest/gtest.h>

#include "tests/vulkan/kernels/product_shapes.h"

namespace nnvk::vulkan {
namespace {

DeviceTraits gpu(uint32_t registers = 128) {
  DeviceTraits traits;
  traits.registers = registers;
  traits.machine = {MachineKind::kDiscrete, 40, 64};
  return traits;
}

DeviceTraits of_kind(MachineKind kind) {
  DeviceTraits traits = gpu();
  traits.machine.kind = kind;
  return traits;
}

const ProductShape kLarge = test::product_of(8 * 56 * 56, 32);
constexpr uint32_t kChannels = 64;

// The tile that the table's row chooses if sums cover `channels`.
std::optional<GroupTile> choose(ProductShape shape, uint32_t channels, const DeviceTraits& traits) {
  shape.filter.in_channels = channels;
  return test::choose_form<GroupTile>(shape, traits);
}

TEST(GroupTile, ALargeProductGetsTheLargestTile) {
  const auto tile = choose(kLarge, kChannels, gpu());
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->group_pixels(), 64U);
  EXPECT_EQ(tile->group_vectors(), 16U);
  EXPECT_EQ(work_groups(*tile, kLarge), 8U * 56 * 56 / 64 * 2);
}

TEST(GroupTile, ASmallerTileLeavesWorkForTheWholeDevice) {
  // Half as many pixels as 64 of them in a tile would need to fill the device.
  const uint64_t groups = wanted_invocations(gpu().machine) / 64;
  const ProductShape product = test::product_of(32 * groups, 16);
  EXPECT_EQ(choose(product, kChannels, gpu())->group_pixels(), 32U);
  const ProductShape small = test::product_of(16 * groups, 16);
  EXPECT_FALSE(choose(small, kChannels, gpu()));
}

TEST(GroupTile, ScalarsTakeRegistersFromTheTile) {
  ProductShape scalars = kLarge;
  scalars.input_unit = 1;
  EXPECT_EQ(choose(scalars, kChannels, gpu())->group_pixels(), 32U);
}

TEST(GroupTile, WhatWouldMostlyBeFilledUpStaysWithTheInvocations) {
  ProductShape product = kLarge;
  product.filter.columns = 6;  // of 16 in a tile
  product.pixels *= 8;
  EXPECT_FALSE(choose(product, kChannels, gpu()));
  EXPECT_FALSE(choose(kLarge, 3, gpu()));  // channels: 16 are taken at once
  EXPECT_TRUE(choose(kLarge, 27, gpu()));
}

TEST(GroupTile, OnlyGpusWithMemoryOfTheirOwnAndEnoughRegistersDoSo) {
  for (const MachineKind kind : {MachineKind::kSoftware, MachineKind::kIntegrated, MachineKind::kMobile}) {
    EXPECT_FALSE(choose(kLarge, kChannels, of_kind(kind)));
  }
  EXPECT_FALSE(choose(kLarge, kChannels, gpu(64)));
  DeviceTraits plain = gpu();
  plain.forms = {KernelForm::kPlainProducts};
  EXPECT_FALSE(choose(kLarge, kChannels, plain));
}

TEST(GroupTile, AskedForByNameEveryDeviceDoesSoWithTilesBySizeAlone) {
  DeviceTraits traits = of_kind(MachineKind::kSoftware);
  traits.registers = 64;
  traits.forms = {KernelForm::kTiles};
  EXPECT_EQ(choose(test::product_of(3, 1), 1, traits)->group_pixels(), 32U);
  EXPECT_EQ(choose(test::product_of(65, 1), 1, traits)->group_pixels(), 64U);
}

TEST(GroupTile, SumsThatAreTooLongAndTransposedWindowsStayWithTheInvocations) {
  DeviceTraits traits = gpu();
  traits.forms = {KernelForm::kTiles};
  EXPECT_FALSE(choose(kLarge, 1 << 20, traits));
  ProductShape transposed = kLarge;
  transposed.window = kWindowTransposed;
  EXPECT_FALSE(choose(transposed, kChannels, traits));
}

TEST(GroupTile, TheReasonSaysWhatKeepsTheDeviceBusy) {
  const auto tile = choose(kLarge, kChannels, gpu());
  EXPECT_EQ(reason_of(*tile, kLarge, gpu()),
            "64 pixels x 64 channels to a work group, which reads them once, through shared memory: the largest tile within 128 "
            "registers whose 50,176 invocations keep the device busy (10,240 do)");
}

}  // namespace
}  // namespace nnvk::vulkan
