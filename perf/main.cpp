// Entry of nnvk_benchmarks: registers every benchmark for every device, then hands over to Google Benchmark.
#include <benchmark/benchmark.h>

#include "perf/benchmarks.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const nnvk::perf::Device& device : nnvk::perf::devices()) {
    nnvk::perf::register_latency_benchmarks(device);
    nnvk::perf::register_layer_benchmarks(device);
    nnvk::perf::register_layout_benchmarks(device);
    nnvk::perf::register_memory_benchmarks(device);
    nnvk::perf::register_operation_benchmarks(device);
    nnvk::perf::register_pipeline_benchmarks(device);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
