// Translates VkResult values into errors of this project.
#pragma once

#include <volk.h>

#include <string_view>

#include "core/base/result.h"

namespace nnvk::vulkan {

// Returns the error for a failed call. `what` names the call and its object: "vkAllocateMemory of 4096 bytes (arena)". The code
// is OUT_OF_MEMORY if host memory is exhausted, RESOURCE_EXHAUSTED_TRANSIENT for device memory or objects, DEAD_OBJECT for a lost
// device, and OP_FAILED for everything else.
Error vulkan_error(VkResult result, std::string_view what, std::source_location raised_at = std::source_location::current());

// Returns success for VK_SUCCESS, else vulkan_error().
inline Status vulkan_status(VkResult result, std::string_view what,
                            std::source_location raised_at = std::source_location::current()) {
  if (result == VK_SUCCESS) return {};
  return fail(vulkan_error(result, what, raised_at));
}

}  // namespace nnvk::vulkan
