// Lets the emitters say before any execution what they have against nodes whose shapes are declared in full. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "vulkan/kernels/device_traits.h"
#include "vulkan/recording/node_emission.h"

namespace nnvk::vulkan {

// Per node: why its emitter refuses the declared shapes for lack of what the device has (RESOURCE_EXHAUSTED_PERSISTENT: loops
// that would keep it busy for too long, more work groups than there may be); empty where it takes them, where a shape, a value or
// the presence of an input is still open, and where it has something against the values: that belongs to the execution.
// The emissions are in `kept` then.
std::vector<std::string> emission_problems(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator,
                                           KeptEmissions& kept);

}  // namespace nnvk::vulkan
