// Turns a finished model into a plan: operands become tensors, operations become nodes in a runnable order.
#pragma once

#include "core/plan/plan.h"

namespace nnvk {

class Model;

// Returns the plan of `model`, which must be finished: finish() has checked that its operations have no cycles. Referenced models
// become subgraphs, to which the main model's relaxed flag applies too. Maps constants in client memory: UNMAPPABLE if that
// fails. If `filters_may_wait`, filters of CONV_2D that the program holds in another order stay as they are
// (PlanTensor::transposed).
Result<std::shared_ptr<const Plan>> build_plan(const Model& model, bool filters_may_wait = false);

}  // namespace nnvk
