// Expectations of a random graph: the reference device's results, and the allowed differences of floating-point results. Every
// operation of a chain may differ by the format's tolerance, and later operations propagate the difference. To measure this, the
// reference computes the graph again with errors of random signs added to the results of operations.
#pragma once

#include "tools/conformance/random/growing_graph.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// Fills in the expected outputs of the case, or the result code with which the reference refuses it.
void fill_expectations(RandomGraph& graph, const DeviceEntry& reference);

}  // namespace nnvk::tools::conformance
