// Runs a plan that no device can run in one go: the host goes from segment to segment, takes the branches of IF, repeats the
// bodies of WHILE and hands on results whose sizes depend on data. Everything else is the device's work.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/plan/resolve.h"
#include "core/plan/rewrites.h"
#include "core/runtime/device.h"

namespace nnvk {

// `plan` (already simplified) made ready on `device`: as a whole where the device can run it in one go, else segment by
// segment, referenced models included. Errors are those of Device::prepare, with the control flow operation's place.
Result<std::unique_ptr<PreparedPlan>> prepare_plan(Device& device, const PlanPointer& plan, const PrepareOptions& options,
                                                   const HostEvaluator& evaluator);

}  // namespace nnvk
