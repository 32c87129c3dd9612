// Listing and choosing devices.
#include "tools/nnapi/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace nnvk::tools {
namespace {

tl::unexpected<Error> no_device(std::string message) { return fail(std::move(message), ANEURALNETWORKS_UNAVAILABLE_DEVICE); }

Result<DeviceEntry> entry_of(const ANeuralNetworksDevice* handle) {
  DeviceEntry entry{.handle = handle, .name = {}, .version = {}};
  const char* text = nullptr;
  TOOLS_TRY(check(ANeuralNetworksDevice_getName(handle, &text), "getting a device's name"));
  entry.name = text;
  TOOLS_TRY(check(ANeuralNetworksDevice_getVersion(handle, &text), "getting a device's version"));
  entry.version = text;
  TOOLS_TRY(check(ANeuralNetworksDevice_getType(handle, &entry.type), "getting a device's type"));
  TOOLS_TRY(check(ANeuralNetworksDevice_getFeatureLevel(handle, &entry.feature_level), "getting a device's feature level"));
  return entry;
}

// Adds a device unless the list has it.
void add_new(DeviceEntry device, std::vector<DeviceEntry>& chosen) {
  if (std::ranges::find(chosen, device.name, &DeviceEntry::name) == chosen.end()) chosen.push_back(std::move(device));
}

// Calls `take` with each part of a text between commas.
template <class Take>
Status for_each_part(const std::string& text, const Take& take) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    TOOLS_TRY(take(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return {};
}

}  // namespace

Result<std::vector<DeviceEntry>> list_devices() {
  uint32_t count = 0;
  TOOLS_TRY(check(ANeuralNetworks_getDeviceCount(&count), "counting devices"));
  std::vector<DeviceEntry> devices;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* handle = nullptr;
    TOOLS_TRY(check(ANeuralNetworks_getDevice(i, &handle), fmt::format("getting device {}", i)));
    TOOLS_ASSIGN(auto entry, entry_of(handle));
    devices.push_back(std::move(entry));
  }
  return devices;
}

Result<DeviceEntry> choose_device(std::span<const DeviceEntry> devices, const std::string& spec) {
  constexpr std::string_view kVulkan = "vulkan";
  for (const auto& device : devices) {
    if (!spec.empty() && device.name == spec) return device;
  }
  std::vector<DeviceEntry> gpus;
  std::vector<DeviceEntry> cpus;
  std::string names;
  for (const auto& device : devices) {
    // Vulkan devices are recognized by their names, because some drivers report another type than GPU.
    const bool vulkan = device.name.starts_with(kVulkan) || device.type == ANEURALNETWORKS_DEVICE_GPU;
    if (vulkan) gpus.push_back(device);
    if (!vulkan && device.type == ANEURALNETWORKS_DEVICE_CPU) cpus.push_back(device);
    names += (names.empty() ? "" : ", ") + device.name;
  }
  if (spec.empty() && !gpus.empty()) return gpus[0];
  if ((spec.empty() || spec == "cpu") && !cpus.empty()) return cpus[0];
  if (spec.starts_with(kVulkan) && (spec.size() == kVulkan.size() || spec[kVulkan.size()] == ':')) {
    size_t number = 0;
    if (spec.size() > kVulkan.size()) {
      const char* first = spec.data() + kVulkan.size() + 1;
      const char* last = spec.data() + spec.size();
      const auto [end, error] = std::from_chars(first, last, number);
      if (error != std::errc() || end != last || first == last) {
        return no_device(fmt::format("device '{}': after 'vulkan:' comes a number, as in vulkan:0", spec));
      }
    }
    if (number < gpus.size()) return gpus[number];
    if (gpus.empty()) {
      return no_device(fmt::format(
          "no Vulkan device is found; there are: {}. Install a Vulkan driver (on Debian: mesa-vulkan-drivers)", names));
    }
    const auto known = gpus.size() == 1 ? "vulkan:0 is the only Vulkan device"
                                        : fmt::format("the last Vulkan device is vulkan:{}", gpus.size() - 1);
    return no_device(fmt::format("there is no device '{}': {}; `nnvk devices` lists all devices", spec, known));
  }
  return no_device(fmt::format("there is no device '{}'; use vulkan, vulkan:N, cpu or one of: {}", spec, names));
}

Result<const ANeuralNetworksDevice*> device_named(const std::string& name) {
  ANeuralNetworksDevice* device = nullptr;
  TOOLS_TRY(check(nnvk_findDevice(name.c_str(), &device), "finding a device"));
  return device;
}

Result<DeviceEntry> find_device(const std::string& spec) {
  TOOLS_ASSIGN(const auto* const named, device_named(spec));
  if (named != nullptr) return entry_of(named);
  TOOLS_ASSIGN(const auto devices, list_devices());
  return choose_device(devices, spec);
}

Result<std::vector<DeviceEntry>> choose_devices(std::span<const DeviceEntry> devices, const std::string& specs) {
  std::vector<DeviceEntry> chosen;
  TOOLS_TRY(for_each_part(specs, [&](const std::string& spec) -> Status {
    TOOLS_ASSIGN(auto device, choose_device(devices, spec));
    add_new(std::move(device), chosen);
    return {};
  }));
  return chosen;
}

Result<std::vector<DeviceEntry>> find_devices(const std::string& specs) {
  if (specs == "all") return list_devices();
  std::vector<DeviceEntry> chosen;
  if (specs.empty() || specs == "auto") return chosen;
  TOOLS_TRY(for_each_part(specs, [&](const std::string& spec) -> Status {
    TOOLS_ASSIGN(auto device, find_device(spec));
    add_new(std::move(device), chosen);
    return {};
  }));
  return chosen;
}

std::string device_names(std::span<const DeviceEntry> devices) {
  if (devices.empty()) return "the devices of the library's choice";
  std::string names;
  for (const auto& device : devices) names += (names.empty() ? "" : ", ") + device.name;
  return names;
}

const char* device_type_name(int32_t type) {
  switch (type) {
    case ANEURALNETWORKS_DEVICE_CPU:
      return "CPU";
    case ANEURALNETWORKS_DEVICE_GPU:
      return "GPU";
    case ANEURALNETWORKS_DEVICE_ACCELERATOR:
      return "accelerator";
    case ANEURALNETWORKS_DEVICE_OTHER:
      return "other";
    default:
      return "unknown";
  }
}

}  // namespace nnvk::tools
