// Runs nnvk on an application's VkDevice, with the application's buffers, images and semaphores.
#pragma once

#include <volk.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/context/application_device.h"
#include "vulkan/queue/queue_sync.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/image_memory.h"
#include "vulkan/recording/resident_memory.h"

namespace nnvk::vulkan {

// The handles that an application passes for a physical device, before and when it imports a device.
struct PhysicalDeviceHandle {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice device = VK_NULL_HANDLE;
};

// Returns the device extensions that nnvk uses and the physical device supports, as static strings. UNAVAILABLE_DEVICE if nnvk
// cannot use the device at all.
Result<std::vector<const char*>> recommended_extensions(const PhysicalDeviceHandle& physical);

// Enables in `chain` the features that nnvk uses and the physical device supports. Without `recommended` it enables nothing,
// because nnvk requires no feature. `arena`, `arena_size`: see switch_on_in_chain() (interop/feature_chain.h).
Status patch_features(const PhysicalDeviceHandle& physical, bool recommended, VkPhysicalDeviceFeatures2& chain, std::byte* arena,
                      size_t& arena_size);

struct ImportRequest {
  PhysicalDeviceHandle physical;
  uint32_t api_version = 0;
  const VkPhysicalDeviceFeatures2* features = nullptr;  // null: none
  std::vector<std::string> extensions;
  ApplicationDevice application;  // import() loads its functions through `physical`
};

class ImportedDevice {
 public:
  // Imports a device. BAD_DATA for an impossible request; UNAVAILABLE_DEVICE for a device below the minimum or without a required
  // function. `taken`: names of other devices, which the new device must not get.
  static Result<std::unique_ptr<ImportedDevice>> import(ImportRequest request, const HostEvaluator& evaluator,
                                                        std::span<const std::string> taken);
  // The caller must have ended all use of the device. When the destructor returns, nnvk has no threads and no objects on the
  // VkDevice.
  ~ImportedDevice();
  ImportedDevice(const ImportedDevice&) = delete;
  ImportedDevice& operator=(const ImportedDevice&) = delete;

  Device& device() const { return *device_; }
  const std::shared_ptr<Gpu>& gpu() const { return gpu_; }

  using Access = ResidentMemory::Access;  // has the same meaning as NnvkVkAccess
  Result<std::unique_ptr<DeviceMemory>> memory_of(VkBuffer buffer, uint64_t offset, uint64_t size, VkBufferUsageFlags usage,
                                                  Access access);
  Result<std::unique_ptr<DeviceMemory>> memory_over(VkDeviceMemory memory, uint32_t type, uint64_t offset, uint64_t size,
                                                    Access access);
  Result<std::unique_ptr<ImageMemory>> memory_of(const ImageDescription& image);
  Result<std::unique_ptr<ImageMemory>> memory_of(std::vector<ImagePart> parts);
  VkBufferUsageFlags full_usage() const;
  uint64_t alignment() const { return gpu_->context->plan().io_alignment; }
  Result<std::shared_ptr<DeviceSync>> sync(QueueSync points, bool submitted_later) const;

 private:
  ImportedDevice(std::shared_ptr<Gpu> gpu, std::unique_ptr<Device> device) : gpu_(std::move(gpu)), device_(std::move(device)) {}

  std::shared_ptr<Gpu> gpu_;
  std::unique_ptr<Device> device_;
};

}  // namespace nnvk::vulkan
