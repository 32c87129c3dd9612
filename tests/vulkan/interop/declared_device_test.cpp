// Only enabled features and extensions count, not those that the device supports.
#include "vulkan/interop/declared_device.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "vulkan/context/device_plan.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

// A device that can do everything.
DeviceSnapshot able() {
  DeviceSnapshot s;
  s.name = "able";
  s.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  s.api_version = VK_API_VERSION_1_3;
  s.kernel_features = {KernelFeature::kFloat16, KernelFeature::kInt8, KernelFeature::kInt16, KernelFeature::kStorage8};
  s.timeline_semaphore = true;
  s.host_pointer_buffers = true;
  s.host_pointer_alignment = 4096;
  for (const char* name : used_extensions()) s.extensions.insert(name);
  s.queue_families = {{VK_QUEUE_COMPUTE_BIT, 1, 64}};
  s.memory_types = {{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                     0}};
  s.memory_heaps = {{1ULL << 32, true}};
  return s;
}

DevicePlan plan_of(const Declaration& declared) {
  const auto snapshot = as_declared(able(), declared);
  EXPECT_TRUE(snapshot) << snapshot.error().text();
  auto plan = device_plan(*snapshot);
  EXPECT_TRUE(plan);
  return *plan;
}

TEST(DeclaredDevice, NothingEnabledMeansThatNothingIsUsed) {
  const DevicePlan plan = plan_of({VK_API_VERSION_1_1, {}, nullptr});
  EXPECT_FALSE(plan.timeline_semaphore);
  EXPECT_FALSE(plan.pipeline_feedback);
  EXPECT_FALSE(plan.calibrated_timestamps);
  EXPECT_EQ(plan.host_import_alignment, 0U);
  EXPECT_EQ(plan.traits.features, KernelFeatures());
}

TEST(DeclaredDevice, AFeatureCountsWithItsExtensionOrItsVulkanVersion) {
  auto twelve = vulkan_struct<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  twelve.timelineSemaphore = VK_TRUE;
  twelve.shaderInt8 = VK_TRUE;
  auto chain = vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  chain.pNext = &twelve;
  EXPECT_TRUE(plan_of({VK_API_VERSION_1_2, {}, &chain}).timeline_semaphore);
  EXPECT_EQ(plan_of({VK_API_VERSION_1_2, {}, &chain}).traits.features, KernelFeatures{KernelFeature::kInt8});
  // An old instance: the extension must have been enabled.
  EXPECT_FALSE(plan_of({VK_API_VERSION_1_1, {}, &chain}).timeline_semaphore);
  EXPECT_TRUE(plan_of({VK_API_VERSION_1_1, {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME}, &chain}).timeline_semaphore);
  // The extension without the feature is not enough.
  EXPECT_FALSE(plan_of({VK_API_VERSION_1_3, {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME}, nullptr}).timeline_semaphore);
}

TEST(DeclaredDevice, CacheControlNeedsItsFeature) {
  constexpr const char* kName = VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME;
  const auto has_it = [&](const Declaration& declared) {
    const DevicePlan plan = plan_of(declared);
    return std::ranges::find(plan.extensions, kName) != plan.extensions.end();
  };
  auto control = vulkan_struct<VkPhysicalDevicePipelineCreationCacheControlFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES);
  auto chain = vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  chain.pNext = &control;
  EXPECT_FALSE(has_it({VK_API_VERSION_1_3, {}, &chain})) << "the feature is off";
  EXPECT_FALSE(has_it({VK_API_VERSION_1_3, {kName}, &chain})) << "the feature is off";
  control.pipelineCreationCacheControl = VK_TRUE;
  EXPECT_TRUE(has_it({VK_API_VERSION_1_3, {}, &chain}));
  EXPECT_FALSE(has_it({VK_API_VERSION_1_2, {}, &chain})) << "the extension is not enabled";
  EXPECT_TRUE(has_it({VK_API_VERSION_1_2, {kName}, &chain}));
  DeviceSnapshot without = able();
  without.extensions.erase(kName);
  const auto refused = as_declared(without, {VK_API_VERSION_1_3, {}, &chain});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("pipelineCreationCacheControl"), std::string::npos) << refused.error().text();
}

TEST(DeclaredDevice, ExtensionsWithoutFeaturesCountByTheirName) {
  EXPECT_EQ(plan_of({VK_API_VERSION_1_3, {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME}, nullptr}).host_import_alignment, 4096U);
  EXPECT_TRUE(plan_of({VK_API_VERSION_1_3, {}, nullptr}).pipeline_feedback);  // a part of 1.3
  EXPECT_FALSE(plan_of({VK_API_VERSION_1_2, {}, nullptr}).pipeline_feedback);
}

TEST(DeclaredDevice, WhatThePhysicalDeviceLacksCannotBeDeclared) {
  const auto unknown = as_declared(able(), {VK_API_VERSION_1_3, {"VK_XX_none"}, nullptr});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::kBadData);
  EXPECT_NE(unknown.error().text().find("VK_XX_none"), std::string::npos);

  auto chain = vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  chain.features.shaderInt64 = VK_TRUE;  // able() has it not
  const auto feature = as_declared(able(), {VK_API_VERSION_1_3, {}, &chain});
  ASSERT_FALSE(feature);
  EXPECT_NE(feature.error().text().find("int64"), std::string::npos) << feature.error().text();

  auto timeline =
      vulkan_struct<VkPhysicalDeviceTimelineSemaphoreFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
  timeline.timelineSemaphore = VK_TRUE;
  chain.features.shaderInt64 = VK_FALSE;
  chain.pNext = &timeline;
  DeviceSnapshot without = able();
  without.timeline_semaphore = false;
  EXPECT_FALSE(as_declared(without, {VK_API_VERSION_1_3, {}, &chain}));
}

}  // namespace
}  // namespace nnvk::vulkan
