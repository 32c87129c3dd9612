// The layer's view of the instance and device below it: their functions, and the layer's records of objects.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/vulkan/weak_device_layer/memory_types.h"
#include "tests/vulkan/weak_device_layer/module_facts.h"
#include "tests/vulkan/weak_device_layer/weakness.h"

namespace nnvk::weak_device {

inline constexpr const char* kLayerName = "VK_LAYER_NNVK_weak_device";
inline constexpr const char* kVariable = "NNVK_WEAK_DEVICE";  // lists words of kWeaknesses and kFaultWords
// Names a file in which processes count their submissions together. Without it each process counts its own.
inline constexpr const char* kCounterVariable = "NNVK_WEAK_DEVICE_COUNTER";

// The functions that are called below. `F(x)`: vkX.
// clang-format off
#define NNVK_WEAK_INSTANCE_FUNCTIONS(F) \
  F(DestroyInstance) \
  F(EnumerateDeviceExtensionProperties) \
  F(GetPhysicalDeviceProperties) \
  F(GetPhysicalDeviceProperties2) \
  F(GetPhysicalDeviceFeatures) \
  F(GetPhysicalDeviceFeatures2) \
  F(GetPhysicalDeviceQueueFamilyProperties) \
  F(GetPhysicalDeviceMemoryProperties)
#define NNVK_WEAK_DEVICE_FUNCTIONS(F) \
  F(DestroyDevice) \
  F(AllocateMemory) \
  F(FreeMemory) \
  F(MapMemory) \
  F(UnmapMemory) \
  F(FlushMappedMemoryRanges) \
  F(InvalidateMappedMemoryRanges) \
  F(GetBufferMemoryRequirements) \
  F(CreateBuffer) \
  F(DestroyBuffer) \
  F(CreateBufferView) \
  F(CreateDescriptorSetLayout) \
  F(DestroyDescriptorSetLayout) \
  F(CreatePipelineLayout) \
  F(UpdateDescriptorSets) \
  F(CreateShaderModule) \
  F(DestroyShaderModule) \
  F(CreateComputePipelines) \
  F(CreateQueryPool) \
  F(CreateSemaphore) \
  F(DestroySemaphore) \
  F(DestroyCommandPool) \
  F(DestroyDescriptorPool) \
  F(DestroyPipeline) \
  F(QueueSubmit) \
  F(QueueWaitIdle) \
  F(DeviceWaitIdle) \
  F(GetMemoryHostPointerPropertiesEXT) \
  F(GetMemoryFdPropertiesKHR)
// clang-format on

struct InstanceBelow {
  VkInstance instance = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define NNVK_WEAK_MEMBER(name) PFN_vk##name name = nullptr;
  NNVK_WEAK_INSTANCE_FUNCTIONS(NNVK_WEAK_MEMBER)
};

struct Allocation {
  VkMemoryPropertyFlags flags = 0;
  VkDeviceSize size = 0;
  // For memory that is not coherent: the host's view, separate from the device's until it is flushed or invalidated.
  std::unique_ptr<std::byte[]> shadow;
  std::byte* mapped = nullptr;
  VkDeviceSize offset = 0;  // of the mapping
  VkDeviceSize length = 0;
};

struct DeviceBelow {
  VkDevice device = VK_NULL_HANDLE;
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr = nullptr;
  NNVK_WEAK_DEVICE_FUNCTIONS(NNVK_WEAK_MEMBER)
#undef NNVK_WEAK_MEMBER
  MemoryTypes memory_types;
  std::atomic<bool> hangs{false};    // since a fault
  std::atomic<bool> is_lost{false};  // since a fault

  std::mutex mutex;  // of the members below
  std::map<VkDeviceMemory, Allocation> allocations;
  std::map<VkBuffer, VkDeviceSize> buffer_sizes;
  std::map<VkDescriptorSetLayout, uint32_t> storage_buffers;
  std::map<VkShaderModule, ModuleFacts> modules;
};

const Weaknesses& weaknesses();
// Reports that the application used a feature that the invented device lacks, and ends the process.
[[noreturn]] void broken(const std::string& what);

InstanceBelow& below(VkPhysicalDevice physical_device);
DeviceBelow& below(VkDevice device);
DeviceBelow& below(VkQueue queue);

// The layer's own device functions, by name; null for functions that it does not intercept.
PFN_vkVoidFunction device_function(const char* name);

}  // namespace nnvk::weak_device
