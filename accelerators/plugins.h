// From manifests to devices: every plugin that is there and switched on is started, and whatever is wrong with one is told and
// costs nothing but that one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "accelerators/driver.h"
#include "accelerators/manifest_search.h"
#include "accelerators/plugin_device.h"
#include "core/runtime/device.h"

namespace nnvk::accelerators {

// Starts the driver of a plugin.
using DriverStart = std::function<Result<std::unique_ptr<Driver>>(const Manifest&)>;

struct PluginStarts {
  DriverStart in_process;
  DriverStart in_host;  // in a process of its own
};

// What became of one manifest.
struct PluginReport {
  Manifest manifest;
  std::string not_used;              // why there are no devices of it; empty: there are
  std::vector<std::string> devices;  // names
};

struct LoadedPlugins {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<PluginReport> reports;  // in the order in which manifests count
};

// Loads what `found` says is used. Mistakes are logged as warnings.
LoadedPlugins load_plugins(const std::vector<FoundManifest>& found, const PluginStarts& starts,
                           const PluginSurroundings& surroundings);

// All of it: the environment, the folders, the plugins. `installed`: manifests of this installation; may be empty.
LoadedPlugins find_and_load_plugins(const std::string& installed, const PluginStarts& starts,
                                    const PluginSurroundings& surroundings);

}  // namespace nnvk::accelerators
