// The devices that a plugin compiles for.
#pragma once

#include <string>
#include <vector>

#include "clients/plugin_options.h"
#include "tools/nnapi/devices.h"

namespace nnvk::clients {

struct DeviceChoice {
  std::vector<tools::DeviceEntry> entries;  // never empty
  bool automatic = false;                   // the library chooses among `entries`, which are all devices

  // In the order of `entries`.
  std::vector<const ANeuralNetworksDevice*> handles() const;
  // "vulkan-llvmpipe, nnvk-cpu".
  std::string names() const { return tools::device_names(entries); }
};

// Devices by names as tools::find_devices() takes them; "auto" and "" leave the choice to the library. The error lists the
// devices.
Result<DeviceChoice> choose_devices(const std::string& spec);

}  // namespace nnvk::clients
