// The smallest part of a random graph that fails in the same way: the responsible operation, without those before it.
#pragma once

#include <functional>

#include "tools/conformance/random/growing_graph.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// `fails` returns whether a graph without expectations fails; this graph must. First it removes everything that the first wrong
// operation does not depend on, then outputs that are not needed. Last it turns computed operands into inputs with the
// reference's values.
RandomGraph reduced(const RandomGraph& graph, const DeviceEntry& reference, const std::function<bool(const RandomGraph&)>& fails);

// These outputs, and all that they depend on.
RandomGraph part_of(const RandomGraph& graph, const std::vector<uint32_t>& outputs);

}  // namespace nnvk::tools::conformance
