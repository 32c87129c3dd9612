// A plan turned back into a model of NNAPI that means exactly the same, for a plugin's driver.
//
// Which rewrites a plan has seen: folded constants are constants of the model; nodes that became views are the operations that
// they were; dead nodes are gone. Fused activations, pads, residual sums and other layouts are never there: those rewrites are
// the devices' own (Device::prepare), and we ask for none.
#pragma once

#include <functional>
#include <string>

#include "accelerators/driver_model.h"
#include "core/plan/plan.h"

namespace nnvk::accelerators {

// Where a long constant is, in memory that the driver knows.
using ConstantPlace = std::function<Result<SharedRange>(const PlanTensor& constant)>;

// Why the node cannot be part of a model for a driver: control flow, something that a rewrite has fused into it, or a constant
// that NNAPI cannot describe. Empty when it can.
std::string reason_not_describable(const Plan& plan, const PlanNode& node);

// NNAPI has no models without inputs: a plan that has none gets one that nothing reads, an INT32.
inline size_t described_inputs(const Plan& plan) { return plan.inputs.empty() ? 1 : plan.inputs.size(); }
inline constexpr uint64_t kUnreadInputBytes = 4;

// OP_FAILED names the first node that cannot be described.
Result<ModelDescription> describe_plan(const Plan& plan, const ConstantPlace& constant_place);

}  // namespace nnvk::accelerators
