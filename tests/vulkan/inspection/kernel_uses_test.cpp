// Kernels of plans on invented devices, and the compiler statistics of real drivers.
#include "vulkan/inspection/kernel_uses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cpu_fallback/reference_device.h"
#include "tests/support/plan_fixture.h"
#include "tests/vulkan/recording/network.h"
#include "vulkan/inspection/inspected_device.h"

namespace nnvk::vulkan {
namespace {

using testing::HasSubstr;

KernelUses uses_of(const PlanPointer& plan, const DeviceTraits& traits = {}) {
  return kernel_uses(plan, traits, cpu::reference_evaluator());
}

std::vector<std::string> kernels_of(const KernelUses& found) {
  std::vector<std::string> names;
  for (const KernelUse& use : found.uses) names.emplace_back(kernel_info(use.pipeline.kernel).name);
  return names;
}

TEST(KernelUses, AreThoseOfTheFusedPlanWithThePackingOfWeightsFirst) {
  const KernelUses found = uses_of(test::residual_network({1, 8, 8, 4}));
  EXPECT_TRUE(found.unlisted.empty());
  ASSERT_GE(found.uses.size(), 4U);
  EXPECT_EQ(kernels_of(found)[0], "ConvolutionPackFloat");
  EXPECT_TRUE(found.uses[0].once);
  EXPECT_EQ(kernels_of(found)[1], "ConvolutionFloat");
  EXPECT_FALSE(found.uses[1].once);
  EXPECT_GT(found.uses[1].work.multiply_adds, 0U);
  EXPECT_THAT(found.uses[1].label, HasSubstr("CONV_2D 1x8x8x4"));
  EXPECT_THAT(found.uses[1].reason, HasSubstr("invocations that keep the device busy"));
}

TEST(KernelUses, FollowWhatTheDeviceIs) {
  DeviceTraits words;
  words.variants = {KernelVariant::kWords};
  const PlanPointer plan = test::residual_network({1, 8, 8, 4});
  EXPECT_EQ(uses_of(plan).uses[1].pipeline.variant, KernelVariant::kTexel);
  for (const KernelUse& use : uses_of(plan, words).uses) EXPECT_EQ(use.pipeline.variant, KernelVariant::kWords);
}

TEST(KernelUses, UnknownShapesAreUnlistedWithTheReason) {
  const KernelUses found = uses_of(test::residual_network({kUnknownDimension, 8, 8, 4}));
  EXPECT_TRUE(found.uses.empty());
  ASSERT_FALSE(found.unlisted.empty());
  EXPECT_THAT(found.unlisted[0].reason, HasSubstr("only an execution knows"));
}

TEST(KernelUses, OperationsBeyondTheDeviceAreUnlistedAndTheOthersAreNot) {
  DeviceTraits small;
  small.max_texel_elements = 16;
  small.max_storage_range = 1024;
  test::PlanFixture f;
  const TensorId x = f.input({64, 64});
  const TensorId few = f.input({4});
  const TensorId y = f.output({64, 64});
  const TensorId less = f.output({4});
  f.node(OperationCode::kTanh, {x}, {y});
  f.node(OperationCode::kTanh, {few}, {less});
  const KernelUses found = uses_of(f.plan(), small);
  ASSERT_EQ(found.unlisted.size(), 1U);
  EXPECT_EQ(found.unlisted[0].operation, 0U);
  EXPECT_THAT(found.unlisted[0].reason, HasSubstr("storage buffer"));
  ASSERT_EQ(found.uses.size(), 1U);
  EXPECT_EQ(found.uses[0].operation, 1U);
}

TEST(InspectedDevice, ASnapshotWithoutMemoryForTheHostIsGoodEnough) {
  DeviceSnapshot snapshot;
  snapshot.name = "Null";
  snapshot.queue_families = {{VK_QUEUE_COMPUTE_BIT, 1, 0}};
  snapshot.pipeline_statistics = true;
  const auto device = InspectedDevice::from_snapshot(snapshot, {});
  ASSERT_TRUE(device) << device.error().text();
  EXPECT_FALSE((*device)->is_usable());
  EXPECT_THAT((*device)->without_statistics(), HasSubstr("snapshot"));
  const auto statistics = (*device)->statistics({});
  ASSERT_FALSE(statistics);
  EXPECT_EQ(statistics.error().code, Code::kBadState);
}

TEST(InspectedDevice, BelowTheFloorInMoreThanMemoryNothingIsChosen) {
  DeviceSnapshot snapshot;
  snapshot.name = "No queue";
  EXPECT_FALSE(InspectedDevice::from_snapshot(snapshot, {}));
}

TEST(InspectedDevice, PhysicalDevicesAreFoundByNameAndNumber) {
  const auto all = physical_devices().value_or(std::vector<PhysicalDevice>());
  if (all.empty()) GTEST_SKIP() << "no Vulkan driver";
  const auto first = InspectedDevice::open("", {});
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ((*first)->name(), all[0].name);
  EXPECT_EQ((*InspectedDevice::open("vulkan:0", {}))->name(), all[0].name);
  EXPECT_EQ((*InspectedDevice::open(all[0].name, {}))->name(), all[0].name);
  for (const char* name : {"moon", "vulkan:99", "vulkan:", "vulkan:0x", "vulkan:-1"}) {
    const auto none = InspectedDevice::open(name, {});
    ASSERT_FALSE(none) << name;
    EXPECT_EQ(none.error().code, Code::kUnavailableDevice);
    EXPECT_THAT(none.error().message, HasSubstr(all[0].name));
  }
}

TEST(InspectedDevice, IsOpenedOncePerVariant) {
  if (!physical_devices()) GTEST_SKIP() << "no Vulkan driver";
  InspectedDevices devices;
  const auto first = devices.get("", std::nullopt);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(*devices.get("", std::nullopt), *first);
  const auto words = devices.get("", KernelVariant::kWords);
  EXPECT_NE(*words, *first);
  EXPECT_FALSE((*words)->plan().traits.variants.contains(KernelVariant::kTexel));
}

TEST(InspectedDevice, EveryKernelOfANetworkHasStatisticsWhereTheDriverTells) {
  const auto all = physical_devices().value_or(std::vector<PhysicalDevice>());
  if (all.empty()) GTEST_SKIP() << "no Vulkan driver";
  const auto opened = InspectedDevice::open("", {});
  ASSERT_TRUE(opened) << opened.error().text();
  InspectedDevice& device = **opened;
  const KernelUses found = uses_of(test::residual_network({1, 8, 8, 4}), device.plan().traits);
  for (const KernelUse& use : found.uses) {
    const auto statistics = device.statistics(use.pipeline);
    if (device.without_statistics().empty()) {
      ASSERT_TRUE(statistics) << statistics.error().text();
      EXPECT_FALSE(statistics->empty());
    } else {
      EXPECT_FALSE(statistics);
    }
  }
}

}  // namespace
}  // namespace nnvk::vulkan
