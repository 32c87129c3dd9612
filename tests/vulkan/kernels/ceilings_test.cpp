// The device's own ceilings: measured in all variants, plausible, and repeatable.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

TEST(Ceilings, EveryFigureIsMeasuredInAllVariants) {
  NNVK_REQUIRE_VULKAN();
  for (const KernelVariant variant : kKernelVariants) {
    const auto ceilings = vulkan_device(variant)->measure_ceilings();
    ASSERT_TRUE(ceilings.has_value()) << ceilings.error().message;
    for (const double figure :
         {ceilings->fp32_gflops, ceilings->int8_gops, ceilings->read_gigabytes_per_second, ceilings->copy_gigabytes_per_second}) {
      EXPECT_GT(figure, 0.01);  // 10 million per second; a lower figure would mean that something else was timed
      EXPECT_LT(figure, 1e7);   // 10 peta per second: more would mean that the work was optimised away
    }
    std::printf("[ ceilings ] %s: %.1f GFLOP/s, %.1f integer Gop/s, %.1f GB/s read, %.1f GB/s copied\n",
                std::string(name_of(variant)).c_str(), ceilings->fp32_gflops, ceilings->int8_gops,
                ceilings->read_gigabytes_per_second, ceilings->copy_gigabytes_per_second);
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
