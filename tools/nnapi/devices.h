// Devices of the library and how a user names them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/nnapi/handles.h"

namespace nnvk::tools {

struct DeviceEntry {
  const ANeuralNetworksDevice* handle = nullptr;
  std::string name;
  std::string version;
  int32_t type = ANEURALNETWORKS_DEVICE_UNKNOWN;
  int64_t feature_level = 0;
};

Result<std::vector<DeviceEntry>> list_devices();

// `spec` is "vulkan" (the first GPU), "vulkan:N" (the N-th, from 0), "cpu", a device's exact name, or "" (the first GPU if there
// is one, else the CPU). The error lists the devices.
Result<DeviceEntry> choose_device(std::span<const DeviceEntry> devices, const std::string& spec);
Result<DeviceEntry> find_device(const std::string& spec);
// Several of these, separated by commas, or "all"; none for "auto": the library chooses.
Result<std::vector<DeviceEntry>> find_devices(const std::string& specs);
// "vulkan-llvmpipe, nnapi-reference".
std::string device_names(std::span<const DeviceEntry> devices);

// "CPU", "GPU", ...
const char* device_type_name(int32_t type);

}  // namespace nnvk::tools
