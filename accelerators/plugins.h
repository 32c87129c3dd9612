// From manifests to devices: every plugin that is there and switched on is started, all side by side, and whatever is wrong with
// one is told and costs nothing but that one. Who uses the library first waits for them, for each as long as its manifest says;
// devices of those that take longer come when they are there.
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
  // Keeps the code of this library in memory as long as somebody has what it returns: the threads that load plugins do. May be
  // null.
  std::function<std::shared_ptr<const void>()> hold_library = nullptr;
};

// What became of one manifest.
struct PluginReport {
  Manifest manifest;
  bool is_late = false;              // it has not answered yet, and is not waited for
  std::string not_used;              // why there are no devices of it, or not yet; empty: there are
  std::vector<std::string> devices;  // names
};

using DeviceList = std::vector<std::unique_ptr<Device>>;

// Plugins that are being loaded, each on a thread of its own. The threads of plugins that never answer stay behind when this
// goes.
class PluginLoading {
 public:
  virtual ~PluginLoading() = default;

  // Waits for every plugin, for the load patience of its manifest at most. The devices of those that are there, in the order of
  // the manifests. To be called once.
  virtual DeviceList wait() = 0;
  // Hands on the devices of late plugins, on their threads: those that are there already, and those to come, until this object
  // goes.
  virtual void hand_on_late(std::function<void(DeviceList)> take) = 0;
  // In the order in which manifests count.
  virtual std::vector<PluginReport> reports() const = 0;
};

// Begins to load what `found` says is used. Mistakes are logged as warnings.
std::unique_ptr<PluginLoading> load_plugins(const std::vector<FoundManifest>& found, const PluginStarts& starts,
                                            const PluginSurroundings& surroundings);

// All of it: the environment, the folders, the plugins. `installed`: manifests of this installation; may be empty.
std::unique_ptr<PluginLoading> find_and_load_plugins(const std::string& installed, const PluginStarts& starts,
                                                     const PluginSurroundings& surroundings);

}  // namespace nnvk::accelerators
