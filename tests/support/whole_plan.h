// Prepares plans on one device.
#pragma once

#include "core/runtime/segmented_plan.h"

namespace nnvk::test {

// The launch queue of all tests of a program.
inline LaunchQueue& launches() {
  static LaunchQueue queue;
  return queue;
}

// Prepares the plan in one piece if the device can, else segment by segment. Errors are those of Device::prepare.
inline Result<std::unique_ptr<PreparedPlan>> prepare_whole(Device& device, const PlanPointer& plan,
                                                           const HostEvaluator& evaluator, const PrepareOptions& options = {}) {
  Device* const devices[] = {&device};
  Deployment whole;
  whole.plan = plan;
  whole.partitions.resize(1);
  whole.is_whole = true;
  NNVK_ASSIGN(
      PreparedDeployment ready,
      prepare_deployment(whole, {.devices = devices, .options = options, .evaluator = evaluator, .launches = launches()}));
  return std::move(ready.runner);
}

}  // namespace nnvk::test
