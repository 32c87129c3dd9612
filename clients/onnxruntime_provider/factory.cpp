#include "clients/onnxruntime_provider/factory.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "clients/onnxruntime_provider/hardware.h"
#include "clients/onnxruntime_provider/options.h"
#include "clients/onnxruntime_provider/provider.h"

namespace nnvk::clients::onnxruntime {
namespace {

constexpr const char* kDeviceKey = "nnvk_device";  // in the metadata of a device: nnvk's name of it

Hardware hardware_of(const OrtHardwareDevice* device) {
  const OrtHardwareDeviceType type = api().HardwareDevice_Type(device);
  return {type == OrtHardwareDeviceType_CPU   ? HardwareKind::kCpu
          : type == OrtHardwareDeviceType_GPU ? HardwareKind::kGpu
                                              : HardwareKind::kOther,
          api().HardwareDevice_VendorId(device), api().HardwareDevice_DeviceId(device)};
}

Result<std::vector<Setting>> settings_of(const OrtSessionOptions* session) {
  OrtKeyValuePairs* made = nullptr;
  TOOLS_TRY(check(api().GetSessionOptionsConfigEntries(session, &made), "reading the session's options"));
  const PairsHandle pairs(made);
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  api().GetKeyValuePairs(made, &keys, &values, &count);
  std::vector<Setting> settings;
  for (size_t i = 0; i < count; ++i) settings.emplace_back(keys[i], values[i]);
  return settings;
}

// Returns the devices that the option names, or those that the session chose from list_devices().
Result<DeviceChoice> devices_for(const Options& options, const OrtKeyValuePairs* const* metadata, size_t count) {
  if (!options.device.empty()) {
    auto found = choose_devices(options.device);
    if (!found) return fail("option 'device': " + found.error().message);
    return found;
  }
  DeviceChoice devices;
  for (size_t i = 0; i < count; ++i) {
    const char* const name = metadata[i] == nullptr ? nullptr : api().GetKeyValue(metadata[i], kDeviceKey);
    if (name == nullptr) continue;
    TOOLS_ASSIGN(tools::DeviceEntry device, tools::find_device(name));
    devices.entries.push_back(std::move(device));
  }
  if (devices.entries.empty()) return fail("the session chose no device of nnvk; give the option 'device'");
  return devices;
}

Result<std::unique_ptr<Provider>> make_provider(const OrtKeyValuePairs* const* metadata, size_t count,
                                                const OrtSessionOptions* session, const OrtLogger* logger) {
  TOOLS_ASSIGN(const auto settings, settings_of(session));
  TOOLS_ASSIGN(Options options, parse_options(settings));
  TOOLS_ASSIGN(DeviceChoice devices, devices_for(options, metadata, count));
  return std::make_unique<Provider>(std::move(options), std::move(devices), logger);
}

}  // namespace

Factory::Factory() : OrtEpFactory{} {
  ort_version_supported = kRuntimeApiVersion;
  OrtEpFactory::GetName = [](const OrtEpFactory*) noexcept { return kProviderName; };
  OrtEpFactory::GetVendor = [](const OrtEpFactory*) noexcept { return "nnvk"; };
  OrtEpFactory::GetVendorId = [](const OrtEpFactory*) noexcept { return uint32_t{0}; };
  OrtEpFactory::GetVersion = [](const OrtEpFactory*) noexcept { return NNVK_VERSION; };
  OrtEpFactory::GetSupportedDevices = [](OrtEpFactory* self, const OrtHardwareDevice* const* devices, size_t count,
                                         OrtEpDevice** made, size_t most, size_t* number) noexcept -> OrtStatus* {
    return guarded([&] { return static_cast<Factory*>(self)->list_devices(devices, count, made, most, number); });
  };
  OrtEpFactory::CreateEp = [](OrtEpFactory*, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const* metadata,
                              size_t count, const OrtSessionOptions* session, const OrtLogger* logger,
                              OrtEp** made) noexcept -> OrtStatus* {
    *made = nullptr;
    return guarded([&]() -> Status {
      auto provider = make_provider(metadata, count, session, logger);
      if (!provider) return fail("nnvk: " + provider.error().message);
      *made = provider->release();
      return {};
    });
  };
  OrtEpFactory::ReleaseEp = [](OrtEpFactory*, OrtEp* provider) noexcept { delete static_cast<Provider*>(provider); };
  // Data stays in the host's memory: no allocators, no transfers, no streams.
  OrtEpFactory::CreateAllocator = [](OrtEpFactory*, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                                     OrtAllocator** allocator) noexcept -> OrtStatus* {
    *allocator = nullptr;
    return nullptr;
  };
  OrtEpFactory::ReleaseAllocator = [](OrtEpFactory*, OrtAllocator*) noexcept {};
  OrtEpFactory::CreateDataTransfer = [](OrtEpFactory*, OrtDataTransferImpl** transfer) noexcept -> OrtStatus* {
    *transfer = nullptr;
    return nullptr;
  };
  OrtEpFactory::IsStreamAware = [](const OrtEpFactory*) noexcept { return false; };
}

Status Factory::list_devices(const OrtHardwareDevice* const* devices, size_t count, OrtEpDevice** made, size_t most,
                             size_t* number) {
  *number = 0;
  std::vector<Hardware> hardware;
  for (size_t i = 0; i < count; ++i) hardware.push_back(hardware_of(devices[i]));
  TOOLS_ASSIGN(const auto known, known_devices(hardware));
  for (const auto& [h, d] : match(hardware, known)) {
    if (*number == most) break;
    OrtKeyValuePairs* pairs = nullptr;
    api().CreateKeyValuePairs(&pairs);
    const PairsHandle metadata(pairs);
    api().AddKeyValuePair(pairs, kDeviceKey, known[d].name.c_str());
    TOOLS_TRY(check(provider_api().CreateEpDevice(this, devices[h], pairs, nullptr, &made[*number]), "listing a device"));
    ++*number;
  }
  return {};
}

}  // namespace nnvk::clients::onnxruntime

using nnvk::clients::onnxruntime::connect;
using nnvk::clients::onnxruntime::Factory;

extern "C" {

// The two functions that ONNX Runtime looks for in a plugin.
__attribute__((visibility("default"))) OrtStatus* CreateEpFactories(const char*, const OrtApiBase* base, const OrtLogger*,
                                                                    OrtEpFactory** factories, size_t most, size_t* number) {
  *number = 0;
  if (!connect(*base)) {
    // Too old for our table; every version has CreateStatus, the first entry of the first one.
    const std::string text = "nnvk needs ONNX Runtime 1.23 or later; this is " + std::string(base->GetVersionString());
    return base->GetApi(1)->CreateStatus(ORT_FAIL, text.c_str());
  }
  if (most == 0) return nnvk::clients::onnxruntime::to_status(nnvk::clients::onnxruntime::Error{"nnvk: no room for a factory"});
  factories[0] = new Factory();
  *number = 1;
  return nullptr;
}

__attribute__((visibility("default"))) OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  delete static_cast<Factory*>(factory);
  return nullptr;
}

}  // extern "C"
