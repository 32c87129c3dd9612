// Queries devices. Truncates a library's arrays and texts that are longer than any device needs.
#include "accelerators/table_devices.h"

#include <cstring>

#include "core/base/log.h"

namespace nnvk::accelerators {
namespace {

// Copies a text of the library, with one character more than allowed at most, so that check_device() reports a name that is too
// long.
std::string text_of(const char* text) {
  return text != nullptr ? std::string(text, ::strnlen(text, kLongestName + 1)) : std::string();
}

PerformanceInfo figures_of(const SL_ANeuralNetworksPerformanceInfo& info) { return {info.execTime, info.powerUsage}; }

Result<std::vector<ExtensionDescription>> list_extensions(const SlTable& table, const ANeuralNetworksDevice* device) {
  uint32_t count = 0;
  NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_getVendorExtensionCount, device, &count));
  if (count > kMostExtensions)
    return fail(Code::kOpFailed, "a device may list at most " + std::to_string(kMostExtensions) + " extensions, but lists " +
                                     std::to_string(count));
  std::vector<ExtensionDescription> extensions;
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_getVendorExtensionName, device, i, &name));
    ExtensionDescription& extension = extensions.emplace_back();
    extension.name = text_of(name);
    const auto add = [](SL_ANeuralNetworksExtensionOperandTypeInformation info, void* context) {
      auto& types = *static_cast<std::vector<ExtensionType>*>(context);
      if (types.size() <= kMostExtensionTypes) types.push_back({info.type, info.isTensor, info.byteSize});
    };
    NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation, device, i,
                             &extension.operand_types, add));
  }
  return extensions;
}

Result<DeviceDescription> describe(const SlTable& table, const ANeuralNetworksDevice* device) {
  DeviceDescription description;
  const char* text = nullptr;
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworksDevice_getName, device, &text));
  description.name = text_of(text);
  text = nullptr;
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworksDevice_getVersion, device, &text));
  description.version = text_of(text);
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworksDevice_getType, device, &description.type));
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworksDevice_getFeatureLevel, device, &description.feature_level));
  const std::pair<int32_t, PerformanceInfo*> figures[] = {
      {SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR, &description.relaxed_scalar},
      {SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR, &description.relaxed_tensor},
      {SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF, &description.if_overhead},
      {SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE, &description.while_overhead}};
  for (const auto& [kind, figure] : figures) {
    SL_ANeuralNetworksPerformanceInfo info{};
    NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_getPerformanceInfo, device, kind, &info));
    *figure = figures_of(info);
  }
  const auto add = [](SL_ANeuralNetworksOperandPerformanceInfo info, void* context) {
    auto& operands = *static_cast<std::map<int32_t, PerformanceInfo>*>(context);
    if (operands.size() < kMostExtensionTypes) operands[info.operandType] = figures_of(info.performanceInfo);
  };
  NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo, device, &description.operands, add));
  NNVK_TRY(NNVK_TABLE_CALL(table, SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded, device, &description.model_cache_files,
                           &description.data_cache_files));
  NNVK_ASSIGN(description.extensions, list_extensions(table, device));
  return description;
}

}  // namespace

Result<std::vector<TableDevice>> list_devices(const SlTable& table) {
  uint32_t count = 0;
  NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworks_getDeviceCount, &count));
  if (count > kMostDevices)
    return fail(Code::kOpFailed,
                "a plugin may list at most " + std::to_string(kMostDevices) + " devices, but lists " + std::to_string(count));
  std::vector<TableDevice> devices;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* handle = nullptr;
    NNVK_TRY(NNVK_TABLE_CALL(table, ANeuralNetworks_getDevice, i, &handle));
    auto description = describe(table, handle);
    const Status status = description ? check_device(*description) : fail(description.error());
    if (status) {
      devices.push_back({handle, *std::move(description)});
    } else {
      log_line(LogLevel::kWarning, "Plugin", "device " + std::to_string(i) + " is left out: " + status.error().text());
    }
  }
  return devices;
}

}  // namespace nnvk::accelerators
