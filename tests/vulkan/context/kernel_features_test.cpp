// Kernel features and Vulkan's structs: every row is found in its struct, and only structs that the driver knows are linked.
#include "vulkan/context/kernel_features.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

constexpr VkSubgroupFeatureFlags kAllOperations = ~VkSubgroupFeatureFlags{0};
const std::set<std::string> kAllExtensions = {
    VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME,        VK_KHR_8BIT_STORAGE_EXTENSION_NAME,
    VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME,
    VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,      VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};

std::set<VkStructureType> linked(const std::set<std::string>& extensions) {
  FeatureStructs structs;
  link(structs, extensions);
  std::set<VkStructureType> types;
  for (const auto* s = reinterpret_cast<const VkBaseInStructure*>(&structs.core); s != nullptr; s = s->pNext) {
    types.insert(s->sType);
  }
  return types;
}

TEST(KernelFeatures, EveryFeatureCanBeHadAndIsSwitchedOnWhereItIsFound) {
  for (const KernelFeature feature : kKernelFeatures) {
    const KernelFeatures one = {feature};
    KernelFeatures available = one;
    available.insert(KernelFeature::kCooperativeMatrix);  // the memory model is enabled only for this feature
    EXPECT_TRUE(usable_features(available, kAllExtensions, kAllOperations).contains(one)) << name_of(feature);
    if (usable_features({}, {}, kAllOperations).contains(one)) continue;  // a subgroup feature: drivers report it as a property
    FeatureStructs structs;
    switch_on(one, structs);
    EXPECT_EQ(features_in(structs), one) << name_of(feature);
  }
}

TEST(KernelFeatures, StructsOfUnknownExtensionsStayOutOfTheChain) {
  EXPECT_EQ(linked({}),
            (std::set{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES}));
  EXPECT_TRUE(linked({VK_KHR_8BIT_STORAGE_EXTENSION_NAME}).contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES));
  EXPECT_TRUE(linked({VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME})
                  .contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES));
  EXPECT_TRUE(linked({VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME})
                  .contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES));
  EXPECT_TRUE(linked({VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME})
                  .contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES));
  EXPECT_TRUE(linked({VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME})
                  .contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES));
  EXPECT_TRUE(linked({VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME})
                  .contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR));
  EXPECT_TRUE(
      linked({VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME}).contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES));
}

TEST(KernelFeatures, TheMemoryModelIsForCooperativeMatricesAndWholeOnly) {
  FeatureStructs structs;
  structs.memory_model.vulkanMemoryModel = VK_TRUE;
  EXPECT_EQ(features_in(structs), KernelFeatures{}) << "barriers of the device's scope would not be allowed any more";
  structs.memory_model.vulkanMemoryModelDeviceScope = VK_TRUE;
  EXPECT_EQ(features_in(structs), KernelFeatures{KernelFeature::kMemoryModel});
  const KernelFeatures both = {KernelFeature::kMemoryModel, KernelFeature::kCooperativeMatrix};
  EXPECT_EQ(usable_features(both, kAllExtensions, 0), both);
  EXPECT_EQ(usable_features({KernelFeature::kMemoryModel}, kAllExtensions, 0), KernelFeatures{});
  EXPECT_EQ(usable_features({KernelFeature::kSubgroupSize}, kAllExtensions, 0), KernelFeatures{})
      << "no other kernel asks for it";
}

TEST(KernelFeatures, ExtensionsAreThoseOfTheFeaturesInUse) {
  EXPECT_TRUE(extensions_of({KernelFeature::kInt64, KernelFeature::kStorage16, KernelFeature::kSubgroupShuffle}).empty());
  EXPECT_EQ(extensions_of({KernelFeature::kFloat16, KernelFeature::kInt8, KernelFeature::kStorage8, KernelFeature::kDotProduct,
                           KernelFeature::kMemoryModel, KernelFeature::kSubgroupSize, KernelFeature::kCooperativeMatrix}),
            kAllExtensions);
}

}  // namespace
}  // namespace nnvk::vulkan
