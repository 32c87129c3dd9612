// The smallest part of a random graph that fails in the same way: which operation is to blame, without those before it.
#pragma once

#include <functional>

#include "tools/conformance/random/growing_graph.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// `fails` says of a graph without expectations whether it fails; it does of this one. First all that the first wrong operation
// does not depend on is left out, then outputs that need not be, then what operands are computed from: they become inputs with
// the reference's values.
RandomGraph reduced(const RandomGraph& graph, const DeviceEntry& reference, const std::function<bool(const RandomGraph&)>& fails);

// These outputs, and all that they depend on.
RandomGraph part_of(const RandomGraph& graph, const std::vector<uint32_t>& outputs);

}  // namespace nnvk::tools::conformance
