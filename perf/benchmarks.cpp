// Registers a benchmark with Google Benchmark.
#include "perf/benchmarks.h"

#include <utility>

namespace nnvk::perf {

void skip_unsupported(benchmark::State& state) { state.SkipWithError("not supported by this device"); }

benchmark::internal::Benchmark* register_benchmark(const std::string& name, const Device& device, MakeModel make, RunModel run) {
  const std::string full_name = name + "/" + device.name;
  const auto function = [device, make = std::move(make), run = std::move(run)](benchmark::State& state) {
    const std::unique_ptr<CompiledModel> model = make(device);
    model->supported() ? run(state, *model) : skip_unsupported(state);
  };
  return benchmark::RegisterBenchmark(full_name.c_str(), function);
}

}  // namespace nnvk::perf
