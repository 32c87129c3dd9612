#include "tools/vulkan_device/recommended_device.h"

#include <nnvk/diagnostics.h>

#include <string>

namespace nnvk::tools {
namespace {

Status check(int result, const char* call) {
  if (result == 0) return {};
  return fail(std::string(call) + " failed with " + std::to_string(result) + ": " + nnvk_lastError(), result);
}

template <class Function>
Function load(const DeviceChoice& choice, const char* name) {
  return reinterpret_cast<Function>(choice.functions(choice.instance, name));
}

}  // namespace

Status RecommendedDevice::make(const DeviceChoice& of) {
  choice = of;
  NnvkVkRequirements wanted{};
  wanted.structSize = sizeof wanted;
  TOOLS_TRY(check(nnvk_vkGetRequirements(choice.functions, choice.instance, choice.physical_device, &wanted),
                  "nnvk_vkGetRequirements"));
  extensions.insert(extensions.end(), wanted.requiredExtensions, wanted.requiredExtensions + wanted.requiredExtensionCount);
  extensions.insert(extensions.end(), wanted.recommendedExtensions,
                    wanted.recommendedExtensions + wanted.recommendedExtensionCount);
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  size_t size = 0;
  const auto patch = [&](std::byte* arena) {
    return check(nnvk_vkPatchFeatures(choice.functions, choice.instance, choice.physical_device, NNVK_VK_FEATURES_RECOMMENDED,
                                      &features, arena, &size),
                 "nnvk_vkPatchFeatures");
  };
  TOOLS_TRY(patch(nullptr));
  feature_arena.resize(size + 1);
  TOOLS_TRY(patch(feature_arena.data()));
  return make_plain(of);
}

Status RecommendedDevice::make_plain(const DeviceChoice& of) {
  choice = of;
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  const float priority = 1;
  VkDeviceQueueCreateInfo of_queue{};
  of_queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  of_queue.queueFamilyIndex = choice.family;
  of_queue.queueCount = 1;
  of_queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &of_queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult made = load<PFN_vkCreateDevice>(choice, "vkCreateDevice")(choice.physical_device, &info, nullptr, &device);
  if (made != VK_SUCCESS) return fail("vkCreateDevice failed with VkResult " + std::to_string(made));
  load<PFN_vkGetDeviceQueue>(choice, "vkGetDeviceQueue")(device, choice.family, 0, &queue);
  return {};
}

NnvkVkDeviceDesc RecommendedDevice::description(uint32_t api_version) const {
  NnvkVkDeviceDesc made{};
  made.structSize = sizeof made;
  made.getInstanceProcAddr = choice.functions;
  made.instance = choice.instance;
  made.physicalDevice = choice.physical_device;
  made.device = device;
  made.apiVersion = api_version;
  made.enabledFeatures = &features;
  made.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  made.enabledExtensions = extensions.data();
  return made;
}

}  // namespace nnvk::tools
