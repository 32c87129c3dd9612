// Devices of the library, and the names that users give them.
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

// Chooses a device by `spec`: "vulkan" (the first GPU), "vulkan:N" (the N-th, from 0), "cpu", a device's exact name, or "" (the
// first GPU if there is one, else the CPU). The error lists the devices; its code is ANEURALNETWORKS_UNAVAILABLE_DEVICE.
Result<DeviceEntry> choose_device(std::span<const DeviceEntry> devices, const std::string& spec);
// Chooses several devices by such specs, separated by commas.
Result<std::vector<DeviceEntry>> choose_devices(std::span<const DeviceEntry> devices, const std::string& specs);
// Does the same among all devices. Opens no other device if `spec` is the name of a CPU device.
Result<DeviceEntry> find_device(const std::string& spec);
// Returns the device with exactly this name, or null. Opens no other device if it is a CPU device.
Result<const ANeuralNetworksDevice*> device_named(const std::string& name);
// Chooses several devices by specs with commas, or "all". "auto" and "" give an empty list: the library then chooses.
Result<std::vector<DeviceEntry>> find_devices(const std::string& specs);
// Returns the names of the devices: "vulkan-llvmpipe, nnapi-reference".
std::string device_names(std::span<const DeviceEntry> devices);

// Returns "CPU", "GPU" and so on.
const char* device_type_name(int32_t type);

}  // namespace nnvk::tools
