// The position of each feature in Vulkan's structs, and a walk over the chain.
#include "vulkan/interop/feature_chain.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace nnvk::vulkan {
namespace {

// A feature bit outside VkPhysicalDeviceFeatures: in its own struct, or in the struct of a Vulkan version.
struct FeaturePlace {
  VkBool32& (*flag)(FeatureStructs&);
  VkStructureType own;
  size_t own_size;
  size_t own_offset;
  VkStructureType version;
  size_t version_offset;
};

#define NNVK_PLACE(structs, member, own_type, own_struct, version_type, version_struct)                                          \
  {                                                                                                                              \
    [](FeatureStructs& s) -> VkBool32& { return s.structs.member; }, own_type, sizeof(own_struct), offsetof(own_struct, member), \
        version_type, offsetof(version_struct, member)                                                                           \
  }
constexpr FeaturePlace kPlaces[] = {
    NNVK_PLACE(timeline, timelineSemaphore, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
               VkPhysicalDeviceTimelineSemaphoreFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
               VkPhysicalDeviceVulkan12Features),
    NNVK_PLACE(storage16, storageBuffer16BitAccess, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
               VkPhysicalDevice16BitStorageFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
               VkPhysicalDeviceVulkan11Features),
    NNVK_PLACE(storage8, storageBuffer8BitAccess, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
               VkPhysicalDevice8BitStorageFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
               VkPhysicalDeviceVulkan12Features),
    NNVK_PLACE(float16_int8, shaderFloat16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
               VkPhysicalDeviceShaderFloat16Int8Features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
               VkPhysicalDeviceVulkan12Features),
    NNVK_PLACE(float16_int8, shaderInt8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
               VkPhysicalDeviceShaderFloat16Int8Features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
               VkPhysicalDeviceVulkan12Features),
    NNVK_PLACE(dot_product, shaderIntegerDotProduct, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
               VkPhysicalDeviceShaderIntegerDotProductFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
               VkPhysicalDeviceVulkan13Features),
    NNVK_PLACE(memory_model, vulkanMemoryModel, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
               VkPhysicalDeviceVulkanMemoryModelFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
               VkPhysicalDeviceVulkan12Features),
    NNVK_PLACE(memory_model, vulkanMemoryModelDeviceScope, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
               VkPhysicalDeviceVulkanMemoryModelFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
               VkPhysicalDeviceVulkan12Features),
    // Not in any Vulkan version.
    NNVK_PLACE(cooperative_matrix, cooperativeMatrix, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
               VkPhysicalDeviceCooperativeMatrixFeaturesKHR, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
               VkPhysicalDeviceCooperativeMatrixFeaturesKHR),
};
#undef NNVK_PLACE

const VkBaseOutStructure* find(const void* chain, VkStructureType type) {
  for (const auto* at = static_cast<const VkBaseOutStructure*>(chain); at != nullptr; at = at->pNext) {
    if (at->sType == type) return at;
  }
  return nullptr;
}

// The bit in the chain; null if no struct of the chain has it.
VkBool32* bit_in(const void* chain, const FeaturePlace& place) {
  const auto at = [](const VkBaseOutStructure* found, size_t offset) {
    return reinterpret_cast<VkBool32*>(reinterpret_cast<uintptr_t>(found) + offset);
  };
  if (const auto* found = find(chain, place.own)) return at(found, place.own_offset);
  if (const auto* found = find(chain, place.version)) return at(found, place.version_offset);
  return nullptr;
}

constexpr size_t aligned(size_t size) {
  return (size + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
}

}  // namespace

FeatureStructs read_features(const VkPhysicalDeviceFeatures2* chain) {
  FeatureStructs structs;
  if (chain == nullptr) return structs;
  structs.core.features = chain->features;
  for (const FeaturePlace& place : kPlaces) {
    const VkBool32* bit = bit_in(chain, place);
    place.flag(structs) = bit != nullptr && *bit != VK_FALSE ? VK_TRUE : VK_FALSE;
  }
  return structs;
}

Status switch_on_in_chain(FeatureStructs wanted, VkPhysicalDeviceFeatures2& chain, std::byte* arena, size_t& arena_size) {
  if (chain.sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
    return fail(Code::kBadData,
                "chain->sType is " + std::to_string(chain.sType) + "; it must be VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2");
  }
  size_t needed = 0;
  VkStructureType counted = VK_STRUCTURE_TYPE_MAX_ENUM;
  for (const FeaturePlace& place : kPlaces) {
    if (place.flag(wanted) == VK_FALSE || place.own == counted || bit_in(&chain, place) != nullptr) continue;
    counted = place.own;  // the places of one struct are adjacent
    needed += aligned(place.own_size);
  }
  const size_t given = arena_size;
  arena_size = needed;
  if (arena == nullptr) return {};
  if (given < needed) {
    return fail(Code::kBadData, "the arena has " + std::to_string(given) + " bytes, " + std::to_string(needed) + " are needed");
  }
  auto* last = reinterpret_cast<VkBaseOutStructure*>(&chain);
  while (last->pNext != nullptr) last = last->pNext;
  for (const FeaturePlace& place : kPlaces) {
    if (place.flag(wanted) == VK_FALSE) continue;
    VkBool32* bit = bit_in(&chain, place);
    if (bit == nullptr) {
      std::memset(arena, 0, place.own_size);
      auto* made = reinterpret_cast<VkBaseOutStructure*>(arena);
      made->sType = place.own;
      last->pNext = made;
      last = made;
      arena += aligned(place.own_size);
      bit = bit_in(&chain, place);
    }
    *bit = VK_TRUE;
  }
  if (wanted.core.features.shaderInt16 == VK_TRUE) chain.features.shaderInt16 = VK_TRUE;
  if (wanted.core.features.shaderInt64 == VK_TRUE) chain.features.shaderInt64 = VK_TRUE;
  return {};
}

}  // namespace nnvk::vulkan
