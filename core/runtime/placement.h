// What one device says of the operations of a plan, under NNAPI's rules about what devices are asked at all.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"

namespace nnvk {

// The groundwork of every device that is asked in one compilation.
class Groundworks {
 public:
  // Begun at the first call.
  Groundwork* of(const Device& device);

 private:
  std::map<const Device*, std::unique_ptr<Groundwork>> of_device_;
};

// Why `device` is not asked about the node: the operation is newer than its feature level, or of an extension that it does not
// list. Empty when it is.
std::string reason_not_offered(const DeviceInfo& device, const PlanNode& node);

// One answer per node. Operations newer than the device's feature level are not offered to it, nor are extension operations that
// it does not list. IF and WHILE are supported where every operation of their models is. A device that answers for another
// number of operations counts as supporting none.
std::vector<Placement> place_on(const Device& device, const Plan& plan, Groundwork* groundwork = nullptr);

// The answer for an IF or WHILE. `seconds_of` gives the time of one referenced model, or why nobody runs it.
Placement place_control_flow(const Plan& plan, const PlanNode& node,
                             const std::function<Result<double>(const std::shared_ptr<const Plan>& model)>& seconds_of);

}  // namespace nnvk
