#include "vulkan/interop/declared_device.h"

#include <algorithm>

#include "vulkan/context/kernel_features.h"
#include "vulkan/interop/feature_chain.h"

namespace nnvk::vulkan {
namespace {

struct UsedExtension {
  const char* name;
  uint32_t part_of;  // the Vulkan version that includes it; 0: none
};

constexpr const char* kCacheControl = VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME;

constexpr UsedExtension kUsedExtensions[] = {
    {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, VK_API_VERSION_1_2},
    {VK_KHR_8BIT_STORAGE_EXTENSION_NAME, VK_API_VERSION_1_2},
    {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, VK_API_VERSION_1_2},
    {VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, VK_API_VERSION_1_3},
    {VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, VK_API_VERSION_1_2},
    {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, 0},
    {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, 0},
    {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, 0},
    {VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME, 0},
    {VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME, 0},
    {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, 0},
    {VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME, VK_API_VERSION_1_3},
    {kCacheControl, VK_API_VERSION_1_3},
    {VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, 0},
};

}  // namespace

std::vector<const char*> used_extensions() {
  std::vector<const char*> names;
  for (const UsedExtension& extension : kUsedExtensions) names.push_back(extension.name);
  return names;
}

Result<DeviceSnapshot> as_declared(DeviceSnapshot supported, const Declaration& declared) {
  DeviceSnapshot s = std::move(supported);
  for (const std::string& name : declared.extensions) {
    if (s.extensions.contains(name)) continue;
    return fail(Code::kBadData, "enabledExtensions names " + name + ", which " + s.name +
                                    " does not have: list what vkCreateDevice was given for this physical device");
  }
  FeatureStructs features = read_features(declared.features);
  const KernelFeatures enabled = features_in(features);
  if (!s.kernel_features.contains(enabled)) {
    return fail(Code::kBadData, "enabledFeatures switches on features that " + s.name +
                                    " does not have: pass the chain that vkCreateDevice was given (has it: " +
                                    names_of(s.kernel_features) + "; declared: " + names_of(enabled) + ")");
  }
  const bool wants_cache_control = features.cache_control.pipelineCreationCacheControl == VK_TRUE;
  const auto lacks = [&](const char* name) {
    return fail(Code::kBadData, std::string("enabledFeatures switches on ") + name + ", which " + s.name + " does not have");
  };
  if (features.timeline.timelineSemaphore == VK_TRUE && !s.timeline_semaphore) return lacks("timelineSemaphore");
  if (wants_cache_control && !s.extensions.contains(kCacheControl)) return lacks("pipelineCreationCacheControl");
  s.kernel_features = enabled;
  s.timeline_semaphore = features.timeline.timelineSemaphore == VK_TRUE;
  s.api_version = std::min(s.api_version, declared.api_version);
  s.extensions = declared.extensions;
  for (const UsedExtension& extension : kUsedExtensions) {
    if (extension.part_of != 0 && s.api_version >= extension.part_of) s.extensions.insert(extension.name);
  }
  if (!wants_cache_control) s.extensions.erase(kCacheControl);  // the extension stands for its only feature
  return s;
}

}  // namespace nnvk::vulkan
