#include "vulkan/context/device_snapshot.h"

#include <algorithm>
#include <iterator>

#include "vulkan/context/kernel_features.h"
#include "vulkan/context/texel_format.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

void read_extensions(VkPhysicalDevice device, const InstanceFunctions& vk, DeviceSnapshot& snapshot) {
  const auto query = [&](uint32_t* count, VkExtensionProperties* items) {
    return vk.vkEnumerateDeviceExtensionProperties(device, nullptr, count, items);
  };
  for (const auto& extension : enumerate<VkExtensionProperties>(query)) snapshot.extensions.insert(extension.extensionName);
}

void read_limits(const VkPhysicalDeviceLimits& limits, DeviceSnapshot& snapshot) {
  snapshot.max_storage_buffer_range = limits.maxStorageBufferRange;
  snapshot.max_texel_buffer_elements = limits.maxTexelBufferElements;
  snapshot.max_storage_buffers_per_stage = limits.maxPerStageDescriptorStorageBuffers;
  snapshot.max_push_constants = limits.maxPushConstantsSize;
  for (int i = 0; i < 3; ++i) {
    snapshot.max_groups[i] = limits.maxComputeWorkGroupCount[i];
    snapshot.max_group_size[i] = limits.maxComputeWorkGroupSize[i];
  }
  snapshot.max_group_invocations = limits.maxComputeWorkGroupInvocations;
  snapshot.max_shared_memory = limits.maxComputeSharedMemorySize;
  snapshot.min_storage_alignment = limits.minStorageBufferOffsetAlignment;
  snapshot.min_texel_alignment = limits.minTexelBufferOffsetAlignment;
  snapshot.timestamp_period = limits.timestampPeriod;
}

