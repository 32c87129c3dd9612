// Which layers are computed by cooperative matrices, on invented devices. No GPU.
#include "vulkan/kernels/products/matrices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/vulkan/kernels/product_shapes.h"
#include "vulkan/kernels/bounded_work.h"

namespace nnvk::vulkan {
namespace {

constexpr OperandType kFloat = OperandType::kTensorFloat32;
constexpr OperandType kHalf = OperandType::kTensorFloat16;
constexpr OperandType kBytes = OperandType::kTensorQuant8Asymm;
constexpr uint64_t kManyPixels = 1U << 16;

// Like a discrete GPU of AMD, with subgroups of `lanes`.
DeviceTraits with_matrices(uint32_t lanes = 32) {
  DeviceTraits traits;
  traits.features = {KernelFeature::kFloat16, KernelFeature::kInt8, KernelFeature::kMemoryModel,
                     KernelFeature::kCooperativeMatrix};
  traits.half_matrices = traits.byte_matrices = {16, 16, 16};
  traits.subgroup_size = lanes;
  return traits;
}

DeviceTraits software(KernelForms forms = {}) {
  DeviceTraits traits = with_matrices(8);
  traits.half_matrices = traits.byte_matrices = {8, 8, 8};
  traits.machine.kind = MachineKind::kSoftware;
  traits.forms = forms;
  return traits;
}

ProductShape shape_of(const FilterLayout& filter, uint64_t pixels, OperandType type = kHalf) {
  ProductShape shape;
  shape.type = type;
  shape.filter = filter;
  shape.pixels = pixels;
  shape.scale_channels = filter.out_channels;
  return shape;
}

std::optional<MatrixChoice> choose(const ProductShape& shape, const DeviceTraits& traits = with_matrices()) {
  return choose_matrices(shape, traits);
}

bool prefers_matrices(OperandType type, bool relaxed, const DeviceTraits& traits) {
  ProductShape shape = shape_of(dense_filter(1, 256, 9, 256), kManyPixels, type);
  shape.relaxed = relaxed;
  return test::choose_form<MatrixChoice>(shape, traits).has_value();
}

TEST(MatrixChoice, BytesHalvesAndRelaxedFloatsAreMultipliedAsMatrices) {
  EXPECT_TRUE(prefers_matrices(kBytes, false, with_matrices()));
  EXPECT_TRUE(prefers_matrices(kHalf, false, with_matrices()));
  EXPECT_TRUE(prefers_matrices(kFloat, true, with_matrices()));
  EXPECT_FALSE(prefers_matrices(kFloat, false, with_matrices()));
  EXPECT_FALSE(prefers_matrices(OperandType::kTensorInt32, true, with_matrices()));
}

TEST(MatrixChoice, DevicesWithoutAFeatureOrAShapeDoWithout) {
  for (const KernelFeature feature : {KernelFeature::kInt8, KernelFeature::kMemoryModel, KernelFeature::kCooperativeMatrix}) {
    DeviceTraits without = with_matrices();
    without.features = without.features - KernelFeatures{feature};
    EXPECT_FALSE(prefers_matrices(kBytes, false, without)) << name_of(feature);
  }
  DeviceTraits halves_alone = with_matrices();
  halves_alone.byte_matrices = {};
  EXPECT_FALSE(prefers_matrices(kBytes, false, halves_alone));
  EXPECT_TRUE(prefers_matrices(kHalf, false, halves_alone));
  EXPECT_FALSE(prefers_matrices(kHalf, false, with_matrices(0)));
  EXPECT_FALSE(prefers_matrices(kHalf, false, with_matrices(256))) << "a subgroup larger than the work group";
}

TEST(MatrixChoice, FormsThatAreAskedForDecide) {
  EXPECT_FALSE(prefers_matrices(kHalf, false, software()));
  EXPECT_TRUE(prefers_matrices(kHalf, false, software({KernelForm::kMatrix})));
  DeviceTraits traits = with_matrices();
  traits.forms = {KernelForm::kHalf};
  EXPECT_FALSE(prefers_matrices(kHalf, false, traits));
  EXPECT_TRUE(prefers_matrices(kBytes, false, traits));
  traits.forms = {KernelForm::kDot};
  EXPECT_FALSE(prefers_matrices(kBytes, false, traits));
  traits.forms = {KernelForm::kPlainProducts};
  EXPECT_FALSE(prefers_matrices(kBytes, false, traits));
  traits.forms = {KernelForm::kMatrix};
  traits.features = {};
  EXPECT_FALSE(prefers_matrices(kBytes, false, traits)) << "no form runs without the features of its kernels";
}

TEST(MatrixChoice, WeightsAreFilledUpToWholeChunksOfATap) {
  ProductShape shape = shape_of(dense_filter(2, 10, 9, 20), kManyPixels);
  const MatrixLayout halves = matrix_layout(shape);
  EXPECT_EQ(halves.tap_chunks, 3U) << "24 channels";
  EXPECT_EQ(halves.columns, 12U);
  EXPECT_EQ(halves.group_chunks, 9U * 3);
  EXPECT_EQ(halves.packed_bytes(), 2U * 9 * 24 * 12 * 2);
  shape.type = kBytes;
  shape.scale_channels = 2 * 12;
  const MatrixLayout bytes = matrix_layout(shape);
  EXPECT_EQ(bytes.tap_chunks, 2U) << "32 channels";
  EXPECT_EQ(bytes.weight_vectors, 2U * 9 * 2 * 12);
  EXPECT_EQ(bytes.corrections, 2U * 3);
  EXPECT_EQ(bytes.scale_vectors, 2U * 6);
  EXPECT_EQ(bytes.packed_bytes(), 16U * (432 + 6 + 12));
}

TEST(MatrixChoice, EverySubgroupGetsABlockOfTheTile) {
  const FilterLayout filter = dense_filter(1, 256, 9, 256);
  for (const uint32_t lanes : {4U, 8U, 16U, 32U, 64U, 128U}) {
    for (const MatrixShape& shape : {MatrixShape{16, 16, 16}, {8, 8, 16}, {8, 16, 16}, {8, 8, 8}}) {
      DeviceTraits traits = with_matrices(lanes);
      traits.half_matrices = shape;
      traits.max_shared_memory = 32768;
      const auto choice = choose(shape_of(filter, kManyPixels), traits);
      const uint32_t subgroups = 128 / lanes;
      const uint32_t matrices = 64 / shape.rows * (64 / shape.columns);
      ASSERT_EQ(choice.has_value(), subgroups <= matrices) << lanes << " lanes";
      if (!choice) continue;
      EXPECT_EQ(choice->group_rows * choice->group_columns, subgroups);
      EXPECT_EQ(choice->pixels(), 64U);
      EXPECT_EQ(choice->channels(), 64U);
      EXPECT_EQ(choice->shape, shape);
    }
  }
  const auto square = choose(shape_of(filter, kManyPixels));
  EXPECT_EQ(square, (MatrixChoice{{16, 16, 16}, 2, 2, 2, 2})) << "square blocks read least";
}

TEST(MatrixChoice, SmallProductsGetSmallTiles) {
  const FilterLayout filter = dense_filter(1, 64, 1, 256);
  const uint64_t fills_device = wanted_invocations(with_matrices().machine) / 128 * 64;
  EXPECT_EQ(choose(shape_of(filter, fills_device))->pixels(), 64U);
  EXPECT_EQ(choose(shape_of(filter, 64))->pixels(), 32U) << "more work groups";
  EXPECT_EQ(choose(shape_of(dense_filter(1, 1U << 14, 1, 256), 16))->pixels(), 16U);
  EXPECT_EQ(choose(shape_of(dense_filter(1, 32, 1, 256), kManyPixels))->channels(), 32U);
}

TEST(MatrixChoice, TilesFitTheRegistersOfEveryVendor) {
  const FilterLayout filter = dense_filter(1, 256, 9, 256);
  const auto tile_of = [&](GpuVendor vendor, uint32_t registers, OperandType type) {
    DeviceTraits traits = with_matrices(32);
    traits.machine.vendor = vendor;
    traits.registers = registers;
    traits.half_matrices = traits.byte_matrices = {8, 8, 16};
    traits.matrix_subgroup_size = vendor == GpuVendor::kIntel ? 16 : 0;
    const auto choice = choose(shape_of(filter, kManyPixels, type), traits);
    EXPECT_EQ(choice->group_rows * choice->group_columns, vendor == GpuVendor::kIntel ? 8U : 4U);
    return choice->pixels() * choice->channels();
  };
  EXPECT_EQ(tile_of(GpuVendor::kAmd, 128, kBytes), 64U * 64);
  EXPECT_EQ(tile_of(GpuVendor::kNvidia, 128, kHalf), 64U * 64);
  EXPECT_EQ(tile_of(GpuVendor::kNvidia, 128, kBytes), 32U * 64);
  EXPECT_EQ(tile_of(GpuVendor::kIntel, 64, kBytes), 32U * 64);
  EXPECT_EQ(tile_of(GpuVendor::kIntel, 48, kHalf), 16U * 32);
}

TEST(MatrixChoice, ProductsThatWouldMostlyFillTilesAreLeftToOtherKernels) {
  EXPECT_FALSE(choose(shape_of(dense_filter(1, 1000, 1, 1280), 1))) << "a classifier's last layer";
  EXPECT_FALSE(choose(shape_of(dense_filter(1, 64, 1, 2), kManyPixels))) << "2 of 32 channels in a step";
  EXPECT_FALSE(choose(shape_of(dense_filter(16, 4, 1, 64), kManyPixels))) << "4 of 32 channels of a group in a tile";
  EXPECT_TRUE(choose(shape_of(dense_filter(1, 64, 9, 64), 56 * 56)));
  DeviceTraits asked = with_matrices();
  asked.forms = {KernelForm::kMatrix};
  EXPECT_TRUE(choose(shape_of(dense_filter(1, 1000, 1, 1280), 1), asked));
}

TEST(MatrixChoice, FastDotProductsAskMoreOfMatricesOfBytes) {
  const FilterLayout filter = dense_filter(1, 64, 1, 24);  // 24 of the 64 channels that a work group takes at once
  DeviceTraits traits = with_matrices();
  const auto choose_bytes = [&] { return choose(shape_of(filter, kManyPixels, kBytes), traits); };
  EXPECT_TRUE(choose_bytes());
  traits.fast_dot_products = true;
  EXPECT_FALSE(choose_bytes());
  EXPECT_TRUE(choose(shape_of(dense_filter(1, 64, 1, 12), kManyPixels), traits)) << "12 of 32 halves";
}

TEST(MatrixChoice, ProductsThatWouldLeaveMostOfTheDeviceIdleAreSplitInstead) {
  DeviceTraits traits = with_matrices();
  traits.features.insert(KernelFeature::kDotProduct);
  traits.machine = {MachineKind::kDiscrete, 132, 128};
  traits.fast_dot_products = true;
  for (const OperandType type : {kHalf, kBytes}) {
    const ProductShape few = shape_of(dense_filter(1, 320, 1, 960), 49, type);  // 15,680 results
    EXPECT_FALSE(choose(few, traits));
    EXPECT_TRUE(choose(shape_of(dense_filter(1, 320, 1, 960), kManyPixels, type), traits));
    DeviceTraits without = traits;
    without.slower = {KernelForm::kDot, KernelForm::kSplit};
    EXPECT_TRUE(choose(few, without)) << "no other form splits sums";
  }
}

TEST(MatrixChoice, WorkGroupsFitTheSharedMemoryOfTheLeastDevice) {
  for (const uint32_t lanes : {4U, 8U, 16U, 32U, 64U}) {
    const auto choice = choose(shape_of(dense_filter(1, 256, 9, 256), kManyPixels), with_matrices(lanes));
    if (!choice) continue;  // more subgroups than matrices
    EXPECT_LE(matrix_shared_bytes(*choice), 16384U) << lanes << " lanes";
  }
  DeviceTraits little = with_matrices();
  little.max_shared_memory = 12000;
  EXPECT_EQ(choose(shape_of(dense_filter(1, 256, 9, 256), kManyPixels), little)->pixels(), 32U);
  little.max_shared_memory = 1000;
  EXPECT_FALSE(choose(shape_of(dense_filter(1, 256, 9, 256), kManyPixels), little));
}

TEST(MatrixChoice, WhatIsTooLongOrTooLargeIsLeftToOtherKernels) {
  EXPECT_TRUE(choose(shape_of(dense_filter(1, 64, 1, 8 * kMostElementsPerInvocation), kManyPixels)));
  EXPECT_FALSE(choose(shape_of(dense_filter(1, 64, 1, 8 * kMostElementsPerInvocation + 1), kManyPixels)));
  DeviceTraits small = with_matrices();
  small.max_storage_range = 1U << 14;
  EXPECT_TRUE(choose(shape_of(dense_filter(1, 64, 1, 64), kManyPixels), small));
  EXPECT_FALSE(choose(shape_of(dense_filter(1, 64, 9, 64), kManyPixels), small));
  ProductShape copied = shape_of(dense_filter(1, 64, 1, 64), kManyPixels, kBytes);
  EXPECT_TRUE(choose(copied, small));
  copied.input_unit = 1;
  copied.input_pixels = 1U << 14;  // 64 bytes each
  EXPECT_FALSE(choose(copied, small));
}

TEST(MatrixChoice, AResidualNeedsAFifthStorageBuffer) {
  DeviceTraits least = with_matrices();
  least.max_storage_buffers = 4;
  EXPECT_TRUE(choose(shape_of(dense_filter(1, 64, 1, 64), kManyPixels), least));
  ProductShape residual = shape_of(dense_filter(1, 64, 1, 64), kManyPixels);
  residual.residual = true;
  EXPECT_FALSE(choose(residual, least));
}

TEST(MatrixChoice, WorkGroupsCoverAllPixelsChannelsAndGroups) {
  const FilterLayout filter = dense_filter(3, 65, 1, 64);
  const MatrixChoice choice{{16, 16, 16}, 2, 2, 2, 2};
  EXPECT_EQ(matrix_work_groups(choice, filter, 128), 2U * 3 * 2);
  EXPECT_EQ(matrix_work_groups(choice, filter, 129), 3U * 3 * 2);
}

TEST(MatrixChoice, IsExplained) {
  EXPECT_EQ(reason_of(MatrixChoice{{16, 16, 16}, 2, 2, 2, 2}, {}, {}),
            "16 x 16 x 16 matrices, 64 pixels x 64 channels to a work group of 4 subgroups");
}

}  // namespace
}  // namespace nnvk::vulkan
