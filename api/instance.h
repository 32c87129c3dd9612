// The composition root: finds the devices on first use and destroys them when the library is unloaded.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "accelerators/plugins.h"
#include "api/handles.h"
#include "core/runtime/runtime.h"
#include "vulkan/inspection/inspected_device.h"

namespace nnvk::api {

class Instance {
 public:
  Instance();

  Runtime& runtime() { return runtime_; }
  // Handles of all devices, in NNAPI's order; their addresses stay.
  std::vector<ANeuralNetworksDevice>& devices() { return devices_; }
  // Compilations that clients hold. While there are some, devices outlive even the exit of the process: a client may destroy
  // its objects in its own exit handlers.
  std::atomic<int>& live_compilations() { return live_compilations_; }
  // The device behind a handle, or null when it is neither one of devices() nor imported.
  Device* find(const ANeuralNetworksDevice* handle);

  // A handle of an imported device; it is not one of devices().
  Result<ANeuralNetworksDevice*> import(vulkan::ImportRequest request);
  // What is behind the handle of an imported device. BAD_DATA when it is another device, or none.
  Result<std::shared_ptr<Imported>> imported(const ANeuralNetworksDevice* handle);
  // The imported ones of these devices, as a compilation needs them.
  DeviceUses uses_of(const ANeuralNetworksDevice* const* handles, uint32_t count);
  // Ends the import. BAD_STATE while something uses the device.
  Status release(ANeuralNetworksDevice* handle);
  bool has_imported_devices();

  // What became of every manifest of a plugin.
  const std::vector<accelerators::PluginReport>& plugins() const { return found_.plugins; }

  // Devices whose kernels are looked at; none of them is one of devices().
  vulkan::InspectedDevices& inspected_devices() { return inspected_; }

 private:
  // Everything that is looked for, before the runtime takes it over.
  struct Found {
    CpuDevices cpu;
    std::vector<std::unique_ptr<Device>> devices;  // all but the CPU devices
    std::vector<accelerators::PluginReport> plugins;
  };

  explicit Instance(const Settings& settings);
  static Found find_devices(const Settings& settings);

  Found found_;
  Runtime runtime_;
  std::vector<ANeuralNetworksDevice> devices_;
  std::atomic<int> live_compilations_{0};
  std::mutex imported_mutex_;
  std::list<ANeuralNetworksDevice> imported_;
  vulkan::InspectedDevices inspected_;
};

// Made on first use. Thread-safe.
Instance& instance();

}  // namespace nnvk::api
