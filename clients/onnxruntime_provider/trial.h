// A trial: the runtime's own CPU provider and then nnvk compute the same subgraph, and their times are compared.
#pragma once

#include "clients/device_choice.h"
#include "clients/onnxruntime_provider/names.h"
#include "clients/onnxruntime_provider/options.h"
#include "clients/predicted_time.h"

namespace nnvk::clients::onnxruntime {

// Measures a subgraph whose inputs have known shapes, with inputs of zeros. Splits a subgraph with many weights into segments and
// adds their times up. Per segment, takes as long as both need to start, and at most eleven runs or about half a second of each;
// the fastest run counts. The two never exist at the same time, because that would need the memory of both. Fails if either
// cannot compute a segment. Waits while another thread makes a trial.
Result<ComparedTimes> try_both(const Graph& graph, const Options& options, const DeviceChoice& devices);

}  // namespace nnvk::clients::onnxruntime
