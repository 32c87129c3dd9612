#include "vulkan/context/kernel_features.h"

namespace nnvk::vulkan {
namespace {

struct FeatureRow {
  KernelFeature feature;
  const char* extension;  // null: Vulkan 1.1 has it
  VkBool32& (*flag)(FeatureStructs&);
  VkBool32& (*second_flag)(FeatureStructs&) = nullptr;  // null: one flag is enough
};

constexpr FeatureRow kRows[] = {
    {KernelFeature::kFloat16, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME,
     [](FeatureStructs& s) -> VkBool32& { return s.float16_int8.shaderFloat16; }},
    {KernelFeature::kInt8, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME,
     [](FeatureStructs& s) -> VkBool32& { return s.float16_int8.shaderInt8; }},
    {KernelFeature::kInt16, nullptr, [](FeatureStructs& s) -> VkBool32& { return s.core.features.shaderInt16; }},
    {KernelFeature::kInt64, nullptr, [](FeatureStructs& s) -> VkBool32& { return s.core.features.shaderInt64; }},
    {KernelFeature::kStorage8, VK_KHR_8BIT_STORAGE_EXTENSION_NAME,
     [](FeatureStructs& s) -> VkBool32& { return s.storage8.storageBuffer8BitAccess; }},
    {KernelFeature::kStorage16, nullptr, [](FeatureStructs& s) -> VkBool32& { return s.storage16.storageBuffer16BitAccess; }},
    {KernelFeature::kDotProduct, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME,
     [](FeatureStructs& s) -> VkBool32& { return s.dot_product.shaderIntegerDotProduct; }},
    // If the memory model is enabled, the barriers of all other kernels need the second flag (VUID-RuntimeSpirv-06265).
    {KernelFeature::kMemoryModel, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME,
     [](FeatureStructs& s) -> VkBool32& { return s.memory_model.vulkanMemoryModel; },
     [](FeatureStructs& s) -> VkBool32& { return s.memory_model.vulkanMemoryModelDeviceScope; }},
    {KernelFeature::kSubgroupSize, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
     [](FeatureStructs& s) -> VkBool32& { return s.subgroup_size.subgroupSizeControl; }},
    {KernelFeature::kCooperativeMatrix, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
     [](FeatureStructs& s) -> VkBool32& { return s.cooperative_matrix.cooperativeMatrix; }},
};

struct SubgroupRow {
  KernelFeature feature;
  VkSubgroupFeatureFlagBits operation;
};

constexpr SubgroupRow kSubgroupRows[] = {
    {KernelFeature::kSubgroupShuffle, VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
    {KernelFeature::kSubgroupArithmetic, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
};

}  // namespace

void link(FeatureStructs& structs, const std::set<std::string>& extensions) {
  structs.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  void** next = &structs.core.pNext;
  const auto append = [&](auto& features, VkStructureType type, const char* extension) {
    if (extension != nullptr && !extensions.contains(extension)) return;
    features.sType = type;
    *next = &features;
    next = &features.pNext;
  };
  append(structs.storage16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, nullptr);  // Vulkan 1.1 has it
  append(structs.timeline, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
         VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
  append(structs.storage8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES, VK_KHR_8BIT_STORAGE_EXTENSION_NAME);
  append(structs.float16_int8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
         VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
  append(structs.executables, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
         VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  append(structs.cache_control, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
         VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME);
  append(structs.dot_product, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
         VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
  append(structs.memory_model, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
         VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME);
  append(structs.subgroup_size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
         VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  append(structs.cooperative_matrix, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
         VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
}

KernelFeatures features_in(FeatureStructs& structs) {
  KernelFeatures features;
  for (const FeatureRow& row : kRows) {
    const bool is_whole = row.second_flag == nullptr || row.second_flag(structs) == VK_TRUE;
    if (row.flag(structs) == VK_TRUE && is_whole) features.insert(row.feature);
  }
  return features;
}

void switch_on(KernelFeatures features, FeatureStructs& structs) {
  for (const FeatureRow& row : kRows) {
    if (!features.contains(row.feature)) continue;
    row.flag(structs) = VK_TRUE;
    if (row.second_flag != nullptr) row.second_flag(structs) = VK_TRUE;
  }
}

std::set<std::string> extensions_of(KernelFeatures features) {
  std::set<std::string> extensions;
  for (const FeatureRow& row : kRows) {
    if (row.extension != nullptr && features.contains(row.feature)) extensions.insert(row.extension);
  }
  return extensions;
}

KernelFeatures usable_features(KernelFeatures available, const std::set<std::string>& extensions,
                               VkSubgroupFeatureFlags subgroup_operations) {
  KernelFeatures usable;
  for (const FeatureRow& row : kRows) {
    const bool known = row.extension == nullptr || extensions.contains(row.extension);
    if (known && available.contains(row.feature)) usable.insert(row.feature);
  }
  for (const SubgroupRow& row : kSubgroupRows) {
    if ((subgroup_operations & row.operation) != 0) usable.insert(row.feature);
  }
  // Only cooperative matrix kernels need these two. Else the memory model stays off, because it changes the rules for all
  // kernels.
  return usable.contains(KernelFeature::kCooperativeMatrix)
             ? usable
             : usable - KernelFeatures{KernelFeature::kMemoryModel, KernelFeature::kSubgroupSize};
}

}  // namespace nnvk::vulkan
