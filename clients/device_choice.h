// The devices that a plugin compiles for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clients/plugin_options.h"
#include "importers/imported_model.h"
#include "tools/nnapi/devices.h"

namespace nnvk::clients {

struct DeviceChoice {
  std::vector<tools::DeviceEntry> entries;  // never empty
  bool automatic = false;                   // the library chooses among `entries`, which are all devices

  // Returns the handles in the order of `entries`.
  std::vector<const ANeuralNetworksDevice*> handles() const;
  // Returns the devices' names: "vulkan-llvmpipe, nnvk-cpu".
  std::string names() const { return tools::device_names(entries); }
};

// Chooses devices by names as tools::find_devices() takes them; "auto" and "" leave the choice to the library. The error lists
// the devices.
Result<DeviceChoice> choose_devices(const std::string& spec);

// An operation that none of the devices runs.
struct UnsupportedOperation {
  std::string origin;  // the operator that it came from
  std::string reason;  // names operator, devices and operation
};
// Returns the first operation of a model that none of the devices runs. Fails if the library does not answer.
Result<std::optional<UnsupportedOperation>> find_unsupported(const importers::ImportedModel& model, const DeviceChoice& devices);

}  // namespace nnvk::clients
