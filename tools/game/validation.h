// The Khronos validation layer with synchronisation checks, whose complaints the game counts and prints.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::game {

class Validation {
 public:
  static bool is_installed();

  Validation() = default;
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;

  // Adds the layer to the description of an instance, which this object must outlive.
  void add_to(VkInstanceCreateInfo& info, std::vector<const char*>& extensions);
  tools::Status listen(VkInstance instance);
  // Call it before the instance is destroyed.
  void stop();
  uint64_t complaints() const { return complaints_; }

 private:
  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* self);

  VkValidationFeaturesEXT features_{};
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::atomic<uint64_t> complaints_{0};
};

}  // namespace nnvk::game
