// A Vulkan layer that shows an invented, weaker device in place of the driver's: entry points, queries, creation of devices.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/vulkan/weak_device_layer/chain.h"
#include "tests/vulkan/weak_device_layer/hanging_queue.h"

namespace nnvk::weak_device {
namespace {

std::mutex g_mutex;  // guards both maps, whose keys are the loader's dispatch tables
std::map<void*, std::unique_ptr<InstanceBelow>> g_instances;
std::map<void*, std::unique_ptr<DeviceBelow>> g_devices;

// The key of an object's instance or device: the loader's table, to which the first word of every dispatchable object points.
template <class Handle>
void* key_of(Handle handle) {
  return *reinterpret_cast<void**>(handle);
}

template <class Info>
Info* link_info(const void* next, VkStructureType type) {
  auto* info = static_cast<Info*>(const_cast<void*>(next));
  while (info != nullptr && (info->sType != type || info->function != VK_LAYER_LINK_INFO)) {
    info = static_cast<Info*>(const_cast<void*>(info->pNext));
  }
  return info;
}

bool is_hidden(const char* extension) {
  const auto is = [&](const char* name) { return std::strcmp(extension, name) == 0; };
  const Weaknesses& weak = weaknesses();
  return weak.has("bare") || (weak.has("no_timeline") && is(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME)) ||
         (weak.has("no_timestamps") && (is(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) || is("VK_KHR_calibrated_timestamps"))) ||
         (weak.has("no_host_import") && is(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME));
}

void lower(VkPhysicalDeviceProperties& properties) {
  const Weaknesses& weak = weaknesses();
  VkPhysicalDeviceLimits& limits = properties.limits;
  const auto at_most = [](auto& limit, auto value) { limit = std::min<std::decay_t<decltype(limit)>>(limit, value); };
  const auto at_least = [](auto& limit, auto value) { limit = std::max<std::decay_t<decltype(limit)>>(limit, value); };
  char name[sizeof properties.deviceName];
  std::snprintf(name, sizeof name, "weak %.200s", properties.deviceName);
  std::memcpy(properties.deviceName, name, sizeof name);
  if (weak.has("bare")) properties.apiVersion = VK_API_VERSION_1_1;
  if (weak.has("unmappable_local")) properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  if (weak.has("range_128m")) at_most(limits.maxStorageBufferRange, 128U << 20);
  if (weak.has("buffers_4")) at_most(limits.maxPerStageDescriptorStorageBuffers, 4U);
  if (weak.has("texels_65536")) at_most(limits.maxTexelBufferElements, 65536U);
  if (weak.has("push_128")) at_most(limits.maxPushConstantsSize, 128U);
  if (weak.has("invocations_128")) {
    at_most(limits.maxComputeWorkGroupInvocations, 128U);
    at_most(limits.maxComputeSharedMemorySize, 16384U);
    const uint32_t least[] = {128, 128, 64};
    for (size_t i = 0; i < 3; ++i) at_most(limits.maxComputeWorkGroupSize[i], least[i]);
  }
  if (weak.has("alignment_256")) {
    at_least(limits.minStorageBufferOffsetAlignment, 256U);
    at_least(limits.minTexelBufferOffsetAlignment, 256U);
    at_least(limits.minUniformBufferOffsetAlignment, 256U);
  }
  if (weak.has("no_timestamps")) {
    limits.timestampPeriod = 0.0F;
    limits.timestampComputeAndGraphics = VK_FALSE;
  }
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  below(device).GetPhysicalDeviceProperties(device, properties);
  lower(*properties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  below(device).GetPhysicalDeviceProperties2(device, properties);
  lower(properties->properties);
  const bool own_size = weaknesses().has("own_subgroup_size");
  for (auto* s = static_cast<VkBaseOutStructure*>(properties->pNext); s != nullptr; s = s->pNext) {
    if (own_size && s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
      reinterpret_cast<VkPhysicalDeviceSubgroupSizeControlProperties*>(s)->requiredSubgroupSizeStages = 0;
    }
    if (own_size && s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES) {
      reinterpret_cast<VkPhysicalDeviceVulkan13Properties*>(s)->requiredSubgroupSizeStages = 0;
    }
    if (!weaknesses().has("no_subgroups")) continue;
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
      auto* subgroup = reinterpret_cast<VkPhysicalDeviceSubgroupProperties*>(s);
      subgroup->subgroupSize = 1;
      subgroup->supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
      subgroup->supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
    }
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
      auto* core = reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(s);
      core->subgroupSize = 1;
      core->subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
      core->subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
    }
  }
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures* features) {
  below(device).GetPhysicalDeviceFeatures(device, features);
  if (weaknesses().has("bare")) *features = {};
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  below(device).GetPhysicalDeviceFeatures2(device, features);
  const Weaknesses& weak = weaknesses();
  if (weak.has("bare")) features->features = {};
  for (auto* s = static_cast<VkBaseOutStructure*>(features->pNext); s != nullptr; s = s->pNext) {
    if (weak.has("bare") && s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES) {
      auto* storage = reinterpret_cast<VkPhysicalDevice16BitStorageFeatures*>(s);
      storage->storageBuffer16BitAccess = VK_FALSE;
      storage->uniformAndStorageBuffer16BitAccess = VK_FALSE;
      storage->storagePushConstant16 = VK_FALSE;
      storage->storageInputOutput16 = VK_FALSE;
    }
    if (!weak.has("no_timeline") && !weak.has("bare")) continue;
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES) {
      reinterpret_cast<VkPhysicalDeviceTimelineSemaphoreFeatures*>(s)->timelineSemaphore = VK_FALSE;
    }
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
      reinterpret_cast<VkPhysicalDeviceVulkan12Features*>(s)->timelineSemaphore = VK_FALSE;
    }
  }
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t* count,
                                                                  VkQueueFamilyProperties* families) {
  below(device).GetPhysicalDeviceQueueFamilyProperties(device, count, families);
  if (families == nullptr || !weaknesses().has("no_timestamps")) return;
  for (uint32_t i = 0; i < *count; ++i) families[i].timestampValidBits = 0;
}

