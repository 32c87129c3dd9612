// The composition root: finds the devices on first use and destroys them when the library is unloaded.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "accelerators/plugins.h"
#include "api/handles.h"
#include "core/base/versions.h"
#include "core/runtime/runtime.h"
#include "vulkan/inspection/inspected_device.h"

namespace nnvk::api {

class Instance {
 public:
  // `parents`: the instance of the process that forked this one, or null.
  explicit Instance(const Instance* parents);

  Runtime& runtime() { return runtime_; }
  // Returns the handles of all devices, in NNAPI's order; devices of plugins that start late come last. Handles and lists never
  // change; a later call may return a longer list.
  const std::vector<ANeuralNetworksDevice*>& devices() const { return devices_.current(); }
  // Returns the number of compilations that clients hold. While it is not 0, devices outlive even the exit of the process: a
  // client may destroy its objects in its own exit handlers.
  std::atomic<int>& live_compilations() { return live_compilations_; }
  // Looks for a device. If it is an imported one, adds its use by an object of this kind to `uses`, which keeps it alive. Returns
  // kOfParent if the device was found before a fork.
  HandleLife::Found use(const ANeuralNetworksDevice* handle, Imported::Kind kind, DeviceUses& uses);

  // Imports a device and returns its handle; devices() does not list it.
  Result<ANeuralNetworksDevice*> import(vulkan::ImportRequest request);
  // Returns the imported device of a handle; BAD_DATA for handles of other devices and for unknown handles.
  Result<std::shared_ptr<Imported>> imported(const ANeuralNetworksDevice* handle);
  // Ends the import. BAD_STATE while something uses the device.
  Status release(ANeuralNetworksDevice* handle);
  bool has_imported_devices();

  // Returns the result of loading each plugin manifest.
  std::vector<accelerators::PluginReport> plugins() const {
    return loading_ != nullptr ? loading_->reports() : std::vector<accelerators::PluginReport>();
  }

  // Returns the reason why this process must not use Vulkan (its parent has used it), or empty.
  const std::string& no_vulkan() const { return found_.no_vulkan; }

  // Returns the devices for inspecting kernels; devices() lists none of them.
  vulkan::InspectedDevices& inspected_devices() { return inspected_; }

 private:
  // The results of the search for devices, before the runtime owns them.
  struct Found {
    CpuDevices cpu;
    std::vector<std::unique_ptr<Device>> devices;               // all but the CPU devices
    std::map<std::string, Result<MeasuredCosts>> calibrations;  // by name, of devices that were opened with their choices
    std::unique_ptr<accelerators::PluginLoading> loading;       // null: plugins are switched off
    std::string no_vulkan;
  };

  Instance(const Settings& settings, const Instance* parents);
  static Found find_devices(const Settings& settings, const Instance* parents);
  // Makes handles for the devices.
  void list(std::span<Device* const> devices);
  void add_late(accelerators::DeviceList devices);
  bool is_of_parent(const ANeuralNetworksDevice* handle) const;
  // Returns the end of the list for other handles. Callers hold imported_mutex_, unless this is the instance of a parent.
  std::list<ANeuralNetworksDevice>::const_iterator find_imported(const ANeuralNetworksDevice* handle) const;

  Found found_;
  Runtime runtime_;
  std::list<ANeuralNetworksDevice> handles_;  // of all but the imported devices
  Versions<std::vector<ANeuralNetworksDevice*>> devices_;
  std::atomic<int> live_compilations_{0};
  std::mutex imported_mutex_;
  std::list<ANeuralNetworksDevice> imported_;
  vulkan::InspectedDevices inspected_;
  const Instance* const parents_;                         // see the constructor
  std::unique_ptr<accelerators::PluginLoading> loading_;  // destroyed first: late plugins add their devices to the rest
};

// Returns the kernel choices that calibrations have stored in the user's cache folder.
vulkan::KeptChoices kept_choices();

// Returns the instance, which the first call makes. A child of fork makes its own and does not touch its parent's. Thread-safe.
Instance& instance();

}  // namespace nnvk::api
