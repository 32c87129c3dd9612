// How long the dispatches of a node take, predicted from what they do (vulkan/kernels/machine_model.h). Pure.
#pragma once

#include "vulkan/kernels/machine_model.h"
#include "vulkan/recording/node_emission.h"

namespace nnvk::vulkan {

// What the dispatch, one of the emission, does. Nothing is known of its pipeline here.
DispatchWork work_of(const Dispatch& dispatch, const NodeEmission& emission, const ResolvedNode& node);

// Whether what fills the tensor, one of the emission, runs at preparation, not in every execution.
bool is_made_once(const MadeTensor& made, const NodeEmission& emission, const ResolvedNode& node);

// Of one execution.
double predicted_seconds(const NodeEmission& emission, const ResolvedNode& node);

}  // namespace nnvk::vulkan
