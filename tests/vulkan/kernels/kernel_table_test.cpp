// The generated kernel table as a whole: rules for every row of any family.
#include "kernel_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "suppression_kernels.h"

namespace nnvk::vulkan {
namespace {

constexpr uint32_t kSpirvMagic = 0x07230203;

TEST(KernelTable, EveryIdFindsItsOwnRow) {
  ASSERT_FALSE(all_kernels().empty());
  for (const KernelInfo& kernel : all_kernels()) EXPECT_EQ(&kernel_info(kernel.id), &kernel) << kernel.name;
}

TEST(KernelTable, NamesAreUnique) {
  std::set<std::string> names;
  for (const KernelInfo& kernel : all_kernels()) EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
}

TEST(KernelTable, EveryKernelHasAWordsVariantAndPortableLimits) {
  for (const KernelInfo& kernel : all_kernels()) {
    ASSERT_FALSE(kernel.modules.empty()) << kernel.name;
    EXPECT_EQ(kernel.modules.back().variant, KernelVariant::kWords) << kernel.name;
    for (const KernelModule& module : kernel.modules) EXPECT_EQ(module.spirv[0], kSpirvMagic) << kernel.name;
    EXPECT_LE(kernel.params_bytes, 128U) << kernel.name;
    EXPECT_EQ(kernel.params_bytes % 4, 0U) << kernel.name;
    const uint32_t invocations = kernel.local_size[0] * kernel.local_size[1] * kernel.local_size[2];
    // Vulkan guarantees 128. Emitters choose this kernel only for devices with larger work groups.
    const bool is_for_large_groups = kernel.id == kernels::kSuppressWide.id;
    EXPECT_LE(invocations, is_for_large_groups ? 1024U : 128U) << kernel.name;
    EXPECT_EQ(kernel.local_size[0] % 8, 0U) << kernel.name;  // software Vulkan needs it for full speed
  }
}

TEST(KernelTable, EveryKernelWritesSomething) {
  for (const KernelInfo& kernel : all_kernels()) {
    EXPECT_TRUE(std::any_of(kernel.bindings.begin(), kernel.bindings.end(), [](const BindingInfo& binding) {
      return binding.kind == BindingKind::kOutput || binding.kind == BindingKind::kInOut;
    })) << kernel.name;
  }
}

}  // namespace
}  // namespace nnvk::vulkan