MemoryTypes memory_types_of(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties driver{};
  below(device).GetPhysicalDeviceMemoryProperties(device, &driver);
  return MemoryTypes::of(driver, weaknesses());
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* memory) {
  *memory = memory_types_of(device).shown();
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice device,
                                                              VkPhysicalDeviceMemoryProperties2* memory) {
  memory->memoryProperties = memory_types_of(device).shown();
}

std::vector<VkExtensionProperties> shown_extensions(VkPhysicalDevice device) {
  uint32_t count = 0;
  below(device).EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  below(device).EnumerateDeviceExtensionProperties(device, nullptr, &count, all.data());
  all.resize(count);
  std::erase_if(all, [](const VkExtensionProperties& extension) { return is_hidden(extension.extensionName); });
  return all;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                                                  VkExtensionProperties* extensions) {
  if (layer != nullptr && std::strcmp(layer, kLayerName) == 0) {
    *count = 0;
    return VK_SUCCESS;
  }
  if (layer != nullptr) return below(device).EnumerateDeviceExtensionProperties(device, layer, count, extensions);
  const std::vector<VkExtensionProperties> shown = shown_extensions(device);
  const auto all = static_cast<uint32_t>(shown.size());
  if (extensions == nullptr) {
    *count = all;
    return VK_SUCCESS;
  }
  const uint32_t room = *count;
  *count = std::min(room, all);
  std::copy_n(shown.begin(), *count, extensions);
  return room < all ? VK_INCOMPLETE : VK_SUCCESS;
}