void read_properties(VkPhysicalDevice device, const InstanceFunctions& vk, DeviceSnapshot& snapshot) {
  VkPhysicalDeviceProperties basic{};
  vk.vkGetPhysicalDeviceProperties(device, &basic);
  snapshot.name = basic.deviceName;
  snapshot.type = basic.deviceType;
  snapshot.api_version = basic.apiVersion;
  snapshot.vendor_id = basic.vendorID;
  snapshot.device_id = basic.deviceID;
  snapshot.driver_version = basic.driverVersion;
  std::copy(std::begin(basic.pipelineCacheUUID), std::end(basic.pipelineCacheUUID), snapshot.pipeline_cache_uuid.begin());
  read_limits(basic.limits, snapshot);
  if (basic.apiVersion < VK_API_VERSION_1_1) return;  // the rest needs Vulkan 1.1

  auto maintenance =
      vulkan_struct<VkPhysicalDeviceMaintenance3Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  auto subgroup = vulkan_struct<VkPhysicalDeviceSubgroupProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  subgroup.pNext = &maintenance;
  auto driver = vulkan_struct<VkPhysicalDeviceDriverProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  auto host = vulkan_struct<VkPhysicalDeviceExternalMemoryHostPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
  auto subgroup_range = vulkan_struct<VkPhysicalDeviceSubgroupSizeControlPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT);
  auto dot = vulkan_struct<VkPhysicalDeviceShaderIntegerDotProductProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES);
  const auto ask = [&](auto& answers, const char* extension) {
    if (!snapshot.extensions.contains(extension)) return;
    answers.pNext = maintenance.pNext;
    maintenance.pNext = &answers;
  };
  ask(driver, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
  ask(subgroup_range, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  ask(host, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  ask(dot, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
  auto properties = vulkan_struct<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &subgroup;
  vk.vkGetPhysicalDeviceProperties2(device, &properties);
  snapshot.max_allocation_bytes = maintenance.maxMemoryAllocationSize;
  snapshot.subgroup_size = subgroup.subgroupSize;
  snapshot.min_subgroup_size = subgroup_range.minSubgroupSize;
  snapshot.max_subgroup_size = subgroup_range.maxSubgroupSize;
  snapshot.required_subgroup_size_stages = subgroup_range.requiredSubgroupSizeStages;
  snapshot.subgroup_operations = subgroup.supportedOperations;
  snapshot.subgroup_stages = subgroup.supportedStages;
  snapshot.host_pointer_alignment = host.minImportedHostPointerAlignment;
  snapshot.fast_dot_products = dot.integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
  snapshot.driver_name = driver.driverName;
  snapshot.driver_info = driver.driverInfo;
  snapshot.driver_id = driver.driverID;
}

// Reads the number of compute units, which every vendor reports in an extension of its own.
uint32_t read_compute_units(VkPhysicalDevice device, const InstanceFunctions& vk, const DeviceSnapshot& snapshot) {
  if (snapshot.api_version < VK_API_VERSION_1_1) return 0;
  const auto answers = [&](auto answer) {
    auto properties = vulkan_struct<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
    properties.pNext = &answer;
    vk.vkGetPhysicalDeviceProperties2(device, &properties);
    return answer;
  };
  if (snapshot.extensions.contains(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) {
    const auto amd = answers(
        vulkan_struct<VkPhysicalDeviceShaderCorePropertiesAMD>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD));
    return amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
  }
  if (snapshot.extensions.contains(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
    return answers(vulkan_struct<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV>(
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV))
        .shaderSMCount;
  }
  if (snapshot.extensions.contains(VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME)) {
    return answers(vulkan_struct<VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM>(
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM))
        .shaderCoreCount;
  }
  return 0;
}

void read_features(VkPhysicalDevice device, const InstanceFunctions& vk, DeviceSnapshot& snapshot) {
  if (snapshot.api_version < VK_API_VERSION_1_1) return;
  FeatureStructs features;
  link(features, snapshot.extensions);
  vk.vkGetPhysicalDeviceFeatures2(device, &features.core);
  snapshot.timeline_semaphore = features.timeline.timelineSemaphore == VK_TRUE;
  snapshot.kernel_features = features_in(features);
  if (features.cache_control.pipelineCreationCacheControl != VK_TRUE) {  // the extension stands for its only feature
    snapshot.extensions.erase(VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME);
  }
  snapshot.pipeline_statistics = features.executables.pipelineExecutableInfo == VK_TRUE;
}

void read_matrices(VkPhysicalDevice device, const InstanceFunctions& vk, DeviceSnapshot& snapshot) {
  if (!snapshot.extensions.contains(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) return;
  if (vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR == nullptr) return;
  const auto query = [&](uint32_t* count, VkCooperativeMatrixPropertiesKHR* items) {
    return vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(device, count, items);
  };
  const auto empty = vulkan_struct<VkCooperativeMatrixPropertiesKHR>(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
  for (const auto& one : enumerate<VkCooperativeMatrixPropertiesKHR>(query, empty)) {
    snapshot.matrices.push_back({{one.MSize, one.NSize, one.KSize},
                                 one.AType,
                                 one.BType,
                                 one.CType,
                                 one.ResultType,
                                 one.saturatingAccumulation == VK_TRUE,
                                 one.scope});
  }
}

void read_time_domains(VkPhysicalDevice device, const InstanceFunctions& vk, DeviceSnapshot& snapshot) {
  if (!snapshot.extensions.contains(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME)) return;
  if (vk.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT == nullptr) return;
  const auto domains = enumerate<VkTimeDomainEXT>([&](uint32_t* count, VkTimeDomainEXT* items) {
    return vk.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(device, count, items);
  });
  const auto has = [&](VkTimeDomainEXT domain) { return std::find(domains.begin(), domains.end(), domain) != domains.end(); };
  snapshot.monotonic_timestamps = has(VK_TIME_DOMAIN_DEVICE_EXT) && has(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
}

bool has_sync_files(VkPhysicalDevice device, const InstanceFunctions& vk, const DeviceSnapshot& snapshot) {
  if (snapshot.api_version < VK_API_VERSION_1_1 || !snapshot.extensions.contains(VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME) ||
      !snapshot.extensions.contains(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME)) {
    return false;
  }
  auto fence = vulkan_struct<VkPhysicalDeviceExternalFenceInfo>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO);
  fence.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  auto of_fence = vulkan_struct<VkExternalFenceProperties>(VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES);
  vk.vkGetPhysicalDeviceExternalFenceProperties(device, &fence, &of_fence);
  auto semaphore =
      vulkan_struct<VkPhysicalDeviceExternalSemaphoreInfo>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO);
  semaphore.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  auto of_semaphore = vulkan_struct<VkExternalSemaphoreProperties>(VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES);
  vk.vkGetPhysicalDeviceExternalSemaphoreProperties(device, &semaphore, &of_semaphore);
  return (of_fence.externalFenceFeatures & VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT) != 0 &&
         (of_semaphore.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT) != 0;
}

// Returns whether the driver can create storage buffers over imported memory.
bool imports_buffers(VkPhysicalDevice device, const InstanceFunctions& vk, const DeviceSnapshot& snapshot,
                     VkExternalMemoryHandleTypeFlagBits handle_type) {
  if (snapshot.api_version < VK_API_VERSION_1_1) return false;
  auto info = vulkan_struct<VkPhysicalDeviceExternalBufferInfo>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO);
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  info.handleType = handle_type;
  auto properties = vulkan_struct<VkExternalBufferProperties>(VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES);
  vk.vkGetPhysicalDeviceExternalBufferProperties(device, &info, &properties);
  const VkExternalMemoryFeatureFlags features = properties.externalMemoryProperties.externalMemoryFeatures;
  // nnvk does not support imports for which the driver requires a dedicated allocation.
  return (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) != 0 &&
         (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) == 0;
}

bool supports_texel_formats(VkPhysicalDevice device, const InstanceFunctions& vk) {
  for (const TexelFormat& row : kTexelFormats) {
    VkFormatProperties properties{};
    vk.vkGetPhysicalDeviceFormatProperties(device, row.format, &properties);
    if ((properties.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT) == 0) return false;
  }
  return true;
}

void read_queues_and_memory(VkPhysicalDevice device, const InstanceFunctions& vk, DeviceSnapshot& snapshot) {
  uint32_t count = 0;
  vk.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (const VkQueueFamilyProperties& family : families) {
    snapshot.queue_families.push_back({family.queueFlags, family.queueCount, family.timestampValidBits});
  }
  VkPhysicalDeviceMemoryProperties memory{};
  vk.vkGetPhysicalDeviceMemoryProperties(device, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    snapshot.memory_types.push_back({memory.memoryTypes[i].propertyFlags, memory.memoryTypes[i].heapIndex});
  }
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    snapshot.memory_heaps.push_back(
        {memory.memoryHeaps[i].size, (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0});
  }
}

}  // namespace

DeviceSnapshot read_snapshot(VkPhysicalDevice physical_device, const InstanceFunctions& functions) {
  DeviceSnapshot snapshot;
  read_extensions(physical_device, functions, snapshot);
  read_properties(physical_device, functions, snapshot);
  snapshot.compute_units = read_compute_units(physical_device, functions, snapshot);
  read_features(physical_device, functions, snapshot);
  read_matrices(physical_device, functions, snapshot);
  read_time_domains(physical_device, functions, snapshot);
  read_queues_and_memory(physical_device, functions, snapshot);
  snapshot.texel_formats = supports_texel_formats(physical_device, functions);
  snapshot.sync_files = has_sync_files(physical_device, functions, snapshot);
  const auto imports = [&](VkExternalMemoryHandleTypeFlagBits type) {
    return imports_buffers(physical_device, functions, snapshot, type);
  };
  snapshot.host_pointer_buffers =
      snapshot.host_pointer_alignment != 0 && imports(VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT);
  snapshot.dma_buf_buffers = snapshot.extensions.contains(VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME) &&
                             imports(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
  return snapshot;
}

}  // namespace nnvk::vulkan
