// Small plans with nodes of sizes as models have them: what a calibration measures. Pure.
#pragma once

#include <memory>
#include <vector>

#include "core/plan/plan.h"

namespace nnvk {

// `count` equal nodes; each reads the result of the one before where that has the shape of its input, else the plan's input.
struct SamplePlan {
  std::shared_ptr<const Plan> plan;  // no fusion finds anything in it
  size_t count = 0;
};

std::vector<SamplePlan> sample_plans();
// Single products, from few rows to more than a large GPU has lanes for: float32, 8-bit, and float32 of relaxed models.
std::vector<SamplePlan> product_plans();
// `count` ADDs of so many elements: their times tell what starting an execution and copying tensors take.
SamplePlan addition_plan(size_t count, uint32_t elements);

}  // namespace nnvk
