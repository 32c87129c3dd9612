// The CPU device `nnapi-reference`: always there, runs every operation that has a reference kernel, independent of the shaders.
#pragma once

#include <memory>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"

namespace nnvk::cpu {

std::unique_ptr<Device> make_reference_device();

// Runs one node with the reference kernels; used for constant folding and for parameters computed inside a model.
HostEvaluator reference_evaluator();

}  // namespace nnvk::cpu
