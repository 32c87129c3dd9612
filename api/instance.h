// The composition root: makes the CPU devices on first use, opens the other devices when somebody needs them, and destroys all of
// them when the library is unloaded.
#pragma once

#include <algorithm>
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

  // Returns the runtime, which may list the CPU devices only. Loading Vulkan drivers takes time and memory that a program for the
  // CPU does not have to spend.
  Runtime& runtime() { return runtime_; }
  // Opens all devices, unless that has happened, and returns the runtime. Thread-safe.
  Runtime& complete_runtime();
  // Returns the handles of all devices, in NNAPI's order; devices of plugins that start late come last. Opens the devices.
  // Handles and lists never change; a later call may return a longer list.
  const std::vector<ANeuralNetworksDevice*>& devices();
  // Returns the device of this name, or null. Opens the other devices only if no CPU device has the name.
  ANeuralNetworksDevice* find(const std::string& name);
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
  std::vector<accelerators::PluginReport> plugins();

  // Returns the reason why this process must not use Vulkan (its parent has used it), or empty.
  const std::string& no_vulkan();

  // Returns the devices for inspecting kernels; devices() lists none of them.
  vulkan::InspectedDevices& inspected_devices() { return inspected_; }

 private:
  // The results of the search for devices, before the runtime owns them.
  struct Found {
    std::vector<std::unique_ptr<Device>> devices;               // all but the CPU devices
    std::map<std::string, Result<MeasuredCosts>> calibrations;  // by name, of devices that were opened with their choices
  };

  Instance(const Settings& settings, const Instance* parents);
  Instance(const Settings& settings, std::unique_ptr<Device> fast, const Instance* parents);
  void open_devices();
  Found find_devices();
  // Makes handles for the devices.
  std::vector<ANeuralNetworksDevice*> handles_for(std::span<Device* const> devices);
  void add_late(accelerators::DeviceList devices);
  // Returns true for devices that clients can know, imported ones not counted.
  bool lists(const ANeuralNetworksDevice* handle) const { return std::ranges::count(devices_.current(), handle) != 0; }
  bool is_of_parent(const ANeuralNetworksDevice* handle) const;
  // Returns the end of the list for other handles. Callers hold imported_mutex_, unless this is the instance of a parent.
  std::list<ANeuralNetworksDevice>::const_iterator find_imported(const ANeuralNetworksDevice* handle) const;

  const Instance* const parents_;  // see the constructor
  const CostModel cpu_costs_;      // before calibrations; performance figures of plugins are ratios to it
  Runtime runtime_;
  std::once_flag opened_;
  std::string no_vulkan_;
  std::list<ANeuralNetworksDevice> handles_;  // of all but the imported devices
  Versions<std::vector<ANeuralNetworksDevice*>> devices_;
  std::atomic<int> live_compilations_{0};
  std::mutex imported_mutex_;
  std::list<ANeuralNetworksDevice> imported_;
  vulkan::InspectedDevices inspected_;
  std::unique_ptr<accelerators::PluginLoading> loading_;  // null: none. Destroyed first: late plugins add their devices
};

// Returns the kernel choices that calibrations have stored in the user's cache folder.
vulkan::KeptChoices kept_choices();

// Returns the instance, which the first call makes. A child of fork makes its own and does not touch its parent's. Thread-safe.
Instance& instance();

}  // namespace nnvk::api
