// Which products of few pixels have their sums split. No GPU.
#include "vulkan/kernels/split_sum.h"

#include <gtest/gtest.h>

#include "shaders/convolution_params.h"

namespace nnvk::vulkan {
namespace {

DeviceTraits gpu(MachineKind kind = MachineKind::kDiscrete) {
  DeviceTraits traits;
  traits.machine = {kind, 40, 64};
  return traits;
}

constexpr TiledProduct kRow{.pixels = 1, .columns = 250};

TEST(SplitSum, ARowTimesAMatrixIsSplitSoFarThatTheDeviceIsBusy) {
  EXPECT_EQ(choose_split_sum(kRow, 512, gpu()), (SplitSum{1, 32}));
  const TiledProduct wide{.pixels = 1, .columns = 2000};
  EXPECT_EQ(choose_split_sum(wide, 512, gpu()), (SplitSum{1, 8}));
}

TEST(SplitSum, RowsReadTheirWeightsTogether) {
  for (const auto& [rows, pixels] : {std::pair{1, 1}, {2, 2}, {3, 4}, {4, 4}, {9, 4}}) {
    const TiledProduct product{.pixels = static_cast<uint64_t>(rows), .columns = 16};
    EXPECT_EQ(choose_split_sum(product, 512, gpu())->pixels, static_cast<uint32_t>(pixels)) << rows << " rows";
  }
}

TEST(SplitSum, ShortSumsAndManyResultsAreNotSplit) {
  EXPECT_FALSE(choose_split_sum(kRow, 31, gpu()));
  EXPECT_EQ(choose_split_sum(kRow, 32, gpu())->lanes, 8U) << "32 invocations would have one step each";
  const TiledProduct many{.pixels = 64, .columns = 250};
  EXPECT_FALSE(choose_split_sum(many, 512, gpu()));
}

TEST(SplitSum, WindowsAndSumsThatAreTooLongAreNotSplit) {
  TiledProduct window = kRow;
  window.window = kWindowPadded;
  EXPECT_FALSE(choose_split_sum(window, 512, gpu()));
  EXPECT_FALSE(choose_split_sum(kRow, 1 << 20, gpu()));
}

TEST(SplitSum, SoftwareVulkanDoesSoOnlyWhenAsked) {
  DeviceTraits software = gpu(MachineKind::kSoftware);
  EXPECT_FALSE(choose_split_sum(kRow, 512, software));
  software.forms = {KernelForm::kSplit};
  EXPECT_TRUE(choose_split_sum(kRow, 1, software));
  EXPECT_TRUE(choose_split_sum({.pixels = 3136, .columns = 64}, 512, software));
  software.forms.insert(KernelForm::kPlainProducts);
  EXPECT_FALSE(choose_split_sum(kRow, 512, software));
}

TEST(SplitSum, EveryResultHasAWorkGroup) {
  const SplitSum split{.pixels = 4, .lanes = 8};
  EXPECT_EQ(split.vectors(), 8U);
  EXPECT_EQ(work_groups(split, {.pixels = 9, .repetitions = 2, .columns = 17}), 3U * 2 * 3);
}

TEST(SplitSum, TheReasonSaysWhatWouldLeaveTheDeviceIdle) {
  EXPECT_EQ(reason_of({1, 32}, kRow, gpu()),
            "32 invocations share every sum of 1 pixel: 250 with whole sums would leave the device idle (10,240 keep it busy)");
}

}  // namespace
}  // namespace nnvk::vulkan