// The application may enable only extensions and features that the device showed.
void check_enabled(VkPhysicalDevice device, const VkDeviceCreateInfo& info) {
  const std::vector<VkExtensionProperties> shown = shown_extensions(device);
  for (uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
    const char* const wanted = info.ppEnabledExtensionNames[i];
    const bool known = std::any_of(shown.begin(), shown.end(),
                                   [&](const auto& extension) { return std::strcmp(extension.extensionName, wanted) == 0; });
    if (!known) broken(std::string("vkCreateDevice enables the extension ") + wanted);
  }
  const auto check_none = [](const VkPhysicalDeviceFeatures& features) {
    VkBool32 flags[sizeof features / sizeof(VkBool32)];
    std::memcpy(flags, &features, sizeof features);
    if (weaknesses().has("bare") && std::any_of(std::begin(flags), std::end(flags), [](VkBool32 f) { return f != VK_FALSE; })) {
      broken("vkCreateDevice enables a feature of a device that has none");
    }
  };
  if (info.pEnabledFeatures != nullptr) check_none(*info.pEnabledFeatures);
  for (const auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext) {
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
      check_none(reinterpret_cast<const VkPhysicalDeviceFeatures2*>(s)->features);
    }
    const bool storage16 = s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES &&
                           reinterpret_cast<const VkPhysicalDevice16BitStorageFeatures*>(s)->storageBuffer16BitAccess != VK_FALSE;
    if (weaknesses().has("bare") && storage16) broken("vkCreateDevice enables storageBuffer16BitAccess");
    const bool timeline = s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES &&
                          reinterpret_cast<const VkPhysicalDeviceTimelineSemaphoreFeatures*>(s)->timelineSemaphore != VK_FALSE;
    if (weaknesses().has("no_timeline") && timeline) broken("vkCreateDevice enables timelineSemaphore");
  }
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
  auto* const link = link_info<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(info, allocator, instance);
  if (result != VK_SUCCESS) return result;
  auto made = std::make_unique<InstanceBelow>();
  made->instance = *instance;
  made->GetInstanceProcAddr = get;
#define NNVK_WEAK_LOAD(name) made->name = reinterpret_cast<PFN_vk##name>(get(*instance, "vk" #name));
  NNVK_WEAK_INSTANCE_FUNCTIONS(NNVK_WEAK_LOAD)
#undef NNVK_WEAK_LOAD
  const std::lock_guard lock(g_mutex);
  g_instances[key_of(*instance)] = std::move(made);
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
  if (instance == VK_NULL_HANDLE) return;
  std::unique_ptr<InstanceBelow> gone;
  {
    const std::lock_guard lock(g_mutex);
    gone = std::move(g_instances[key_of(instance)]);
    g_instances.erase(key_of(instance));
  }
  gone->DestroyInstance(instance, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* device) {
  auto* const link = link_info<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto get_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const auto get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  check_enabled(physical, *info);
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(get_instance(below(physical).instance, "vkCreateDevice"));
  const VkResult result = create(physical, info, allocator, device);
  if (result != VK_SUCCESS) return result;
  auto made = std::make_unique<DeviceBelow>();
  made->device = *device;
  made->GetDeviceProcAddr = get;
#define NNVK_WEAK_LOAD(name) made->name = reinterpret_cast<PFN_vk##name>(get(*device, "vk" #name));
  NNVK_WEAK_DEVICE_FUNCTIONS(NNVK_WEAK_LOAD)
#undef NNVK_WEAK_LOAD
  made->memory_types = memory_types_of(physical);
  const std::lock_guard lock(g_mutex);
  g_devices[key_of(*device)] = std::move(made);
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  if (device == VK_NULL_HANDLE) return;
  check_may_destroy(device, "vkDestroyDevice");
  std::unique_ptr<DeviceBelow> gone;
  {
    const std::lock_guard lock(g_mutex);
    gone = std::move(g_devices[key_of(device)]);
    g_devices.erase(key_of(device));
  }
  gone->DestroyDevice(device, allocator);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name);

