#include "vulkan/interop/feature_chain.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace nnvk::vulkan {
namespace {

// The places of a feature bit outside VkPhysicalDeviceFeatures: its own struct, and the struct of the Vulkan version that has it.
struct FeaturePlace {
  VkBool32& (*flag)(FeatureStructs&);
  VkStructureType own;
  size_t own_size;
  size_t own_offset;
  VkStructureType version = VK_STRUCTURE_TYPE_MAX_ENUM;  // this value: no version has it
  size_t version_offset = 0;
};

// NAME and Name spell the feature's own struct in its VkStructureType and in its type. `minor`: Vulkan 1.minor has the feature.
#define NNVK_PLACE(structs, member, NAME, Name, minor)                                                                    \
  {                                                                                                                       \
    [](FeatureStructs& s) -> VkBool32& { return s.structs.member; }, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##NAME##_FEATURES, \
        sizeof(VkPhysicalDevice##Name##Features), offsetof(VkPhysicalDevice##Name##Features, member),                     \
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_##minor##_FEATURES,                                                    \
        offsetof(VkPhysicalDeviceVulkan1##minor##Features, member)                                                        \
  }
constexpr FeaturePlace kPlaces[] = {
    NNVK_PLACE(timeline, timelineSemaphore, TIMELINE_SEMAPHORE, TimelineSemaphore, 2),
    NNVK_PLACE(cache_control, pipelineCreationCacheControl, PIPELINE_CREATION_CACHE_CONTROL, PipelineCreationCacheControl, 3),
    NNVK_PLACE(storage16, storageBuffer16BitAccess, 16BIT_STORAGE, 16BitStorage, 1),
    NNVK_PLACE(storage8, storageBuffer8BitAccess, 8BIT_STORAGE, 8BitStorage, 2),
    NNVK_PLACE(float16_int8, shaderFloat16, SHADER_FLOAT16_INT8, ShaderFloat16Int8, 2),
    NNVK_PLACE(float16_int8, shaderInt8, SHADER_FLOAT16_INT8, ShaderFloat16Int8, 2),
    NNVK_PLACE(dot_product, shaderIntegerDotProduct, SHADER_INTEGER_DOT_PRODUCT, ShaderIntegerDotProduct, 3),
    NNVK_PLACE(memory_model, vulkanMemoryModel, VULKAN_MEMORY_MODEL, VulkanMemoryModel, 2),
    NNVK_PLACE(memory_model, vulkanMemoryModelDeviceScope, VULKAN_MEMORY_MODEL, VulkanMemoryModel, 2),
    NNVK_PLACE(subgroup_size, subgroupSizeControl, SUBGROUP_SIZE_CONTROL, SubgroupSizeControl, 3),
    {[](FeatureStructs& s) -> VkBool32& { return s.cooperative_matrix.cooperativeMatrix; },
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR),
     offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix)},
};
#undef NNVK_PLACE

const VkBaseOutStructure* find(const void* chain, VkStructureType type) {
  for (const auto* at = static_cast<const VkBaseOutStructure*>(chain); at != nullptr; at = at->pNext) {
    if (at->sType == type) return at;
  }
  return nullptr;
}

// Returns the feature's bit in the chain; null if no struct of the chain has it.
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
    counted = place.own;  // kPlaces lists the features of one struct together
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
