// Loads plugins: from manifests to devices. Starts all enabled plugins in parallel. It reports every error, which affects only
// the plugin concerned. The first user of the library waits for each plugin as long as its manifest allows. Devices of slower
// plugins are added later.
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
  // Keeps this library's code loaded as long as the returned object lives. The threads that load plugins hold one. May be null.
  std::function<std::shared_ptr<const void>()> hold_library = nullptr;
};

// The outcome of one manifest.
struct PluginReport {
  Manifest manifest;
  bool is_late = false;              // it has not answered yet, and nobody waits for it
  std::string not_used;              // why it has no devices, or not yet; empty: it has
  std::vector<std::string> devices;  // names
};

using DeviceList = std::vector<std::unique_ptr<Device>>;

// Loads plugins, each on a thread of its own. Threads of plugins that never answer continue after this object is destroyed.
class PluginLoading {
 public:
  virtual ~PluginLoading() = default;

  // Waits for every plugin, for the load patience of its manifest at most. Returns the available devices, in the order of the
  // manifests. Call it once.
  virtual DeviceList wait() = 0;
  // Passes the devices of late plugins to `take`, on their threads: those that already exist, and later ones, until this object
  // is destroyed.
  virtual void hand_on_late(std::function<void(DeviceList)> take) = 0;
  // In the manifests' order of precedence.
  virtual std::vector<PluginReport> reports() const = 0;
};

// Begins to load the used plugins in `found`. Logs mistakes as warnings.
std::unique_ptr<PluginLoading> load_plugins(const std::vector<FoundManifest>& found, const PluginStarts& starts,
                                            const PluginSurroundings& surroundings);

// Does all of it: reads the environment and the folders, and loads the plugins. `installed`: the folder of this installation's
// manifests; may be empty.
std::unique_ptr<PluginLoading> find_and_load_plugins(const std::string& installed, const PluginStarts& starts,
                                                     const PluginSurroundings& surroundings);

}  // namespace nnvk::accelerators
