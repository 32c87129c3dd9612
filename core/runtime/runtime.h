// The state that all models share: devices, extension names and the host evaluator. api/ makes one per loaded library.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/config.h"
#include "core/base/versions.h"
#include "core/model/extension_registry.h"
#include "core/plan/resolve.h"
#include "core/runtime/descriptor_reactor.h"
#include "core/runtime/device.h"
#include "core/runtime/launch_queue.h"

namespace nnvk {

inline constexpr int64_t kRuntimeFeatureLevel = 1000008;
inline constexpr const char* kReferenceDeviceName = "nnapi-reference";

// Returns true if the settings offer the device of this name; they always offer the reference. If their pattern is not a regular
// expression (POSIX, extended), nnvk logs an error and offers every device.
bool offers_device(const Settings& settings, const std::string& name);

// The two devices with a role of their own (docs/nnapi/devices.md#the-cpu-devices). Both run every operation of NNAPI.
struct CpuDevices {
  std::unique_ptr<Device> fallback;   // runs what failed on other devices; null: the reference does that as well
  std::unique_ptr<Device> reference;  // exact; always there, and listed last
};

class Runtime {
 public:
  // `devices` are in NNAPI's order; those of `cpu` follow them. The runtime leaves out a device that describes its extensions
  // wrongly; extensions that two devices describe differently have no operand types. It logs both cases.
  Runtime(std::vector<std::unique_ptr<Device>> devices, CpuDevices cpu, HostEvaluator evaluator, Settings settings = {});

  // Adds devices before all existing ones, in NNAPI's order, and returns those that it has added. Call it before any client knows
  // the indexes of the existing ones. Thread-safe.
  std::vector<Device*> insert_first(std::vector<std::unique_ptr<Device>> devices);
  // Adds a device behind all existing ones, whose indexes clients know. Returns null if the device describes its extensions
  // wrongly. Lists that were returned before stay as they are. Thread-safe.
  Device* append(std::unique_ptr<Device> device);

  const std::vector<Device*>& devices() const { return lists_.current().all; }
  // Returns the devices from which the library chooses if the client does not: all but a reference that is not the fallback. The
  // last one is the fallback.
  const std::vector<Device*>& eligible_devices() const { return lists_.current().eligible; }
  // Returns the device for failed steps, failed models and models without partitioning.
  Device& fallback() const { return *eligible_devices().back(); }
  Device& reference() const { return *reference_; }
  ExtensionRegistry& extensions() { return extensions_; }
  const HostEvaluator& evaluator() const { return evaluator_; }
  const Settings& settings() const { return settings_; }
  LaunchQueue& launches() { return launches_; }
  DescriptorReactor& reactor() { return reactor_; }

 private:
  struct Lists {
    std::vector<Device*> all;
    std::vector<Device*> eligible;  // the fallback last
  };

  Device* add(std::unique_ptr<Device> device, std::vector<Device*>& list);

  std::mutex append_mutex_;  // held while a device is added
  std::vector<std::unique_ptr<Device>> devices_;
  Versions<Lists> lists_;
  Device* reference_ = nullptr;
  ExtensionRegistry extensions_;
  HostEvaluator evaluator_;
  Settings settings_;
  // Destroyed first, because the reactor's thread enqueues launches, whose threads submit executions to devices.
  LaunchQueue launches_;
  DescriptorReactor reactor_;
};

}  // namespace nnvk
