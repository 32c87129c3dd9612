// The composition root: finds the devices on first use and destroys them when the library is unloaded.
#pragma once

#include <atomic>
#include <vector>

#include "api/handles.h"
#include "core/runtime/runtime.h"

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
  // The device behind a handle, or null when it is not one of devices().
  Device* find(const ANeuralNetworksDevice* handle);

 private:
  explicit Instance(const Settings& settings);

  Runtime runtime_;
  std::vector<ANeuralNetworksDevice> devices_;
  std::atomic<int> live_compilations_{0};
};

// Made on first use. Thread-safe.
Instance& instance();

}  // namespace nnvk::api
