// Computes executions that no driver can run. NNAPI cannot express an input without elements (its dimension 0 is an unknown one).
// They are so small that the host computes them.
#pragma once

#include <span>
#include <vector>

#include "core/plan/resolve.h"

namespace nnvk::accelerators {

// The plan's outputs, of the sizes in `resolution`. `inputs`: the bytes of each input of the plan. OP_FAILED if a size depends on
// data and is not 0.
Result<std::vector<std::vector<std::byte>>> evaluate_on_host(const Plan& plan, const Resolution& resolution,
                                                             std::span<const std::span<const std::byte>> inputs,
                                                             const HostEvaluator& evaluator);

}  // namespace nnvk::accelerators
