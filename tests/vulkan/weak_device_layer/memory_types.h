// The memory types of an invented device, and the driver's memory type that implements each. Pure.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <vector>

#include "tests/vulkan/weak_device_layer/weakness.h"

namespace nnvk::weak_device {

class MemoryTypes {
 public:
  // The invented device's memory types in place of the driver's.
  static MemoryTypes of(const VkPhysicalDeviceMemoryProperties& driver, const Weaknesses& weaknesses);

  const VkPhysicalDeviceMemoryProperties& shown() const { return shown_; }
  // The driver's type behind a shown one.
  uint32_t real(uint32_t shown) const { return real_[shown]; }
  // Converts a mask of the driver's types to a mask of shown types.
  uint32_t shown_mask(uint32_t real_mask) const;
  // The flags that the application sees: without HOST_VISIBLE mapping is an error, without HOST_COHERENT writes need a flush.
  VkMemoryPropertyFlags flags(uint32_t shown) const { return shown_.memoryTypes[shown].propertyFlags; }
  uint32_t count() const { return shown_.memoryTypeCount; }

 private:
  void add(VkMemoryPropertyFlags flags, uint32_t heap, uint32_t real);

  VkPhysicalDeviceMemoryProperties shown_{};
  std::vector<uint32_t> real_;
};

}  // namespace nnvk::weak_device
