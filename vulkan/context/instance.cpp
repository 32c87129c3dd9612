#include "vulkan/context/instance.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "core/base/config.h"
#include "core/base/log.h"
#include "core/base/process_generation.h"
#include "vulkan/context/vulkan_error.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

std::atomic<uint64_t> g_validation_messages{0};
MutexOfProcess g_loader_mutex;  // volk's function pointers are process-wide

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  g_validation_messages.fetch_add(1, std::memory_order_relaxed);
  log_line(LogLevel::kError, "Vulkan", data->pMessage != nullptr ? data->pMessage : "(validation message without text)");
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info() {
  auto info = vulkan_struct<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  return info;
}

bool has_layer(const char* name) {
  const auto layers = enumerate<VkLayerProperties>(vkEnumerateInstanceLayerProperties);
  return std::ranges::any_of(layers, [&](const auto& l) { return std::strcmp(l.layerName, name) == 0; });
}

bool has_extension(const char* layer, const char* name) {
  const auto extensions = enumerate<VkExtensionProperties>(
      [&](uint32_t* count, VkExtensionProperties* items) { return vkEnumerateInstanceExtensionProperties(layer, count, items); });
  return std::ranges::any_of(extensions, [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

bool validation_requested() {
  if (read_setting("NNVK_VULKAN_VALIDATION", nullptr) != "1") return false;
  if (has_layer(kValidationLayer)) return true;
  log_line(LogLevel::kError, "Vulkan", "NNVK_VULKAN_VALIDATION=1, but VK_LAYER_KHRONOS_validation is not installed");
  return false;
}

}  // namespace

uint64_t validation_message_count() { return g_validation_messages.load(std::memory_order_relaxed); }

Result<std::shared_ptr<Instance>> Instance::create() {
  std::shared_ptr<Instance> instance(new Instance());  // before the lock: its destructor takes the same lock
  const std::lock_guard lock(g_loader_mutex);
  if (volkInitialize() != VK_SUCCESS) {
    return fail(Code::kUnavailableDevice, "the Vulkan loader (libvulkan.so.1) is not installed");
  }
  if (volkGetInstanceVersion() < VK_API_VERSION_1_1) {
    return fail(Code::kUnavailableDevice, "the Vulkan loader is older than 1.1");
  }
  NNVK_TRY(instance->create_instance(validation_requested()));
  return instance;
}

Status Instance::create_instance(bool validation) {
  std::vector<const char*> layers;
  std::vector<const char*> extensions;
  if (validation) layers.push_back(kValidationLayer);
  debug_utils_ = has_extension(nullptr, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) ||
                 (validation && has_extension(kValidationLayer, VK_EXT_DEBUG_UTILS_EXTENSION_NAME));
  if (debug_utils_) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (validation) extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);

  auto application = vulkan_struct<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "nnvk";
  application.pEngineName = "nnvk";
  application.apiVersion = VK_API_VERSION_1_1;
  const VkValidationFeatureEnableEXT synchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkDebugUtilsMessengerCreateInfoEXT messages = messenger_info();
  auto features = vulkan_struct<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  features.pNext = &messages;  // instance creation and destruction are checked too
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &synchronization;
  auto info = vulkan_struct<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pNext = validation ? &features : nullptr;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = static_cast<uint32_t>(layers.size());
  info.ppEnabledLayerNames = layers.data();
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (const VkResult result = vkCreateInstance(&info, nullptr, &instance_); result != VK_SUCCESS) {
    instance_ = VK_NULL_HANDLE;
    Error error = vulkan_error(result, "vkCreateInstance");
    error.message += " (no driver, or none that starts; with VK_LOADER_DEBUG=error,warn Vulkan's loader says what it tried)";
    error.code = Code::kUnavailableDevice;
    return fail(std::move(error));
  }
  volkLoadInstanceOnly(instance_);
  NNVK_ASSIGN(functions_, load_instance_functions(vkGetInstanceProcAddr, instance_));
  if (validation && debug_utils_) {
    NNVK_TRY(vulkan_status(vkCreateDebugUtilsMessengerEXT(instance_, &messages, nullptr, &messenger_),
                           "vkCreateDebugUtilsMessengerEXT"));
  }
  return {};
}

Instance::~Instance() {
  const std::lock_guard lock(g_loader_mutex);
  if (messenger_ != VK_NULL_HANDLE) vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
  return enumerate<VkPhysicalDevice>(
      [&](uint32_t* count, VkPhysicalDevice* items) { return vkEnumeratePhysicalDevices(instance_, count, items); });
}

}  // namespace nnvk::vulkan
