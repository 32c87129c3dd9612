// A plan made ready on a Vulkan device: finds or builds the recording for the shapes of an execution and runs it.
#pragma once

#include <memory>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

// `plan` is already rewritten and wholly supported. When all shapes are known the recording is built, its weights packed and
// one warm-up run made before this returns, so that no execution pays for compilation. Blocks meanwhile.
Result<std::unique_ptr<PreparedPlan>> prepare_plan(std::shared_ptr<Gpu> gpu, std::shared_ptr<const Plan> plan,
                                                   HostEvaluator evaluator, const PrepareOptions& options);

}  // namespace nnvk::vulkan
