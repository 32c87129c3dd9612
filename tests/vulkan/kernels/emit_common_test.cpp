// The shared decisions of emitters: work-group counts within device limits, and combined activations.
#include "vulkan/kernels/emit_common.h"

#include <gtest/gtest.h>

#include <cfloat>

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

TEST(Emitters, EveryRowIsFoundUnderItsOwnCode) {
  for (int32_t i = 0; i < kOperationCount; ++i) {
    const auto code = static_cast<OperationCode>(i);
    const KernelEmitter* emitter = find_emitter(code);
    if (code == OperationCode::kIf || code == OperationCode::kWhile || find_operation(code) == nullptr) {
      EXPECT_EQ(emitter, nullptr) << operation_name(code);  // control flow is run by the runtime
      continue;
    }
    ASSERT_NE(emitter, nullptr) << operation_name(code);
    EXPECT_EQ(emitter->code, code);
    EXPECT_NE(emitter->emit, nullptr);
  }
}

}  // namespace
}  // namespace nnvk::vulkan
