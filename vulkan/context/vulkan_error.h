// Names of VkResult values and their translation into errors of this project.
#pragma once

#include <volk.h>

#include <string_view>

#include "core/base/result.h"

namespace nnvk::vulkan {

// "VK_ERROR_DEVICE_LOST"; "VkResult -12345" for values unknown to this build.
std::string vk_result_name(VkResult result);

// The error for a failed call. `what` names the call and its object: "vkAllocateMemory of 4096 bytes (arena)".
// Host memory exhausted: OUT_OF_MEMORY; device memory or objects: RESOURCE_EXHAUSTED_TRANSIENT; device lost: DEAD_OBJECT;
// everything else: OP_FAILED.
Error vulkan_error(VkResult result, std::string_view what, std::source_location raised_at = std::source_location::current());

// Success for VK_SUCCESS, else vulkan_error().
inline Status vulkan_status(VkResult result, std::string_view what,
                            std::source_location raised_at = std::source_location::current()) {
  if (result == VK_SUCCESS) return {};
  return fail(vulkan_error(result, what, raised_at));
}

}  // namespace nnvk::vulkan
