// Chains of Vulkan's feature structs that applications make: what is on in them, and switching on what we make use of. Pure.
#pragma once

#include <volk.h>

#include <cstddef>

#include "core/base/result.h"
#include "vulkan/context/kernel_features.h"

namespace nnvk::vulkan {

// The features that matter here, wherever in the chain they stand: in the structs of their own or in
// VkPhysicalDeviceVulkan11Features and VkPhysicalDeviceVulkan12Features. Null: all off. The structs of the result are not linked.
FeatureStructs read_features(const VkPhysicalDeviceFeatures2* chain);

// Switches on what is on in `wanted`. Bits whose struct is not in the chain need one, which is made in `arena` and appended.
// `arena_size`: in: bytes of the arena; out: bytes that are needed. With `arena` null nothing is changed. BAD_DATA when the arena
// is too small or the chain does not begin with VkPhysicalDeviceFeatures2; nothing is changed then.
Status switch_on_in_chain(FeatureStructs wanted, VkPhysicalDeviceFeatures2& chain, std::byte* arena, size_t& arena_size);

}  // namespace nnvk::vulkan
