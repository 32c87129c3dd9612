// The shared decisions of emitters: work-group counts within device limits, and combined activations.
#include "vulkan/kernels/emit_common.h"

#include <gtest/gtest.h>

#include <cfloat>

#include "tests/support/operation_family.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {
namespace {

TEST(FlatGroups, SmallDispatchesUseOneRow) {
  const auto groups = flat_groups(1000, 64, DeviceTraits{});
  ASSERT_TRUE(groups);
  EXPECT_EQ(*groups, (std::array<uint32_t, 3>{16, 1, 1}));
}

TEST(FlatGroups, LargeDispatchesSpreadOverRowsAndCoverEveryInvocation) {
  DeviceTraits traits;
  for (const uint64_t invocations : {64ULL * 65535, 64ULL * 65535 + 1, 1ULL << 28}) {
    const auto groups = flat_groups(invocations, 64, traits);
    ASSERT_TRUE(groups);
    EXPECT_LE((*groups)[0], traits.max_groups[0]);
    EXPECT_GE(uint64_t{(*groups)[0]} * (*groups)[1] * 64, invocations);
    EXPECT_LT(uint64_t{(*groups)[0]} * ((*groups)[1] - 1) * 64, invocations) << "a whole row would idle";
  }
}

TEST(FlatGroups, MoreThanTheDeviceCanHoldIsAnError) {
  DeviceTraits traits;
  traits.max_groups[0] = traits.max_groups[1] = 8;
  EXPECT_TRUE(flat_groups(64 * 64, 64, traits));
  EXPECT_FALSE(flat_groups(64 * 64 + 1, 64, traits));
}

TEST(CombinedActivation, IsTheSameAsApplyingOneAfterTheOther) {
  const FusedActivation all[] = {FusedActivation::kNone, FusedActivation::kRelu, FusedActivation::kRelu1,
                                 FusedActivation::kRelu6};
  for (const FusedActivation own : all) {
    for (const FusedActivation fused : all) {
      const ActivationBounds both = combined_float_bounds(own, fused);
      for (const float x : {-FLT_MAX, -7.0F, -1.0F, -0.5F, 0.0F, 0.5F, 1.0F, 3.0F, 6.0F, 9.0F, FLT_MAX}) {
        const ActivationBounds first = float_activation_bounds(own);
        const ActivationBounds second = float_activation_bounds(fused);
        const float expected = std::min(std::max(std::min(std::max(x, first.lo), first.hi), second.lo), second.hi);
        EXPECT_EQ(std::min(std::max(x, both.lo), both.hi), expected);
      }
    }
  }
}

TEST(Emitters, EveryRowIsInTheFileOfItsFamily) {
  size_t rows = 0;
#define NNVK_EXPECT_ROWS(family)                                                            \
  for (const KernelEmitter& row : family##_emitters) {                                      \
    EXPECT_EQ(nnvk::test::operation_family(row.code), #family) << operation_name(row.code); \
    EXPECT_NE(row.emit, nullptr) << operation_name(row.code);                               \
    EXPECT_EQ(find_emitter(row.code), &row) << operation_name(row.code);                    \
    ++rows;                                                                                 \
  }
  NNVK_KERNEL_FAMILIES(NNVK_EXPECT_ROWS)
#undef NNVK_EXPECT_ROWS
  EXPECT_EQ(rows, static_cast<size_t>(kOperationCount) - 2);  // IF and WHILE are run by the runtime
}

}  // namespace
}  // namespace nnvk::vulkan
