// The features that kernels may need, as Vulkan has them: one row each, for asking a driver and for switching them on.
#pragma once

#include <volk.h>

#include <set>
#include <string>

#include "vulkan/context/cooperative_matrix.h"
#include "vulkan/kernels/device_traits.h"

namespace nnvk::vulkan {

// Vulkan's feature structs, for vkGetPhysicalDeviceFeatures2 and VkDeviceCreateInfo::pNext. Features that drivers do not know, or
// nobody set, are off.
struct FeatureStructs {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
  VkPhysicalDevice16BitStorageFeatures storage16{};
  VkPhysicalDevice8BitStorageFeatures storage8{};
  VkPhysicalDeviceShaderFloat16Int8Features float16_int8{};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product{};
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model{};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperative_matrix{};
};

// Makes a chain of the structs that Vulkan 1.1 or one of `extensions` has; others stay out of it. It starts with `core`. The
// structs must not move from then on.
void link(FeatureStructs& structs, const std::set<std::string>& extensions);

// The features for kernels that are on in the structs. Those of subgroups are not among them: Vulkan has them as properties.
KernelFeatures features_in(FeatureStructs& structs);
void switch_on(KernelFeatures features, FeatureStructs& structs);

// The device extensions that the features belong to, each once.
std::set<std::string> extensions_of(KernelFeatures features);

// What a compute shader may use of `available` (features_in()) on a device with these extensions and subgroup operations.
KernelFeatures usable_features(KernelFeatures available, const std::set<std::string>& extensions,
                               VkSubgroupFeatureFlags subgroup_operations);

}  // namespace nnvk::vulkan
