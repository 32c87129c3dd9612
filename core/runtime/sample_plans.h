// Small plans for calibrations, with nodes of the sizes that models have. Pure.
#pragma once

#include <vector>

#include "core/plan/rewrites.h"

namespace nnvk {

// Returns plans of equal nodes, in which devices find nothing to fuse. Each node reads the result of the node before it if
// builders chain them; otherwise all read the plan's input.
std::vector<PlanPointer> sample_plans();
// Returns plans with one FULLY_CONNECTED or CONV_2D each: float32, 8-bit, and float32 in models with relaxed computation. Their
// sizes range from few rows to more than a large GPU computes at once.
std::vector<PlanPointer> product_plans();
// Returns a plan of `count` ADDs of this many elements: its times show the cost of starting an execution and of copying tensors.
PlanPointer addition_plan(size_t count, uint32_t elements);

}  // namespace nnvk
