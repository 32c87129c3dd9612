// The float products that use shared memory on GPUs of several kinds. No GPU.
#include "vulkan/kernels/group_tile.h"

#include <gtest/gtest.h>

#include "shaders/convolution_params.h"

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

constexpr TiledProduct kLarge{.pixels = 8 * 56 * 56, .columns = 32};
constexpr uint64_t kChannels = 64;

TEST(GroupTile, ALargeProductGetsTheLargestTile) {
  const auto tile = choose_group_tile(kLarge, kChannels, gpu());
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->group_pixels(), 64U);
  EXPECT_EQ(tile->group_vectors(), 16U);
  EXPECT_EQ(work_groups(*tile, kLarge), 8U * 56 * 56 / 64 * 2);
}

TEST(GroupTile, ASmallerTileLeavesWorkForTheWholeDevice) {
  // Half as many pixels as 64 of them in a tile would need to fill the device.
  const uint64_t groups = wanted_invocations(gpu().machine) / 64;
  const TiledProduct product{.pixels = 32 * groups, .columns = 16};
  EXPECT_EQ(choose_group_tile(product, kChannels, gpu())->group_pixels(), 32U);
  const TiledProduct small{.pixels = 16 * groups, .columns = 16};
  EXPECT_FALSE(choose_group_tile(small, kChannels, gpu()));
}

TEST(GroupTile, ScalarsTakeRegistersFromTheTile) {
  TiledProduct scalars = kLarge;
  scalars.scalar_input = true;
  EXPECT_EQ(choose_group_tile(scalars, kChannels, gpu())->group_pixels(), 32U);
}

TEST(GroupTile, WhatWouldMostlyBeFilledUpStaysWithTheInvocations) {
  TiledProduct product = kLarge;
  product.columns = 6;  // of 16 in a tile
  product.pixels *= 8;
  EXPECT_FALSE(choose_group_tile(product, kChannels, gpu()));
  EXPECT_FALSE(choose_group_tile(kLarge, 3, gpu()));  // channels: 16 are taken at once
  EXPECT_TRUE(choose_group_tile(kLarge, 27, gpu()));
}

TEST(GroupTile, OnlyGpusWithMemoryOfTheirOwnAndEnoughRegistersDoSo) {
  for (const MachineKind kind : {MachineKind::kSoftware, MachineKind::kIntegrated, MachineKind::kMobile}) {
    EXPECT_FALSE(choose_group_tile(kLarge, kChannels, of_kind(kind)));
  }
  EXPECT_FALSE(choose_group_tile(kLarge, kChannels, gpu(64)));
  DeviceTraits plain = gpu();
  plain.forms = {KernelForm::kPlainProducts};
  EXPECT_FALSE(choose_group_tile(kLarge, kChannels, plain));
}

TEST(GroupTile, AskedForByNameEveryDeviceDoesSoWithTilesBySizeAlone) {
  DeviceTraits traits = of_kind(MachineKind::kSoftware);
  traits.registers = 64;
  traits.forms = {KernelForm::kTiles};
  EXPECT_EQ(choose_group_tile({.pixels = 3, .columns = 1}, 1, traits)->group_pixels(), 32U);
  EXPECT_EQ(choose_group_tile({.pixels = 65, .columns = 1}, 1, traits)->group_pixels(), 64U);
}

TEST(GroupTile, SumsThatAreTooLongAndTransposedWindowsStayWithTheInvocations) {
  DeviceTraits traits = gpu();
  traits.forms = {KernelForm::kTiles};
  EXPECT_FALSE(choose_group_tile(kLarge, 1 << 20, traits));
  TiledProduct transposed = kLarge;
  transposed.window = kWindowTransposed;
  EXPECT_FALSE(choose_group_tile(transposed, kChannels, traits));
}

TEST(GroupTile, TheReasonSaysWhatKeepsTheDeviceBusy) {
  const auto tile = choose_group_tile(kLarge, kChannels, gpu());
  EXPECT_EQ(reason_of(*tile, kLarge, gpu()),
            "64 pixels x 64 channels to a work group, which reads them once, through shared memory: the largest tile within 128 "
            "registers whose 50,176 invocations keep the device busy (10,240 do)");
}

}  // namespace
}  // namespace nnvk::vulkan