PFN_vkVoidFunction own_function(const char* name) {
  const auto as = [](auto* function) { return reinterpret_cast<PFN_vkVoidFunction>(function); };
  const std::pair<const char*, PFN_vkVoidFunction> rows[] = {
      {"vkGetInstanceProcAddr", as(GetInstanceProcAddr)},
      {"vkGetDeviceProcAddr", as(GetDeviceProcAddr)},
      {"vkCreateInstance", as(CreateInstance)},
      {"vkDestroyInstance", as(DestroyInstance)},
      {"vkCreateDevice", as(CreateDevice)},
      {"vkDestroyDevice", as(DestroyDevice)},
      {"vkEnumerateDeviceExtensionProperties", as(EnumerateDeviceExtensionProperties)},
      {"vkGetPhysicalDeviceProperties", as(GetPhysicalDeviceProperties)},
      {"vkGetPhysicalDeviceProperties2", as(GetPhysicalDeviceProperties2)},
      {"vkGetPhysicalDeviceProperties2KHR", as(GetPhysicalDeviceProperties2)},
      {"vkGetPhysicalDeviceFeatures", as(GetPhysicalDeviceFeatures)},
      {"vkGetPhysicalDeviceFeatures2", as(GetPhysicalDeviceFeatures2)},
      {"vkGetPhysicalDeviceFeatures2KHR", as(GetPhysicalDeviceFeatures2)},
      {"vkGetPhysicalDeviceQueueFamilyProperties", as(GetPhysicalDeviceQueueFamilyProperties)},
      {"vkGetPhysicalDeviceMemoryProperties", as(GetPhysicalDeviceMemoryProperties)},
      {"vkGetPhysicalDeviceMemoryProperties2", as(GetPhysicalDeviceMemoryProperties2)},
      {"vkGetPhysicalDeviceMemoryProperties2KHR", as(GetPhysicalDeviceMemoryProperties2)},
  };
  for (const auto& [known, function] : rows) {
    if (std::strcmp(known, name) == 0) return function;
  }
  const PFN_vkVoidFunction hanging = hanging_function(name);
  return hanging != nullptr ? hanging : device_function(name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  // Null for functions that the driver lacks, or that the device has not enabled.
  const PFN_vkVoidFunction driver = below(device).GetDeviceProcAddr(device, name);
  const PFN_vkVoidFunction own = own_function(name);
  return driver != nullptr && own != nullptr ? own : driver;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  if (const PFN_vkVoidFunction own = own_function(name)) return own;
  if (instance == VK_NULL_HANDLE) return nullptr;
  PFN_vkGetInstanceProcAddr next = nullptr;
  {
    const std::lock_guard lock(g_mutex);
    next = g_instances[key_of(instance)]->GetInstanceProcAddr;
  }
  return next(instance, name);
}

}  // namespace

const Weaknesses& weaknesses() {
  static const Weaknesses chosen = [] {
    const char* const words = std::getenv(kVariable);
    Weaknesses parsed = Weaknesses::parse(words != nullptr ? words : "");
    if (!parsed.unknown().empty()) broken(std::string(kVariable) + " has words that mean nothing: " + parsed.unknown());
    return parsed;
  }();
  return chosen;
}

void broken(const std::string& what) {
  std::fprintf(stderr, "weak device (%s): %s\n", std::getenv(kVariable) != nullptr ? std::getenv(kVariable) : "", what.c_str());
  std::fflush(stderr);
  std::abort();
}

InstanceBelow& below(VkPhysicalDevice physical_device) {
  const std::lock_guard lock(g_mutex);
  return *g_instances.at(key_of(physical_device));
}

DeviceBelow& below(VkDevice device) {
  const std::lock_guard lock(g_mutex);
  return *g_devices.at(key_of(device));
}

DeviceBelow& below(VkQueue queue) {
  const std::lock_guard lock(g_mutex);
  return *g_devices.at(key_of(queue));
}

}  // namespace nnvk::weak_device

// The first function that the loader calls.
extern "C" __attribute__((visibility("default"))) VkResult vkNegotiateLoaderLayerInterfaceVersion(
    VkNegotiateLayerInterface* answer) {
  if (answer->loaderLayerInterfaceVersion < 2) return VK_ERROR_INITIALIZATION_FAILED;
  answer->loaderLayerInterfaceVersion = 2;
  answer->pfnGetInstanceProcAddr = nnvk::weak_device::GetInstanceProcAddr;
  answer->pfnGetDeviceProcAddr = nnvk::weak_device::GetDeviceProcAddr;
  answer->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
