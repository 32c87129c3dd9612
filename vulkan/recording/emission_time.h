// Predicts the time of a node's dispatches from their work (vulkan/traits/machine_model.h). Pure.
#pragma once

#include <span>

#include "vulkan/recording/node_emission.h"
#include "vulkan/traits/machine_model.h"

namespace nnvk::vulkan {

// Returns the work of a dispatch; `sizes`: the bytes of the tensors that it binds. The fields that depend on the compiled
// pipeline keep their defaults.
DispatchWork work_of(const Dispatch& dispatch, std::span<const uint64_t> sizes, const Machine& machine);
// Returns the work of one dispatch of the emission. The fields that depend on the compiled pipeline keep their defaults.
DispatchWork work_of(const Dispatch& dispatch, const NodeEmission& emission, const ResolvedNode& node);

// Returns whether the dispatches that fill this tensor of the emission run at preparation, not in every execution.
bool is_made_once(const MadeTensor& made, const NodeEmission& emission, const ResolvedNode& node);

// Predicts the seconds of the node's dispatches in one execution, without those that run only at preparation.
double predicted_seconds(const NodeEmission& emission, const ResolvedNode& node);

}  // namespace nnvk::vulkan
