// Which products of few pixels have their sums split. No GPU.
#include "vulkan/kernels/products/split_sums.h"

#include <gtest/gtest.h>

#include "tests/vulkan/kernels/product_shapes.h"

namespace nnvk::vulkan {
namespace {

DeviceTraits gpu(MachineKind kind = MachineKind::kDiscrete) {
  DeviceTraits traits;
  traits.machine = {kind, 40, 64};
  return traits;
}

const ProductShape kRow = test::product_of(1, 250);

// Sums of `steps`, as far as the table's row permits them to be split.
std::optional<SplitSum> choose(ProductShape shape, uint32_t steps, const DeviceTraits& traits) {
  shape.filter.in_channels = 4 * steps;
  return test::choose_form<SplitSum>(shape, traits);
}

TEST(SplitSum, ARowTimesAMatrixIsSplitSoFarThatTheDeviceIsBusy) {
  EXPECT_EQ(choose(kRow, 512, gpu()), (SplitSum{1, 32}));
  const ProductShape wide = test::product_of(1, 2000);
  EXPECT_EQ(choose(wide, 512, gpu()), (SplitSum{1, 8}));
}

TEST(SplitSum, RowsReadTheirWeightsTogether) {
  for (const auto& [rows, pixels] : {std::pair{1, 1}, {2, 2}, {3, 4}, {4, 4}, {9, 4}}) {
    const ProductShape product = test::product_of(static_cast<uint64_t>(rows), 16);
    EXPECT_EQ(choose(product, 512, gpu())->pixels, static_cast<uint32_t>(pixels)) << rows << " rows";
  }
}

TEST(SplitSum, FewRegistersHoldTwoRows) {
  DeviceTraits few = gpu();
  few.registers = 48;
  EXPECT_EQ(choose(test::product_of(9, 16), 512, few)->pixels, 2U);
}

TEST(SplitSum, ShortSumsAndManyResultsAreNotSplit) {
  EXPECT_FALSE(choose(kRow, 31, gpu()));
  EXPECT_EQ(choose(kRow, 32, gpu())->lanes, 8U) << "32 invocations would have one step each";
  const ProductShape many = test::product_of(64, 250);
  EXPECT_FALSE(choose(many, 512, gpu()));
}

TEST(SplitSum, WindowsAndSumsThatAreTooLongAreNotSplit) {
  ProductShape window = kRow;
  window.window = kWindowPadded;
  EXPECT_FALSE(choose(window, 512, gpu()));
  EXPECT_FALSE(choose(kRow, 1 << 20, gpu()));
}

TEST(SplitSum, SoftwareVulkanDoesSoOnlyWhenAsked) {
  DeviceTraits software = gpu(MachineKind::kSoftware);
  EXPECT_FALSE(choose(kRow, 512, software));
  software.forms = {KernelForm::kSplit};
  EXPECT_TRUE(choose(kRow, 1, software));
  EXPECT_TRUE(choose(test::product_of(3136, 64), 512, software));
  software.forms.insert(KernelForm::kPlainProducts);
  EXPECT_FALSE(choose(kRow, 512, software));
}

TEST(SplitSum, EveryResultHasAWorkGroup) {
  const SplitSum split{.pixels = 4, .lanes = 8};
  EXPECT_EQ(split.vectors(), 8U);
  ProductShape shape = test::product_of(9, 17);
  shape.filter.groups = 2;
  EXPECT_EQ(work_groups(split, shape), 3U * 2 * 3);
}

TEST(SplitSum, TheReasonSaysWhatWouldLeaveTheDeviceIdle) {
  EXPECT_EQ(reason_of(SplitSum{1, 32}, kRow, gpu()),
            "32 invocations share every sum of 1 pixel: 250 with whole sums would leave the device idle (10,240 keep it busy)");
}

}  // namespace
}  // namespace nnvk::vulkan
