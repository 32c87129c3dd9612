// The groups of benchmarks; each registers its own for one device.
#pragma once

#include "perf/nnapi_model.h"

namespace nnvk::perf {

void register_latency_benchmarks(const Device& device);
void register_layer_benchmarks(const Device& device);
void register_memory_benchmarks(const Device& device);

}  // namespace nnvk::perf
