// Features in chains that applications make.
#include "vulkan/interop/feature_chain.h"

#include <gtest/gtest.h>

#include <vector>

#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

// All features that belong to a core version of Vulkan.
FeatureStructs all() {
  FeatureStructs wanted;
  switch_on({KernelFeature::kFloat16, KernelFeature::kInt8, KernelFeature::kInt16, KernelFeature::kInt64,
             KernelFeature::kStorage8, KernelFeature::kStorage16, KernelFeature::kDotProduct, KernelFeature::kMemoryModel},
            wanted);
  wanted.timeline.timelineSemaphore = VK_TRUE;
  wanted.cache_control.pipelineCreationCacheControl = VK_TRUE;
  return wanted;
}

// Patches a chain as applications do: one call for the size, and one that fills the arena.
std::vector<std::byte> patch(VkPhysicalDeviceFeatures2& chain, const FeatureStructs& wanted) {
  size_t size = 0;
  EXPECT_TRUE(switch_on_in_chain(wanted, chain, nullptr, size));
  std::vector<std::byte> arena(size + 1);
  EXPECT_TRUE(switch_on_in_chain(wanted, chain, arena.data(), size));
  return arena;
}

TEST(FeatureChain, WithoutAChainEverythingIsOff) {
  FeatureStructs read = read_features(nullptr);
  EXPECT_EQ(features_in(read), KernelFeatures());
  EXPECT_EQ(read.timeline.timelineSemaphore, VK_FALSE);
}

TEST(FeatureChain, WhatIsSwitchedOnIsReadAgain) {
  auto chain = vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  const std::vector<std::byte> arena = patch(chain, all());
  FeatureStructs wanted = all();
  FeatureStructs read = read_features(&chain);
  EXPECT_EQ(features_in(read), features_in(wanted));
  EXPECT_EQ(read.timeline.timelineSemaphore, VK_TRUE);
  EXPECT_EQ(read.cache_control.pipelineCreationCacheControl, VK_TRUE);
}

TEST(FeatureChain, StructsOfVulkanVersionsTakeTheBitsWithoutFurtherStructs) {
  auto eleven = vulkan_struct<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  auto twelve = vulkan_struct<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  auto thirteen = vulkan_struct<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  auto chain = vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  chain.pNext = &eleven;
  eleven.pNext = &twelve;
  twelve.pNext = &thirteen;
  twelve.samplerMirrorClampToEdge = VK_TRUE;  // the application's own
  size_t size = 7;
  ASSERT_TRUE(switch_on_in_chain(all(), chain, nullptr, size));
  EXPECT_EQ(size, 0U);
  std::byte unused{};
  ASSERT_TRUE(switch_on_in_chain(all(), chain, &unused, size));
  EXPECT_EQ(thirteen.pNext, nullptr);
  EXPECT_EQ(thirteen.shaderIntegerDotProduct, VK_TRUE);
  EXPECT_EQ(eleven.storageBuffer16BitAccess, VK_TRUE);
  EXPECT_EQ(twelve.timelineSemaphore, VK_TRUE);
  EXPECT_EQ(twelve.samplerMirrorClampToEdge, VK_TRUE);
  FeatureStructs wanted = all();
  FeatureStructs read = read_features(&chain);
  EXPECT_EQ(features_in(read), features_in(wanted));
}

TEST(FeatureChain, StructsThatAreThereAreUsedAndBitsThatAreSetStay) {
  auto half =
      vulkan_struct<VkPhysicalDeviceShaderFloat16Int8Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES);
  half.shaderInt8 = VK_TRUE;
  auto chain = vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  chain.pNext = &half;
  chain.features.shaderFloat64 = VK_TRUE;
  FeatureStructs wanted;
  wanted.float16_int8.shaderFloat16 = VK_TRUE;
  const std::vector<std::byte> arena = patch(chain, wanted);
  EXPECT_EQ(half.pNext, nullptr);
  EXPECT_EQ(half.shaderFloat16, VK_TRUE);
  EXPECT_EQ(half.shaderInt8, VK_TRUE);
  EXPECT_EQ(chain.features.shaderFloat64, VK_TRUE);
  EXPECT_EQ(chain.features.shaderInt16, VK_FALSE);
}

TEST(FeatureChain, StructsWithTwoBitsAreMadeOnce) {
  auto chain = vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  const std::vector<std::byte> arena = patch(chain, all());
  std::vector<VkStructureType> types;
  for (auto* at = static_cast<VkBaseOutStructure*>(chain.pNext); at != nullptr; at = at->pNext) types.push_back(at->sType);
  EXPECT_EQ(types, (std::vector{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES}));
}

TEST(FeatureChain, AFeatureOfNoVulkanVersionGetsAStructOfItsOwn) {
  auto twelve = vulkan_struct<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  auto chain = vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  chain.pNext = &twelve;
  const KernelFeatures features = {KernelFeature::kMemoryModel, KernelFeature::kCooperativeMatrix};
  FeatureStructs wanted;
  switch_on(features, wanted);
  const std::vector<std::byte> arena = patch(chain, wanted);
  EXPECT_EQ(twelve.vulkanMemoryModel, VK_TRUE);
  EXPECT_EQ(twelve.vulkanMemoryModelDeviceScope, VK_TRUE);
  ASSERT_NE(twelve.pNext, nullptr);
  const auto* made = static_cast<const VkPhysicalDeviceCooperativeMatrixFeaturesKHR*>(twelve.pNext);
  EXPECT_EQ(made->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
  EXPECT_EQ(made->cooperativeMatrix, VK_TRUE);
  EXPECT_EQ(made->cooperativeMatrixRobustBufferAccess, VK_FALSE);
  EXPECT_EQ(made->pNext, nullptr);
  FeatureStructs read = read_features(&chain);
  EXPECT_EQ(features_in(read), features);
}

TEST(FeatureChain, ErrorsChangeNothing) {
  auto chain = vulkan_struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  std::byte small[8];
  size_t size = sizeof small;
  const Status too_small = switch_on_in_chain(all(), chain, small, size);
  ASSERT_FALSE(too_small);
  EXPECT_EQ(too_small.error().code, Code::kBadData);
  EXPECT_GT(size, sizeof small);
  EXPECT_EQ(chain.pNext, nullptr);
  EXPECT_EQ(chain.features.shaderInt16, VK_FALSE);
  chain.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  EXPECT_FALSE(switch_on_in_chain(all(), chain, nullptr, size));
}

}  // namespace
}  // namespace nnvk::vulkan
