// Which 8-bit layers are computed by integer dot products, on invented devices. No GPU.
#include "vulkan/kernels/products/dot_products.h"

#include <gtest/gtest.h>

#include "tests/vulkan/kernels/product_shapes.h"

namespace nnvk::vulkan {
namespace {

// A GPU whose driver reports fast dot products.
DeviceTraits with_dot_products() {
  DeviceTraits traits;
  traits.features = {KernelFeature::kDotProduct};
  traits.fast_dot_products = true;
  traits.registers = 128;
  return traits;
}

ProductShape shape_of(const FilterLayout& filter, uint64_t pixels = 1) {
  ProductShape shape;
  shape.type = OperandType::kTensorQuant8Asymm;
  shape.filter = filter;
  shape.pixels = pixels;
  shape.input_unit = filter.in_channels % 16 == 0 ? 16 : 4;
  shape.scale_channels = filter.out_channels;
  return shape;
}

// The same with an input of `pixels` whose channels do not fill words.
ProductShape copied(const FilterLayout& filter, uint64_t pixels = 1) {
  ProductShape shape = shape_of(filter);
  shape.input_unit = 1;
  shape.input_pixels = pixels;
  return shape;
}

std::optional<DotChoice> choose(const ProductShape& shape, const DeviceTraits& traits = with_dot_products()) {
  return test::choose_form<DotChoice>(shape, traits);
}

bool prefers_dot_products(const DeviceTraits& traits) { return choose(shape_of(dense_filter(1, 64, 1, 64)), traits).has_value(); }

TEST(DotChoice, DevicesWithoutTheInstructionOrWithASlowOneDoWithout) {
  EXPECT_TRUE(prefers_dot_products(with_dot_products()));
  DeviceTraits slow = with_dot_products();
  slow.fast_dot_products = false;
  EXPECT_FALSE(prefers_dot_products(slow));
  DeviceTraits without = with_dot_products();
  without.features = {};
  EXPECT_FALSE(prefers_dot_products(without));
}

TEST(DotChoice, FormsThatAreAskedForComeBeforeWhatTheDriverSays) {
  DeviceTraits slow = with_dot_products();
  slow.fast_dot_products = false;
  slow.forms = {KernelForm::kDot};
  EXPECT_TRUE(prefers_dot_products(slow));
  slow.features = {};
  EXPECT_FALSE(prefers_dot_products(slow)) << "no form runs without the features of its kernels";
  DeviceTraits plain = with_dot_products();
  plain.forms = {KernelForm::kPlainProducts};
  EXPECT_FALSE(prefers_dot_products(plain));
  EXPECT_FALSE(choose(shape_of(dense_filter(1, 64, 1, 64), 1U << 16), plain));
}

TEST(DotChoice, WeightsTakeAByteEachAndScalesStandBehindThem) {
  const FilterLayout filter = dense_filter(2, 24, 9, 30);  // 24 channels: 6 vectors
  const DotLayout layout = dot_layout(filter, 2 * 24);
  EXPECT_EQ(layout.words, 8U);
  EXPECT_EQ(layout.corrections, 2U * 6);
  EXPECT_EQ(layout.weight_vectors, 2U * 6 * 9 * 8);
  EXPECT_EQ(layout.scale_vectors, 2U * 12);
  EXPECT_EQ(layout.packed_bytes(), 16U * (864 + 12 + 24));
  const FilterLayout large = dense_filter(1, 1024, 1, 1024);
  EXPECT_LT(dot_layout(large, 1024).packed_bytes(), large.packed_bytes() * 26 / 100);
}

TEST(DotChoice, FourWordsAreReadAtOnceWherePixelsConsistOfThem) {
  EXPECT_TRUE(reads_four_words(shape_of(dense_filter(1, 64, 9, 64)), 16));
  EXPECT_FALSE(reads_four_words(shape_of(dense_filter(1, 64, 9, 24)), 6));
  EXPECT_TRUE(reads_four_words(copied(dense_filter(1, 64, 9, 30)), 8)) << "the copy has whole words";
}

TEST(DotChoice, ImagesThatAreNoWholeWordsAreCopied) {
  EXPECT_TRUE(choose(copied(dense_filter(1, 64, 9, 3))));
  EXPECT_EQ(word_image_bytes(copied(dense_filter(2, 64, 9, 3), 100), 1), 100U * 2 * 4);
}

TEST(DotChoice, TilesShrinkUntilTheDeviceHasWork) {
  const FilterLayout filter = dense_filter(1, 64, 1, 32);  // 8 tiles of 8 channels, whose sums are too short to be shared
  const uint64_t wanted = wanted_invocations(with_dot_products().machine);
  EXPECT_EQ(choose(shape_of(filter, wanted / 2))->tile_pixels, 4U);
  EXPECT_EQ(choose(shape_of(filter, wanted / 4))->tile_pixels, 2U);
  EXPECT_EQ(choose(shape_of(filter, wanted / 8))->tile_pixels, 1U);
  DeviceTraits few_registers = with_dot_products();
  few_registers.registers = 64;
  EXPECT_EQ(choose(shape_of(filter, wanted / 2), few_registers)->tile_pixels, 2U);
  EXPECT_EQ(choose(shape_of(filter, 3))->tile_pixels, 4U) << "a few pixels share their weights";
  EXPECT_EQ(choose(shape_of(filter, 1))->tile_pixels, 1U);
}

TEST(DotChoice, InvocationsShareSumsUntilTheDeviceHasWork) {
  DeviceTraits large = with_dot_products();
  large.machine = {MachineKind::kDiscrete, 132, 128};
  EXPECT_EQ(choose(shape_of(dense_filter(1, 1001, 1, 1280)), large), (DotChoice{1, 1, 32})) << "a classifier's last layer";
  EXPECT_EQ(choose(shape_of(dense_filter(1, 4096, 1, 1280)), large), (DotChoice{1, 1, 32}));
  EXPECT_EQ(choose(shape_of(dense_filter(1, 1U << 14, 1, 1280)), large), (DotChoice{1, 1, 32}));
  EXPECT_EQ(choose(shape_of(dense_filter(1, 1U << 16, 1, 1280)), large), (DotChoice{1, 1, 8}));
  EXPECT_EQ(choose(shape_of(dense_filter(1, 192, 9, 96), 4), large), (DotChoice{1, 1, 16})) << "taps count";
  EXPECT_EQ(choose(shape_of(dense_filter(1, 320, 1, 960), 49), large), (DotChoice{2, 1, 16}))
      << "four pixels to a tile would leave lanes without any invocation";
}

TEST(DotChoice, AfterFourPixelsWithSharedSumsComeSinglePixelsWithWholeOnes) {
  DeviceTraits large = with_dot_products();
  large.machine = {MachineKind::kDiscrete, 132, 128};
  EXPECT_EQ(choose(shape_of(dense_filter(1, 192, 1, 64), 784), large), (DotChoice{4, 1, 2}));
  EXPECT_EQ(choose(shape_of(dense_filter(1, 192, 1, 32), 784), large), (DotChoice{1, 2, 1})) << "8 words";
}

TEST(DotChoice, SumsAreWholeWhereTheyCannotBeSharedOrNeedNotBe) {
  const ProductShape row = shape_of(dense_filter(1, 1001, 1, 1280));
  EXPECT_GT(choose(row)->lanes, 1U);
  ProductShape transposed = row;
  transposed.window = kWindowTransposed;
  EXPECT_EQ(choose(transposed)->lanes, 1U);
  DeviceTraits slow = with_dot_products();
  slow.slower = {KernelForm::kSplit};
  EXPECT_EQ(choose(row, slow)->lanes, 1U) << "a calibration left split sums out";
  EXPECT_EQ(choose(shape_of(dense_filter(1, 1001, 1, 1280), 1U << 12))->lanes, 1U);
}

TEST(DotChoice, SoftwareVulkanSharesSumsOnlyWhenAsked) {
  DeviceTraits software = with_dot_products();
  software.machine = {.kind = MachineKind::kSoftware};
  software.forms = {KernelForm::kDot};
  const ProductShape row = shape_of(dense_filter(1, 16, 1, 1280));
  EXPECT_EQ(choose(row, software)->lanes, 1U);
  software.forms.insert(KernelForm::kSplit);
  EXPECT_GT(choose(row, software)->lanes, 1U);
  EXPECT_EQ(choose(shape_of(dense_filter(1, 8, 1, 4)), software)->lanes, 8U) << "however short they are";
}

TEST(DotChoice, WorkGroupsHoldWholeTiles) {
  const ProductShape shape = shape_of(dense_filter(2, 24, 1, 64), 9);  // 6 vectors for each of 2 groups
  EXPECT_EQ(invocations({.tile_pixels = 4, .tile_vectors = 1, .lanes = 8}, shape), 320U) << "36 tiles, 8 to a work group";
  EXPECT_EQ(invocations({.tile_pixels = 4, .tile_vectors = 2}, shape), 64U) << "18 tiles";
}

TEST(DotChoice, TheReasonSaysWhatWouldLeaveTheDeviceIdle) {
  DeviceTraits traits = with_dot_products();
  traits.machine = {MachineKind::kDiscrete, 40, 64};
  const std::string reason = reason_of(DotChoice{1, 1, 32}, shape_of(dense_filter(1, 1001, 1, 1280)), traits);
  EXPECT_TRUE(
      reason.ends_with("32 invocations share every sum: 252 with whole sums would leave the device idle "
                       "(10,240 keep it busy)"))
      << reason;
}

TEST(DotChoice, SumsThatAreTooLongForOneDispatchAreLeftToTheKernelsInChunks) {
  EXPECT_TRUE(choose(shape_of(dense_filter(1, 8, 9, 12000))));
  EXPECT_FALSE(choose(shape_of(dense_filter(1, 8, 9, 16000))));
  EXPECT_FALSE(choose(shape_of(dense_filter(1, 8, 8000, 4)))) << "taps cost as well";
}

TEST(DotChoice, WhatExceedsAStorageBufferIsLeftToOtherKernels) {
  DeviceTraits small = with_dot_products();
  small.max_storage_range = 1U << 16;
  EXPECT_TRUE(choose(shape_of(dense_filter(1, 128, 1, 128)), small));
  EXPECT_FALSE(choose(shape_of(dense_filter(1, 256, 1, 256)), small));
  EXPECT_FALSE(choose(copied(dense_filter(1, 8, 9, 3), 1U << 18), small));
  ProductShape whole = shape_of(dense_filter(1, 8, 9, 4));
  whole.input_pixels = 1U << 18;
  EXPECT_TRUE(choose(whole, small)) << "nothing is copied";
}

}  // namespace
}  // namespace nnvk::vulkan
