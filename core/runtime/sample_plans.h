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
// One ADD of one element, and several of them: their times tell what starting an execution takes.
SamplePlan smallest_plan(size_t count);

}  // namespace nnvk
