// Turns a finished model into a plan: operands become tensors, operations become nodes in a runnable order.
#pragma once

#include "core/plan/plan.h"

namespace nnvk {

class Model;

// `model` must be finished (its operation order already checked to be acyclic). Referenced models become subgraphs; the main
// model's relaxed flag applies to them too. Constants in client memory are mapped: UNMAPPABLE when that fails.
Result<std::shared_ptr<const Plan>> build_plan(const Model& model);

}  // namespace nnvk
