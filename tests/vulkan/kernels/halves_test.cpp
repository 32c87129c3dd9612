// Which float layers are computed in halves, on invented devices. No GPU.
#include "vulkan/kernels/products/halves.h"

#include <gtest/gtest.h>

#include "tests/vulkan/kernels/product_shapes.h"

namespace nnvk::vulkan {
namespace {

constexpr OperandType kFloat = OperandType::kTensorFloat32;
constexpr OperandType kHalf = OperandType::kTensorFloat16;

DeviceTraits with_halves() {
  DeviceTraits traits;
  traits.features = {KernelFeature::kFloat16};
  return traits;
}

ProductShape shape_of(const FilterLayout& filter, uint64_t pixels = 1) {
  ProductShape shape;
  shape.type = kHalf;
  shape.filter = filter;
  shape.pixels = pixels;
  if (filter.taps > 1) shape.window = kWindowPadded;
  return shape;
}

bool prefers_halves(OperandType type, bool relaxed, const DeviceTraits& traits) {
  ProductShape shape = shape_of(dense_filter(1, 64, 1, 64));
  shape.type = type;
  shape.relaxed = relaxed;
  return test::choose_form<HalfChoice>(shape, traits).has_value();
}

TEST(HalfChoice, FloatsAreHalvedOnlyWhereTheModelPermitsIt) {
  EXPECT_TRUE(prefers_halves(kHalf, false, with_halves()));
  EXPECT_FALSE(prefers_halves(kFloat, false, with_halves()));
  EXPECT_TRUE(prefers_halves(kFloat, true, with_halves()));
  EXPECT_FALSE(prefers_halves(OperandType::kTensorQuant8Asymm, true, with_halves()));
}

TEST(HalfChoice, DevicesWithoutHalfArithmeticAndSoftwareDoWithout) {
  EXPECT_FALSE(prefers_halves(kHalf, true, DeviceTraits{}));
  DeviceTraits software = with_halves();
  software.machine.kind = MachineKind::kSoftware;
  EXPECT_FALSE(prefers_halves(kHalf, true, software));
  software.forms = {KernelForm::kHalf};
  EXPECT_TRUE(prefers_halves(kHalf, true, software));
  DeviceTraits plain = with_halves();
  plain.forms = {KernelForm::kPlainProducts};
  EXPECT_FALSE(prefers_halves(kHalf, true, plain));
}

TEST(HalfChoice, WeightsTakeTwoBytesEach) {
  EXPECT_EQ(packed_half_bytes(dense_filter(1, 64, 9, 32)), 64U * 9 * 32 * 2);
  EXPECT_EQ(packed_half_bytes(dense_filter(2, 9, 1, 4)), 2U * 16 * 4 * 2) << "rows of eight channels";
}

TEST(HalfChoice, EightChannelsAreReadAtATimeWhereTheirNumberIsAMultiple) {
  EXPECT_EQ(choose_half(shape_of(dense_filter(1, 64, 9, 64)), with_halves())->quads, 2U);
  EXPECT_EQ(choose_half(shape_of(dense_filter(1, 64, 9, 12)), with_halves())->quads, 1U);
  EXPECT_FALSE(choose_half(shape_of(dense_filter(1, 64, 9, 3)), with_halves()));
  ProductShape planes = shape_of(dense_filter(1, 64, 9, 64));
  planes.input_unit = 1;
  EXPECT_FALSE(choose_half(planes, with_halves())) << "channels in planes";
}

TEST(HalfChoice, TilesFitTheRegisters) {
  DeviceTraits traits = with_halves();
  traits.registers = 64;
  EXPECT_EQ(choose_half(shape_of(dense_filter(1, 64, 9, 64), 1U << 20), traits)->tile_pixels, 2U);
  traits.registers = 48;
  EXPECT_EQ(choose_half(shape_of(dense_filter(1, 64, 9, 64), 1U << 20), traits)->tile_pixels, 1U);
  traits.registers = 128;
  EXPECT_EQ(choose_half(shape_of(dense_filter(1, 64, 9, 64), 1U << 20), traits)->tile_pixels, 4U);
}

TEST(HalfChoice, WhatIsTooLongOrTooLargeIsLeftToFloats) {
  EXPECT_TRUE(choose_half(shape_of(dense_filter(1, 8, 9, 8192)), with_halves()));
  EXPECT_FALSE(choose_half(shape_of(dense_filter(1, 8, 9, 16384)), with_halves()));
  DeviceTraits small = with_halves();
  small.max_storage_range = 1U << 12;
  EXPECT_FALSE(choose_half(shape_of(dense_filter(1, 64, 9, 64)), small));
}

TEST(HalfChoice, ResultsThatAreTooFewForTheDeviceHaveTheirSumsSplitInstead) {
  const ProductShape row = shape_of(dense_filter(1, 64, 1, 1024));
  EXPECT_FALSE(choose_half(row, with_halves()));
  DeviceTraits asked = with_halves();
  asked.forms = {KernelForm::kHalf};
  EXPECT_TRUE(choose_half(row, asked));
  DeviceTraits slow = with_halves();
  slow.slower = {KernelForm::kSplit};
  EXPECT_TRUE(choose_half(row, slow)) << "a calibration left split sums out";
}

TEST(HalfChoice, AResidualNeedsAFifthStorageBuffer) {
  DeviceTraits least = with_halves();
  least.max_storage_buffers = 4;
  EXPECT_TRUE(choose_half(shape_of(dense_filter(1, 64, 1, 64)), least));
  ProductShape residual = shape_of(dense_filter(1, 64, 1, 64));
  residual.residual = true;
  EXPECT_FALSE(choose_half(residual, least));
  EXPECT_TRUE(choose_half(residual, with_halves()));
}

}  // namespace
}  // namespace nnvk::vulkan
