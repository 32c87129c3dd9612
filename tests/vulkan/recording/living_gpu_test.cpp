// A device that its first use opens.
#include <gtest/gtest.h>

#include "core/base/result.h"
#include "opened_gpu.h"
#include "vulkan/recording/living_gpu.h"

namespace nnvk::vulkan {
namespace {

class LivingGpuTest : public OpenedGpu {};

TEST_F(LivingGpuTest, OpensAtItsFirstUseAndTriesAgainIfThatFails) {
  int calls = 0;
  LivingGpu gpu([&]() -> Result<std::shared_ptr<Gpu>> {
    if (++calls == 1) return fail(Code::kOutOfMemory, "there is no memory yet");
    auto opened = open();
    return opened != nullptr ? Result<std::shared_ptr<Gpu>>(std::move(opened)) : fail(Code::kUnavailableDevice, "there is none");
  });
  EXPECT_EQ(calls, 0);
  const auto first = gpu.alive();
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, Code::kOutOfMemory);
  EXPECT_EQ(first.error().message, "there is no memory yet");
  const auto second = gpu.alive();
  if (!second && second.error().code == Code::kUnavailableDevice) GTEST_SKIP() << "no Vulkan device";
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(*gpu.alive(), *second);
  EXPECT_EQ(calls, 2);
  gpu.shut_down();
}

TEST_F(LivingGpuTest, OpensNothingAfterItsShutDown) {
  LivingGpu gpu([]() -> Result<std::shared_ptr<Gpu>> { return fail(Code::kOpFailed, "nobody may call this"); });
  gpu.shut_down();
  const auto opened = gpu.alive();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kDeadObject);
}

}  // namespace
}  // namespace nnvk::vulkan
