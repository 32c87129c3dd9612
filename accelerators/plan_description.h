// Turns a plan back into an NNAPI model of the same meaning, for a plugin's driver. The plan may contain these rewrites: folded
// constants, which become constants of the model, and nodes that became views, which become their original operations. Dead nodes
// are gone. Fused activations, pads, residual sums and other layouts never occur: a device requests those itself
// (Device::prepare), and a plugin's device does not.
#pragma once

#include <functional>
#include <string>

#include "accelerators/driver_model.h"
#include "core/plan/plan.h"

namespace nnvk::accelerators {

// Returns the place of a long constant in memory that is shared with the driver.
using ConstantPlace = std::function<Result<SharedRange>(const PlanTensor& constant)>;

// Returns the reason why a model for a driver cannot contain the node: control flow, a fused rewrite, or a constant that NNAPI
// cannot describe. The text is empty if the model can contain the node.
std::string reason_not_describable(const Plan& plan, const PlanNode& node);

// Returns how many inputs the described model has. NNAPI has no models without inputs, so a plan without inputs gets an unused
// INT32 input.
inline size_t described_inputs(const Plan& plan) { return plan.inputs.empty() ? 1 : plan.inputs.size(); }
inline constexpr uint64_t kUnreadInputBytes = 4;

// Describes the plan. OP_FAILED names the first node that cannot be described.
Result<ModelDescription> describe_plan(const Plan& plan, const ConstantPlace& constant_place);

}  // namespace nnvk::accelerators
