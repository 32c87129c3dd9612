// A plugin's device as a device of the runtime: describes itself, and places and prepares models through the plugin's driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accelerators/driver.h"
#include "core/operations/cost_model.h"
#include "core/plan/resolve.h"
#include "core/runtime/device.h"

namespace nnvk::accelerators {

// The parts of nnvk outside this folder that a plugin's devices need.
struct PluginSurroundings {
  HostEvaluator evaluator;
  CostModel cpu;  // of this machine: performance figures of plugins are ratios to it
};

// The origin of a plugin, for descriptions.
struct PluginOrigin {
  std::string name;  // devices are named "<plugin>/<device>"
  std::vector<Property> properties;
};

// Makes one device per device of the driver. Returns the driver's error if the driver cannot list them.
Result<std::vector<std::unique_ptr<Device>>> make_plugin_devices(const std::shared_ptr<Driver>& driver,
                                                                 const PluginOrigin& origin,
                                                                 const PluginSurroundings& surroundings);

}  // namespace nnvk::accelerators
