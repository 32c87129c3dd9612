// One device's answers about the operations of a plan, under NNAPI's rules about which operations a device is asked about.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"

namespace nnvk {

// The groundwork of every device in one compilation.
class Groundworks {
 public:
  // Begins the device's groundwork at the first call. Null if the device has none.
  Groundwork* of(const Device& device);

 private:
  std::map<const Device*, std::unique_ptr<Groundwork>> of_device_;
};

// Why `device` is not asked about the node: the operation is newer than its feature level, or belongs to an extension that it
// does not list. Empty when it is asked.
std::string reason_not_offered(const DeviceInfo& device, const PlanNode& node);

// One answer per node. A device is not asked about operations newer than its feature level, nor about extension operations that
// it does not list. IF and WHILE are supported if every operation of their models is. A device that returns another number of
// answers counts as supporting none.
std::vector<Placement> place_on(const Device& device, const Plan& plan, Groundwork* groundwork = nullptr);

// The answer for an IF or WHILE. `seconds_of` gives the time of one referenced model, or the reason why no device runs it.
Placement place_control_flow(const Plan& plan, const PlanNode& node,
                             const std::function<Result<double>(const std::shared_ptr<const Plan>& model)>& seconds_of);

}  // namespace nnvk
