// The lists of functions.
#include "vulkan/context/device_functions.h"

#include <string>

namespace nnvk::vulkan {
namespace {

Status missing(const char* name) {
  return fail(Code::kUnavailableDevice, std::string("the Vulkan loader or driver does not have ") + name);
}

template <class Function>
void load(Function& function, PFN_vkVoidFunction found) {
  function = reinterpret_cast<Function>(found);
}

}  // namespace

// In the lists: `load(x)` where x may be missing, `need(x)` where it may not.
Result<InstanceFunctions> load_instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  InstanceFunctions made;
#define NNVK_LOAD(name) load(made.name, get(instance, #name))
#define NNVK_NEED(name) \
  NNVK_LOAD(name);      \
  if (made.name == nullptr) NNVK_TRY(missing(#name))
  NNVK_NEED(vkGetDeviceProcAddr);
  NNVK_NEED(vkEnumerateDeviceExtensionProperties);
  NNVK_NEED(vkGetPhysicalDeviceExternalBufferProperties);
  NNVK_NEED(vkGetPhysicalDeviceExternalFenceProperties);
  NNVK_NEED(vkGetPhysicalDeviceExternalSemaphoreProperties);
  NNVK_NEED(vkGetPhysicalDeviceFeatures2);
  NNVK_NEED(vkGetPhysicalDeviceFormatProperties);
  NNVK_NEED(vkGetPhysicalDeviceMemoryProperties);
  NNVK_NEED(vkGetPhysicalDeviceProperties);
  NNVK_NEED(vkGetPhysicalDeviceProperties2);
  NNVK_NEED(vkGetPhysicalDeviceQueueFamilyProperties);
  NNVK_LOAD(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT);
  NNVK_LOAD(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR);
#undef NNVK_LOAD
  return made;
}

Result<VolkDeviceTable> load_device_functions(PFN_vkGetDeviceProcAddr get, VkDevice device) {
  VolkDeviceTable made{};
#define NNVK_LOAD(name) load(made.name, get(device, #name))
  NNVK_NEED(vkAllocateCommandBuffers);
  NNVK_NEED(vkAllocateDescriptorSets);
  NNVK_NEED(vkAllocateMemory);
  NNVK_NEED(vkBeginCommandBuffer);
  NNVK_NEED(vkBindBufferMemory);
  NNVK_NEED(vkCmdBindDescriptorSets);
  NNVK_NEED(vkCmdBindPipeline);
  NNVK_NEED(vkCmdCopyBuffer);
  NNVK_NEED(vkCmdCopyBufferToImage);
  NNVK_NEED(vkCmdCopyImageToBuffer);
  NNVK_NEED(vkCmdDispatch);
  NNVK_NEED(vkCmdFillBuffer);
  NNVK_NEED(vkCmdPipelineBarrier);
  NNVK_NEED(vkCmdPushConstants);
  NNVK_NEED(vkCmdResetQueryPool);
  NNVK_NEED(vkCmdWriteTimestamp);
  NNVK_NEED(vkCreateBuffer);
  NNVK_NEED(vkCreateBufferView);
  NNVK_NEED(vkCreateCommandPool);
  NNVK_NEED(vkCreateComputePipelines);
  NNVK_NEED(vkCreateDescriptorPool);
  NNVK_NEED(vkCreateDescriptorSetLayout);
  NNVK_NEED(vkCreateFence);
  NNVK_NEED(vkCreatePipelineCache);
  NNVK_NEED(vkCreatePipelineLayout);
  NNVK_NEED(vkCreateQueryPool);
  NNVK_NEED(vkCreateSemaphore);
  NNVK_NEED(vkCreateShaderModule);
  NNVK_NEED(vkDestroyBuffer);
  NNVK_NEED(vkDestroyBufferView);
  NNVK_NEED(vkDestroyCommandPool);
  NNVK_NEED(vkDestroyDescriptorPool);
  NNVK_NEED(vkDestroyDescriptorSetLayout);
  NNVK_NEED(vkDestroyDevice);
  NNVK_NEED(vkDestroyFence);
  NNVK_NEED(vkDestroyPipeline);
  NNVK_NEED(vkDestroyPipelineCache);
  NNVK_NEED(vkDestroyPipelineLayout);
  NNVK_NEED(vkDestroyQueryPool);
  NNVK_NEED(vkDestroySemaphore);
  NNVK_NEED(vkDestroyShaderModule);
  NNVK_NEED(vkDeviceWaitIdle);
  NNVK_NEED(vkEndCommandBuffer);
  NNVK_NEED(vkFreeMemory);
  NNVK_NEED(vkGetBufferMemoryRequirements);
  NNVK_NEED(vkGetDeviceQueue);
  NNVK_NEED(vkGetPipelineCacheData);
  NNVK_NEED(vkGetQueryPoolResults);
  NNVK_NEED(vkMapMemory);
  NNVK_NEED(vkMergePipelineCaches);
  NNVK_NEED(vkQueueSubmit);
  NNVK_NEED(vkResetFences);
  NNVK_NEED(vkUpdateDescriptorSets);
  NNVK_NEED(vkWaitForFences);
  NNVK_LOAD(vkGetCalibratedTimestampsEXT);
  NNVK_LOAD(vkGetFenceFdKHR);
  NNVK_LOAD(vkGetMemoryFdPropertiesKHR);
  NNVK_LOAD(vkGetMemoryHostPointerPropertiesEXT);
  NNVK_LOAD(vkGetPipelineExecutablePropertiesKHR);
  NNVK_LOAD(vkGetPipelineExecutableStatisticsKHR);
  NNVK_LOAD(vkImportSemaphoreFdKHR);
  NNVK_LOAD(vkWaitSemaphoresKHR);
  if (made.vkWaitSemaphoresKHR == nullptr) load(made.vkWaitSemaphoresKHR, get(device, "vkWaitSemaphores"));
#undef NNVK_NEED
#undef NNVK_LOAD
  return made;
}

}  // namespace nnvk::vulkan
