// Computes executions on the host that no driver can run: those with an input without elements. NNAPI cannot express such an
// input, because a dimension of 0 means an unknown one. These executions are small.
#pragma once

#include <span>
#include <vector>

#include "core/plan/resolve.h"

namespace nnvk::accelerators {

// Computes the plan's outputs, with the sizes in `resolution`. `inputs`: the bytes of each input of the plan. OP_FAILED if a size
// depends on data and is not 0.
Result<std::vector<std::vector<std::byte>>> evaluate_on_host(const Plan& plan, const Resolution& resolution,
                                                             std::span<const std::span<const std::byte>> inputs,
                                                             const HostEvaluator& evaluator);

}  // namespace nnvk::accelerators
