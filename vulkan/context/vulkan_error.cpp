#include "vulkan/context/vulkan_error.h"

namespace nnvk::vulkan {
namespace {

// Returns "VK_ERROR_DEVICE_LOST" and so on; "VkResult -12345" for values unknown to this build.
std::string name_of(VkResult result) {
#define NNVK_NAMED(value) \
  case value:             \
    return #value;
  switch (result) {
    NNVK_NAMED(VK_SUCCESS)
    NNVK_NAMED(VK_NOT_READY)
    NNVK_NAMED(VK_TIMEOUT)
    NNVK_NAMED(VK_EVENT_SET)
    NNVK_NAMED(VK_EVENT_RESET)
    NNVK_NAMED(VK_INCOMPLETE)
    NNVK_NAMED(VK_ERROR_OUT_OF_HOST_MEMORY)
    NNVK_NAMED(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    NNVK_NAMED(VK_ERROR_INITIALIZATION_FAILED)
    NNVK_NAMED(VK_ERROR_DEVICE_LOST)
    NNVK_NAMED(VK_ERROR_MEMORY_MAP_FAILED)
    NNVK_NAMED(VK_ERROR_LAYER_NOT_PRESENT)
    NNVK_NAMED(VK_ERROR_EXTENSION_NOT_PRESENT)
    NNVK_NAMED(VK_ERROR_FEATURE_NOT_PRESENT)
    NNVK_NAMED(VK_ERROR_INCOMPATIBLE_DRIVER)
    NNVK_NAMED(VK_ERROR_TOO_MANY_OBJECTS)
    NNVK_NAMED(VK_ERROR_FORMAT_NOT_SUPPORTED)
    NNVK_NAMED(VK_ERROR_FRAGMENTED_POOL)
    NNVK_NAMED(VK_ERROR_UNKNOWN)
    NNVK_NAMED(VK_ERROR_OUT_OF_POOL_MEMORY)
    NNVK_NAMED(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    default:
      return "VkResult " + std::to_string(static_cast<int>(result));
  }
#undef NNVK_NAMED
}

Code code_of(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return Code::kOutOfMemory;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_MEMORY_MAP_FAILED:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
      return Code::kResourceExhaustedTransient;
    case VK_ERROR_DEVICE_LOST:
      return Code::kDeadObject;
    default:
      return Code::kOpFailed;
  }
}

}  // namespace

Error vulkan_error(VkResult result, std::string_view what, std::source_location raised_at) {
  Error error(code_of(result), std::string(what) + " failed: " + name_of(result), raised_at);
  error.vk_result = result;
  return error;
}

}  // namespace nnvk::vulkan
