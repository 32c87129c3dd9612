// The lines of the log that say how a model was distributed over devices, in the words of Android's runtime: its documentation
// tells users to look for them, and scripts do (docs/nnapi/log_and_trace.md#lines-of-the-partitioner). They belong to the detail
// "compilation"; without it, these functions do nothing.
#pragma once

#include <span>

#include "core/model/model.h"
#include "core/runtime/deployment.h"
#include "core/runtime/segmented_plan.h"

namespace nnvk {

// A compilation whose choice of devices is logged.
struct LoggedChoice {
  const Model& model;
  std::span<Device* const> candidates;  // among which the runtime chooses
  std::span<Device* const> listed;      // the client's list: an index in a line is a position here
};

// Logs, before the choice, the number of devices and operations, and each operation that a device does not run, with the reason.
// `plan` is the one to distribute.
void log_candidates(const LoggedChoice& choice, const Plan& plan, Groundworks& groundworks);
// Logs, after the choice, the device of each operation, and of the model if it has only one. Also logs the values of unknown size
// between steps.
void log_deployment(const LoggedChoice& choice, const Deployment& deployment);
// Logs that a device is going to compile the whole model, or one step of it.
void log_device_compilation(const Device& device, bool is_whole);
// Logs, after the compilation, the model's size, and the device of each step.
void log_steps(const Model& model, std::span<const PlanPart> parts);

}  // namespace nnvk
