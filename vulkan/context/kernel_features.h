// Maps the features that kernels may need to Vulkan's features, to query a driver and to enable them.
#pragma once

#include <volk.h>

#include <set>
#include <string>

#include "vulkan/context/cooperative_matrix.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// Vulkan's feature structs, for vkGetPhysicalDeviceFeatures2 and VkDeviceCreateInfo::pNext. Features that the driver does not
// know or that nobody set are off.
struct FeatureStructs {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
  VkPhysicalDevice16BitStorageFeatures storage16{};
  VkPhysicalDevice8BitStorageFeatures storage8{};
  VkPhysicalDeviceShaderFloat16Int8Features float16_int8{};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{};
  VkPhysicalDevicePipelineCreationCacheControlFeatures cache_control{};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product{};
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size{};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperative_matrix{};
};

// Chains the structs that Vulkan 1.1 or one of `extensions` defines; the chain starts with `core` and leaves all other structs
// out. The structs must not move afterwards.
void link(FeatureStructs& structs, const std::set<std::string>& extensions);

// Returns the kernel features that are on in the structs. Subgroup features are not among them: Vulkan reports those as
// properties.
KernelFeatures features_in(FeatureStructs& structs);
void switch_on(KernelFeatures features, FeatureStructs& structs);

// Returns the device extensions that the features belong to, each once.
std::set<std::string> extensions_of(KernelFeatures features);

// Returns the subset of `available` (features_in()) that a compute shader may use with these extensions and subgroup operations.
KernelFeatures usable_features(KernelFeatures available, const std::set<std::string>& extensions,
                               VkSubgroupFeatureFlags subgroup_operations);

}  // namespace nnvk::vulkan
