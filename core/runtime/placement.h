// What one device says of the operations of a plan, under NNAPI's rules about what devices are asked at all.
#pragma once

#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"

namespace nnvk {

// One answer per node. Operations newer than the device's feature level are not offered to it, nor are extension operations that
// it does not list. IF and WHILE are supported where every operation of their models is. A device that answers for another
// number of operations counts as supporting none.
std::vector<Placement> place_on(const Device& device, const Plan& plan);

}  // namespace nnvk
