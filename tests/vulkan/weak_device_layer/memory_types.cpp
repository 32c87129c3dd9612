// The rules for invented memory types.
#include "tests/vulkan/weak_device_layer/memory_types.h"

namespace nnvk::weak_device {
namespace {

constexpr VkMemoryPropertyFlags kMappable = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kOfHost = kMappable | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

}  // namespace

void MemoryTypes::add(VkMemoryPropertyFlags flags, uint32_t heap, uint32_t real) {
  if (shown_.memoryTypeCount >= VK_MAX_MEMORY_TYPES) return;
  shown_.memoryTypes[shown_.memoryTypeCount++] = {flags, heap};
  real_.push_back(real);
}

MemoryTypes MemoryTypes::of(const VkPhysicalDeviceMemoryProperties& driver, const Weaknesses& weaknesses) {
  MemoryTypes made;
  made.shown_.memoryHeapCount = driver.memoryHeapCount;
  for (uint32_t h = 0; h < driver.memoryHeapCount; ++h) made.shown_.memoryHeaps[h] = driver.memoryHeaps[h];
  const bool split = weaknesses.has("unmappable_local");
  uint32_t host_heap = 0;
  if (split) {  // a heap of the host beside each of the device
    host_heap = made.shown_.memoryHeapCount++;
    made.shown_.memoryHeaps[host_heap] = {driver.memoryHeaps[0].size, 0};
  }
  // Vulkan orders types so that a type with a subset of another's flags is first, so non-coherent ones precede coherent ones.
  for (uint32_t i = 0; i < driver.memoryTypeCount; ++i) {
    const VkMemoryType& type = driver.memoryTypes[i];
    const bool local = (type.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
    if (!split) {
      if (weaknesses.has("non_coherent_first") && (type.propertyFlags & kMappable) == kMappable) {
        made.add(type.propertyFlags & ~VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, type.heapIndex, i);
      }
      made.add(type.propertyFlags, type.heapIndex, i);
      continue;
    }
    if (local) made.add(type.propertyFlags & ~kOfHost, type.heapIndex, i);
    if ((type.propertyFlags & kMappable) != kMappable) continue;
    const VkMemoryPropertyFlags of_host = type.propertyFlags & ~VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    if (weaknesses.has("non_coherent_first")) made.add(of_host & ~VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, host_heap, i);
    made.add(of_host, host_heap, i);
  }
  return made;
}

uint32_t MemoryTypes::shown_mask(uint32_t real_mask) const {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < real_.size(); ++i) mask |= ((real_mask >> real_[i]) & 1U) << i;
  return mask;
}

}  // namespace nnvk::weak_device
