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

// NNVK_LOAD: the function may be missing. NNVK_NEED: it must exist.
#define NNVK_LOAD(name) load(made.name, get(from, #name));
#define NNVK_NEED(name) \
  NNVK_LOAD(name)       \
  if (made.name == nullptr) NNVK_TRY(missing(#name));

Result<InstanceFunctions> load_instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance from) {
  InstanceFunctions made;
  NNVK_INSTANCE_FUNCTIONS(NNVK_NEED, NNVK_LOAD)
  return made;
}

Result<VolkDeviceTable> load_device_functions(PFN_vkGetDeviceProcAddr get, VkDevice from) {
  VolkDeviceTable made{};
  NNVK_DEVICE_FUNCTIONS(NNVK_NEED, NNVK_LOAD)
  if (made.vkWaitSemaphoresKHR == nullptr) load(made.vkWaitSemaphoresKHR, get(from, "vkWaitSemaphores"));
  if (made.vkGetSemaphoreCounterValueKHR == nullptr) {
    load(made.vkGetSemaphoreCounterValueKHR, get(from, "vkGetSemaphoreCounterValue"));
  }
  return made;
}

#undef NNVK_NEED
#undef NNVK_LOAD

}  // namespace nnvk::vulkan
