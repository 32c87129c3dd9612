// The operations that the CPU devices run (everything but control flow), their kernels, and their predicted times. Pure.
#pragma once

#include <vector>

#include "core/operations/cost_model.h"
#include "core/plan/plan.h"
#include "core/runtime/device.h"

namespace nnvk::cpu {

// Returns one entry per node. `use_optimized`: the device has fast kernels besides the reference kernels.
std::vector<Placement> place_nodes(const Plan& plan, const CostModel& costs, bool use_optimized);

// Returns the version of the kernels, which changes with the sources of this folder. The build computes it.
const char* kernels_version();

}  // namespace nnvk::cpu
