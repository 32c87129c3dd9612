#include "tools/game/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace nnvk::game {
namespace {

constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";
constexpr VkValidationFeatureEnableEXT kSynchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
constexpr uint64_t kMostPrinted = 20;

template <class Function>
Function load(VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

}  // namespace

bool Validation::is_installed() {
  uint32_t count = 0;
  if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkLayerProperties> layers(count);
  if (vkEnumerateInstanceLayerProperties(&count, layers.data()) != VK_SUCCESS) return false;
  return std::ranges::any_of(layers, [](const VkLayerProperties& layer) { return std::string_view(layer.layerName) == kLayer; });
}

void Validation::add_to(VkInstanceCreateInfo& info, std::vector<const char*>& extensions) {
  features_.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features_.pNext = info.pNext;
  features_.enabledValidationFeatureCount = 1;
  features_.pEnabledValidationFeatures = &kSynchronization;
  info.pNext = &features_;
  info.enabledLayerCount = 1;
  info.ppEnabledLayerNames = &kLayer;
  extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
}

tools::Status Validation::listen(VkInstance instance) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = &on_message;
  info.pUserData = this;
  const auto make = load<PFN_vkCreateDebugUtilsMessengerEXT>(instance, "vkCreateDebugUtilsMessengerEXT");
  if (make == nullptr || make(instance, &info, nullptr, &messenger_) != VK_SUCCESS) {
    return tools::fail("the validation layer gives no messages");
  }
  instance_ = instance;
  return {};
}

void Validation::stop() {
  if (messenger_ == VK_NULL_HANDLE) return;
  load<PFN_vkDestroyDebugUtilsMessengerEXT>(instance_, "vkDestroyDebugUtilsMessengerEXT")(instance_, messenger_, nullptr);
  messenger_ = VK_NULL_HANDLE;
}

VKAPI_ATTR VkBool32 VKAPI_CALL Validation::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                                      const VkDebugUtilsMessengerCallbackDataEXT* data, void* self) {
  if (++static_cast<Validation*>(self)->complaints_ <= kMostPrinted) fmt::print(stderr, "validation: {}\n", data->pMessage);
  return VK_FALSE;
}

}  // namespace nnvk::game
