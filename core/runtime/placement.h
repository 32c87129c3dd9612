// One device's answers about the operations of a plan. NNAPI's rules decide about which operations a device is asked.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"

namespace nnvk {

class Groundworks {
 public:
  // Returns the device's groundwork, which the first call begins. Returns null if the device has none.
  Groundwork* of(const Device& device);

 private:
  std::map<const Device*, std::unique_ptr<Groundwork>> of_device_;
};

// Returns the reason why nnvk does not ask `device` about the node: the operation is newer than the device's feature level, or
// belongs to an extension that the device does not list. The text is empty if nnvk asks.
std::string reason_not_offered(const DeviceInfo& device, const PlanNode& node);

// Returns one answer per node. IF and WHILE are supported if every operation of their models is. nnvk does not ask the device
// about nodes for which reason_not_offered() gives a reason. A device that returns another number of answers counts as supporting
// none.
std::vector<Placement> place_on(const Device& device, const Plan& plan, Groundwork* groundwork = nullptr);

// Returns the answer for an IF or WHILE. `seconds_of` returns the time of one referenced model, or why no device runs it.
Placement place_control_flow(const Plan& plan, const PlanNode& node,
                             const std::function<Result<double>(const std::shared_ptr<const Plan>& model)>& seconds_of);

}  // namespace nnvk
