// What one call costs: an ADD of two numbers in every way of executing.
#include <benchmark/benchmark.h>

#include <memory>

#include "perf/benchmarks.h"

namespace nnvk::perf {
namespace {

std::unique_ptr<CompiledModel> add_model(const Device& device) {
  ModelBuilder builder;
  const uint32_t a = builder.input(kFloat32, {1, 1});
  const uint32_t b = builder.input(kFloat32, {1, 1});
  const uint32_t activation = builder.scalar(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t sum = builder.output(kFloat32, {1, 1});
  builder.operation(ANEURALNETWORKS_ADD, {a, b, activation}, sum);
  return std::make_unique<CompiledModel>(builder, device);
}

void compute_add(benchmark::State& state, const Device& device) {
  const auto model = add_model(device);
  if (!model->supported()) return state.SkipWithError("not supported by this device");
  for (auto _ : state) {
    ANeuralNetworksExecution* execution = model->execution(false);
    require(ANeuralNetworksExecution_compute(execution), "compute");
    ANeuralNetworksExecution_free(execution);
  }
}

void reused_add(benchmark::State& state, const Device& device) {
  const auto model = add_model(device);
  if (!model->supported()) return state.SkipWithError("not supported by this device");
  ANeuralNetworksExecution* execution = model->execution(true);
  for (auto _ : state) require(ANeuralNetworksExecution_compute(execution), "compute");
  ANeuralNetworksExecution_free(execution);
}

void burst_add(benchmark::State& state, const Device& device) {
  const auto model = add_model(device);
  if (!model->supported()) return state.SkipWithError("not supported by this device");
  ANeuralNetworksBurst* burst = model->burst();
  ANeuralNetworksExecution* execution = model->execution(true);
  for (auto _ : state) require(ANeuralNetworksExecution_burstCompute(execution, burst), "burstCompute");
  ANeuralNetworksExecution_free(execution);
  ANeuralNetworksBurst_free(burst);
}

void fenced_submit_add(benchmark::State& state, const Device& device) {
  const auto model = add_model(device);
  if (!model->supported()) return state.SkipWithError("not supported by this device");
  ANeuralNetworksExecution* execution = model->execution(true);
  for (auto _ : state) {
    ANeuralNetworksEvent* event = nullptr;
    require(ANeuralNetworksExecution_startComputeWithDependencies(execution, nullptr, 0, 0, &event),
            "startComputeWithDependencies");
    state.PauseTiming();
    require(ANeuralNetworksEvent_wait(event), "Event_wait");
    ANeuralNetworksEvent_free(event);
    state.ResumeTiming();
  }
  ANeuralNetworksExecution_free(execution);
}

using Benchmark = void (*)(benchmark::State& state, const Device& device);

}  // namespace

void register_latency_benchmarks(const Device& device) {
  const std::pair<const char*, Benchmark> all[] = {{"compute_add_1x1", compute_add},
                                                   {"reused_add_1x1", reused_add},
                                                   {"burst_add_1x1", burst_add},
                                                   {"fenced_submit_add_1x1", fenced_submit_add}};
  for (const auto& [name, run] : all) {
    const Benchmark function = run;
    const std::string full_name = std::string("latency/") + name + "/" + device.name;
    benchmark::RegisterBenchmark(full_name.c_str(), [function, device](benchmark::State& state) { function(state, device); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace nnvk::perf
