// Reads which features are on in an application's chain of Vulkan structs, and enables those that nnvk uses. Pure.
#pragma once

#include <volk.h>

#include <cstddef>

#include "core/base/result.h"
#include "vulkan/context/kernel_features.h"

namespace nnvk::vulkan {

// Reads nnvk's features anywhere in the chain: in their own structs or in VkPhysicalDeviceVulkan11Features and
// VkPhysicalDeviceVulkan12Features. If `chain` is null, all features are off. The structs of the result are not linked.
FeatureStructs read_features(const VkPhysicalDeviceFeatures2* chain);

// Enables the features that are on in `wanted`. If the chain lacks a feature's struct, the function makes it in `arena` and
// appends it. `arena_size`: in: bytes of the arena; out: bytes needed. With `arena` null it changes nothing. BAD_DATA, without
// changes, if the arena is too small or the chain does not begin with VkPhysicalDeviceFeatures2.
Status switch_on_in_chain(FeatureStructs wanted, VkPhysicalDeviceFeatures2& chain, std::byte* arena, size_t& arena_size);

}  // namespace nnvk::vulkan
