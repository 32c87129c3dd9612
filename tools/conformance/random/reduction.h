// Reduces a random graph to the smallest part that fails in the same way, without the operations before the responsible one.
#pragma once

#include <functional>

#include "tools/conformance/random/growing_graph.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// Returns a smaller graph that still fails. `fails` returns whether a graph without expectations fails; it must return true for
// `graph`. The function first removes everything that the first wrong operation does not depend on, then unneeded outputs. Last,
// it turns computed operands into inputs with the reference's values.
RandomGraph reduced(const RandomGraph& graph, const DeviceEntry& reference, const std::function<bool(const RandomGraph&)>& fails);

// Returns the part of the graph that consists of these outputs and everything that they depend on.
RandomGraph part_of(const RandomGraph& graph, const std::vector<uint32_t>& outputs);

}  // namespace nnvk::tools::conformance
