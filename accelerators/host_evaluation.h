// Executions that no driver can be asked for: NNAPI has no words for an input without elements (its dimension 0 is an unknown
// one). They are so small that the host computes them.
#pragma once

#include <span>
#include <vector>

#include "core/plan/resolve.h"

namespace nnvk::accelerators {

// The plan's outputs, of the sizes that `resolution` says. `inputs`: the bytes of each input of the plan. OP_FAILED where a size
// depends on data and is not 0.
Result<std::vector<std::vector<std::byte>>> evaluate_on_host(const Plan& plan, const Resolution& resolution,
                                                             std::span<const std::span<const std::byte>> inputs,
                                                             const HostEvaluator& evaluator);

}  // namespace nnvk::accelerators
