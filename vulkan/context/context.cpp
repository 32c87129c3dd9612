// Creates the logical device that a plan asks for.
#include "vulkan/context/context.h"

#include <vector>

#include "vulkan/context/kernel_features.h"
#include "vulkan/context/vulkan_error.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {

Context::Context(std::shared_ptr<Instance> instance, DeviceSnapshot snapshot, DevicePlan plan)
    : instance_(std::move(instance)), snapshot_(std::move(snapshot)), plan_(std::move(plan)) {}

Result<std::shared_ptr<Context>> Context::create(std::shared_ptr<Instance> instance, VkPhysicalDevice physical_device,
                                                 DeviceSnapshot snapshot, DevicePlan plan) {
  std::shared_ptr<Context> context(new Context(std::move(instance), std::move(snapshot), std::move(plan)));
  const DevicePlan& chosen = context->plan_;

  const float priority = 1.0F;
  auto queue = vulkan_struct<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = chosen.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;

  std::vector<const char*> extensions;
  for (const std::string& extension : chosen.extensions) extensions.push_back(extension.c_str());
  FeatureStructs features;
  link(features, {chosen.extensions.begin(), chosen.extensions.end()});
  features.timeline.timelineSemaphore = chosen.timeline_semaphore ? VK_TRUE : VK_FALSE;
  switch_on(chosen.traits.features, features);
  auto info = vulkan_struct<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  NNVK_TRY(vulkan_status(vkCreateDevice(physical_device, &info, nullptr, &context->device_),
                         "vkCreateDevice on " + context->snapshot_.name));
  volkLoadDeviceTable(&context->table_, context->device_);
  context->table_.vkGetDeviceQueue(context->device_, chosen.queue_family, 0, &context->queue_);

  auto cache = vulkan_struct<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  NNVK_TRY(vulkan_status(context->table_.vkCreatePipelineCache(context->device_, &cache, nullptr, &context->pipeline_cache_),
                         "vkCreatePipelineCache"));
  return context;
}

Context::~Context() {
  if (device_ == VK_NULL_HANDLE) return;
  table_.vkDeviceWaitIdle(device_);
  table_.vkDestroyPipelineCache(device_, pipeline_cache_, nullptr);
  table_.vkDestroyDevice(device_, nullptr);
}

}  // namespace nnvk::vulkan
