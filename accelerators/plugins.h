// Loads plugins: from manifests to devices. Starts all enabled plugins in parallel, and reports every error, which affects only
// the plugin concerned. The first user of the library waits for each plugin as long as its manifest allows; devices of slower
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
  // Keeps this library's code loaded as long as the result lives; each thread that loads a plugin holds one. May be null.
  std::function<std::shared_ptr<const void>()> hold_library = nullptr;
};

// The result of loading one manifest's plugin.
struct PluginReport {
  Manifest manifest;
  bool is_late = false;              // it has not answered yet, and nobody waits for it
  std::string not_used;              // why it has no devices (yet); empty if it has some
  std::vector<std::string> devices;  // names
};

using DeviceList = std::vector<std::unique_ptr<Device>>;

// Loads plugins, each on a thread of its own. Threads of plugins that never answer continue after this object is destroyed.
class PluginLoading {
 public:
  virtual ~PluginLoading() = default;

  // Waits for every plugin, at most for its manifest's load patience. Returns the devices in the manifests' order. Call it once.
  virtual DeviceList wait() = 0;
  // Passes devices of late plugins to `take`: present ones now, later ones on loading threads, until this object is destroyed.
  virtual void hand_on_late(std::function<void(DeviceList)> take) = 0;
  // Returns the reports, in the manifests' order of precedence.
  virtual std::vector<PluginReport> reports() const = 0;
};

// Begins to load the plugins in `found` that are used. Logs mistakes as warnings.
std::unique_ptr<PluginLoading> load_plugins(const std::vector<FoundManifest>& found, const PluginStarts& starts,
                                            const PluginSurroundings& surroundings);

// Reads the environment and the folders of manifests, and loads the plugins. `installed`: the folder of this installation's
// manifests; may be empty.
std::unique_ptr<PluginLoading> find_and_load_plugins(const std::string& installed, const PluginStarts& starts,
                                                     const PluginSurroundings& surroundings);

}  // namespace nnvk::accelerators
