#include "vulkan/context/device_functions.h"

#include <string>

#include "vulkan/context/device_function_list.h"

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

// Loads the functions. NNVK_LOAD: the function may be missing. NNVK_NEED: it must exist.
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
#undef NNVK_NEED
#undef NNVK_LOAD
  return made;
}

Result<VolkDeviceTable> load_device_functions(PFN_vkGetDeviceProcAddr get, VkDevice device) {
  VolkDeviceTable made{};
#define NNVK_LOAD(name) load(made.name, get(device, #name));
#define NNVK_NEED(name) \
  NNVK_LOAD(name)       \
  if (made.name == nullptr) NNVK_TRY(missing(#name));
  NNVK_DEVICE_FUNCTIONS(NNVK_NEED, NNVK_LOAD)
  if (made.vkWaitSemaphoresKHR == nullptr) load(made.vkWaitSemaphoresKHR, get(device, "vkWaitSemaphores"));
#undef NNVK_NEED
#undef NNVK_LOAD
  return made;
}

}  // namespace nnvk::vulkan
