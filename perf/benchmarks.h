// Functions that register each group of benchmarks for one device, and the helpers they share.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>

#include "perf/nnapi_model.h"

namespace nnvk::perf {

void register_latency_benchmarks(const Device& device);
void register_layer_benchmarks(const Device& device);
void register_layout_benchmarks(const Device& device);
void register_memory_benchmarks(const Device& device);
void register_operation_benchmarks(const Device& device);
void register_pipeline_benchmarks(const Device& device);

using MakeModel = std::function<std::unique_ptr<CompiledModel>(const Device& device)>;
using RunModel = std::function<void(benchmark::State& state, CompiledModel& model)>;

// Registers "<name>/<device>". It makes its model when it runs, and is skipped if the device does not support the model.
benchmark::internal::Benchmark* register_benchmark(const std::string& name, const Device& device, MakeModel make, RunModel run);

// Skips the benchmark, since the device does not run all of its operations.
void skip_unsupported(benchmark::State& state);

}  // namespace nnvk::perf
