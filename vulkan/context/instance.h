// The Vulkan loader and one instance. If validation layers are requested, nnvk logs their messages.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/device_functions.h"

namespace nnvk::vulkan {

class Instance {
 public:
  // Loads libvulkan at run time. UNAVAILABLE_DEVICE when there is none, or when it is older than 1.1. NNVK_VULKAN_VALIDATION=1
  // adds the Khronos validation layer with synchronisation checks, if that is installed.
  static Result<std::shared_ptr<Instance>> create();
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  std::vector<VkPhysicalDevice> physical_devices() const;
  bool has_debug_labels() const { return debug_utils_; }
  const InstanceFunctions& functions() const { return functions_; }

 private:
  Instance() = default;
  Status create_instance(bool validation);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  bool debug_utils_ = false;
  InstanceFunctions functions_;
};

// Returns how many errors and warnings the validation layers have reported in this process so far.
uint64_t validation_message_count();

}  // namespace nnvk::vulkan
