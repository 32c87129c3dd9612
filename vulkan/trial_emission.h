// Lets the emitters say before any execution what they have against nodes whose shapes are declared in full. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "vulkan/kernels/device_traits.h"

namespace nnvk::vulkan {

// Per node: why its emitter refuses the declared shapes and values (loops that would keep the device busy for too long, more work
// groups than there may be); empty where it takes them, and where a shape, a value or the presence of an input is still open.
std::vector<std::string> emission_problems(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator);

}  // namespace nnvk::vulkan
