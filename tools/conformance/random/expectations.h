// What a random graph must compute: the reference device's results, and by how much floating-point results may differ from them.
//
// Every operation of a chain may be off by the format's tolerance, and those behind it carry that on. By how much is asked of the
// reference: it computes the graph again with errors of random signs added to the results of operations.
#pragma once

#include "tools/conformance/random/growing_graph.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// Fills in the outputs of the case, or the result code with which the reference refuses it.
void fill_expectations(RandomGraph& graph, const DeviceEntry& reference);

}  // namespace nnvk::tools::conformance
