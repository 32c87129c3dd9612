// The functions that nnvk uses: those of instances, and all device functions that it calls through Context::vk().
// device_functions.cpp loads them, and tests make each device function fail.
#pragma once

// NEED(name): a function that every Vulkan 1.1 driver has. LOAD(name): a function of an extension.
#define NNVK_INSTANCE_FUNCTIONS(NEED, LOAD)            \
  NEED(vkGetDeviceProcAddr)                            \
  NEED(vkEnumerateDeviceExtensionProperties)           \
  NEED(vkGetPhysicalDeviceExternalBufferProperties)    \
  NEED(vkGetPhysicalDeviceExternalFenceProperties)     \
  NEED(vkGetPhysicalDeviceExternalSemaphoreProperties) \
  NEED(vkGetPhysicalDeviceFeatures2)                   \
  NEED(vkGetPhysicalDeviceFormatProperties)            \
  NEED(vkGetPhysicalDeviceMemoryProperties)            \
  NEED(vkGetPhysicalDeviceProperties)                  \
  NEED(vkGetPhysicalDeviceProperties2)                 \
  NEED(vkGetPhysicalDeviceQueueFamilyProperties)       \
  LOAD(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT) \
  LOAD(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)

// Functions that end an object or free memory. Contexts of hanging devices replace them all.
#define NNVK_DESTROYING_DEVICE_FUNCTIONS(NEED) \
  NEED(vkDestroyBuffer)                        \
  NEED(vkDestroyBufferView)                    \
  NEED(vkDestroyCommandPool)                   \
  NEED(vkDestroyDescriptorPool)                \
  NEED(vkDestroyDescriptorSetLayout)           \
  NEED(vkDestroyFence)                         \
  NEED(vkDestroyPipeline)                      \
  NEED(vkDestroyPipelineCache)                 \
  NEED(vkDestroyPipelineLayout)                \
  NEED(vkDestroyQueryPool)                     \
  NEED(vkDestroySemaphore)                     \
  NEED(vkDestroyShaderModule)                  \
  NEED(vkFreeMemory)

#define NNVK_DEVICE_FUNCTIONS(NEED, LOAD)    \
  NNVK_DESTROYING_DEVICE_FUNCTIONS(NEED)     \
  NEED(vkAllocateCommandBuffers)             \
  NEED(vkAllocateDescriptorSets)             \
  NEED(vkAllocateMemory)                     \
  NEED(vkBeginCommandBuffer)                 \
  NEED(vkBindBufferMemory)                   \
  NEED(vkCmdBindDescriptorSets)              \
  NEED(vkCmdBindPipeline)                    \
  NEED(vkCmdCopyBuffer)                      \
  NEED(vkCmdCopyBufferToImage)               \
  NEED(vkCmdCopyImageToBuffer)               \
  NEED(vkCmdDispatch)                        \
  NEED(vkCmdFillBuffer)                      \
  NEED(vkCmdPipelineBarrier)                 \
  NEED(vkCmdPushConstants)                   \
  NEED(vkCmdResetQueryPool)                  \
  NEED(vkCmdWriteTimestamp)                  \
  NEED(vkCreateBuffer)                       \
  NEED(vkCreateBufferView)                   \
  NEED(vkCreateCommandPool)                  \
  NEED(vkCreateComputePipelines)             \
  NEED(vkCreateDescriptorPool)               \
  NEED(vkCreateDescriptorSetLayout)          \
  NEED(vkCreateFence)                        \
  NEED(vkCreatePipelineCache)                \
  NEED(vkCreatePipelineLayout)               \
  NEED(vkCreateQueryPool)                    \
  NEED(vkCreateSemaphore)                    \
  NEED(vkCreateShaderModule)                 \
  NEED(vkDestroyDevice)                      \
  NEED(vkDeviceWaitIdle)                     \
  NEED(vkEndCommandBuffer)                   \
  NEED(vkGetBufferMemoryRequirements)        \
  NEED(vkGetDeviceQueue)                     \
  NEED(vkGetPipelineCacheData)               \
  NEED(vkGetQueryPoolResults)                \
  NEED(vkMapMemory)                          \
  NEED(vkMergePipelineCaches)                \
  NEED(vkQueueSubmit)                        \
  NEED(vkResetFences)                        \
  NEED(vkUpdateDescriptorSets)               \
  NEED(vkWaitForFences)                      \
  LOAD(vkGetCalibratedTimestampsEXT)         \
  LOAD(vkGetFenceFdKHR)                      \
  LOAD(vkGetMemoryFdPropertiesKHR)           \
  LOAD(vkGetMemoryHostPointerPropertiesEXT)  \
  LOAD(vkGetPipelineExecutablePropertiesKHR) \
  LOAD(vkGetPipelineExecutableStatisticsKHR) \
  LOAD(vkGetSemaphoreCounterValueKHR)        \
  LOAD(vkImportSemaphoreFdKHR)               \
  LOAD(vkWaitSemaphoresKHR)
