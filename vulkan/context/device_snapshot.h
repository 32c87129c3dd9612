// All properties that a physical device reports, as plain data. nnvk decides from these data alone, and tests invent them.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "vulkan/context/device_functions.h"
#include "vulkan/traits/device_traits.h"
#include "vulkan/traits/matrix_shape.h"

namespace nnvk::vulkan {

struct QueueFamily {
  VkQueueFlags flags = 0;
  uint32_t count = 0;
  uint32_t timestamp_valid_bits = 0;
};

struct MemoryType {
  VkMemoryPropertyFlags flags = 0;
  uint32_t heap = 0;
};

struct MemoryHeap {
  uint64_t bytes = 0;
  bool device_local = false;
};

struct DeviceSnapshot {
  std::string name;  // "llvmpipe (LLVM 15.0.6, 256 bits)"
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  uint32_t api_version = VK_API_VERSION_1_1;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  uint32_t driver_version = 0;  // the vendor's own encoding
  std::string driver_name;      // VK_KHR_driver_properties, else empty
  std::string driver_info;
  VkDriverId driver_id = static_cast<VkDriverId>(0);
  std::array<uint8_t, VK_UUID_SIZE> pipeline_cache_uuid{};  // if it changes, the driver's pipeline caches are invalid

  uint64_t max_storage_buffer_range = 128ULL << 20;
  uint32_t max_texel_buffer_elements = 65536;
  uint32_t max_storage_buffers_per_stage = 4;
  uint32_t max_push_constants = 128;
  uint32_t max_groups[3] = {65535, 65535, 65535};
  uint32_t max_group_invocations = 128;
  uint32_t max_group_size[3] = {128, 128, 64};
  uint32_t max_shared_memory = 16384;
  uint64_t min_storage_alignment = 256;
  uint64_t min_texel_alignment = 256;
  uint64_t max_allocation_bytes = 1ULL << 30;
  float timestamp_period = 0.0F;  // nanoseconds per tick; 0: no timestamps
  uint32_t subgroup_size = 0;
  uint32_t min_subgroup_size = 0;  // the smallest that a pipeline may require; 0 without VK_EXT_subgroup_size_control
  uint32_t max_subgroup_size = 0;  // the largest; 0: not known
  VkShaderStageFlags required_subgroup_size_stages = 0;  // only pipelines of these stages may require one
  uint32_t compute_units = 0;  // also: streaming multiprocessors, shader cores; 0: the driver does not report it
  VkSubgroupFeatureFlags subgroup_operations = 0;
  VkShaderStageFlags subgroup_stages = 0;

  bool texel_formats = false;                 // every ViewFormat can be a uniform texel buffer
  KernelFeatures kernel_features;             // those that the driver can enable, see kernel_features.h
  bool fast_dot_products = false;             // of four signed bytes in a word: integerDotProduct4x8BitPackedSignedAccelerated
  std::vector<CooperativeMatrices> matrices;  // the shapes that the driver multiplies
  bool timeline_semaphore = false;
  bool monotonic_timestamps = false;    // timestamps can be compared with CLOCK_MONOTONIC
  bool host_pointer_buffers = false;    // storage buffers over imported host memory: the feature, not only the extension
  uint64_t host_pointer_alignment = 0;  // of address and size; 0 without VK_EXT_external_memory_host
  bool dma_buf_buffers = false;         // storage buffers over imported dma-bufs
  bool sync_files = false;              // fences can be exported as kernel sync_files, and semaphores imported from them
  bool pipeline_statistics = false;     // the driver reports statistics of compiled pipelines: registers, occupancy, instructions
  std::set<std::string> extensions;
  std::vector<QueueFamily> queue_families;
  std::vector<MemoryType> memory_types;
  std::vector<MemoryHeap> memory_heaps;
};

// Queries the driver. `functions` are those of the device's instance.
DeviceSnapshot read_snapshot(VkPhysicalDevice physical_device, const InstanceFunctions& functions);

}  // namespace nnvk::vulkan
