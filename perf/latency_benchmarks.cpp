// The cost of one call: an ADD of two numbers in every way of executing.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "perf/benchmarks.h"
#include "perf/blocks_builder.h"

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

void compute_add(benchmark::State& state, CompiledModel& model) {
  for (auto _ : state) {
    ANeuralNetworksExecution* execution = model.execution(false);
    require(ANeuralNetworksExecution_compute(execution), "compute");
    ANeuralNetworksExecution_free(execution);
  }
}

void reused_add(benchmark::State& state, CompiledModel& model) {
  ANeuralNetworksExecution* execution = model.execution(true);
  for (auto _ : state) require(ANeuralNetworksExecution_compute(execution), "compute");
  ANeuralNetworksExecution_free(execution);
}

void burst_add(benchmark::State& state, CompiledModel& model) {
  ANeuralNetworksBurst* burst = model.burst();
  ANeuralNetworksExecution* execution = model.execution(true);
  for (auto _ : state) require(ANeuralNetworksExecution_burstCompute(execution, burst), "burstCompute");
  ANeuralNetworksExecution_free(execution);
  ANeuralNetworksBurst_free(burst);
}

void fenced_submit_add(benchmark::State& state, CompiledModel& model) {
  ANeuralNetworksExecution* execution = model.execution(true);
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

// Keeps the device busy from another thread: there is always another long execution waiting.
class BusyDevice {
 public:
  explicit BusyDevice(const Device& device) : model_(one_convolution(device, 56)) {
    if (!model_->supported()) return;
    thread_ = std::thread([this] {
      std::array<ANeuralNetworksExecution*, 3> executions{};
      std::array<ANeuralNetworksEvent*, 3> events{};
      for (auto& execution : executions) execution = model_->execution(true);
      for (size_t i = 0; !stop_; i = (i + 1) % events.size()) {
        finish(events[i]);
        require(ANeuralNetworksExecution_startComputeWithDependencies(executions[i], nullptr, 0, 0, &events[i]),
                "a long execution");
      }
      for (auto& event : events) finish(event);
      for (auto* execution : executions) ANeuralNetworksExecution_free(execution);
    });
  }
  ~BusyDevice() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  BusyDevice(const BusyDevice&) = delete;
  BusyDevice& operator=(const BusyDevice&) = delete;
  bool supported() const { return model_->supported(); }

 private:
  static void finish(ANeuralNetworksEvent*& event) {
    if (event == nullptr) return;
    finish_event(event);
    event = nullptr;
  }

  std::unique_ptr<CompiledModel> model_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Median and worst duration of the call while the device is busy. `depends`: on the previous execution, through its event.
void fenced_submit_while_busy(benchmark::State& state, CompiledModel& model, const Device& device, bool depends) {
  const BusyDevice busy(device);
  if (!busy.supported()) return skip_unsupported(state);
  ANeuralNetworksExecution* executions[] = {model.execution(true), model.execution(true)};
  ANeuralNetworksEvent* before = nullptr;
  std::vector<double> times;
  for (auto _ : state) {
    if (depends) {
      require(ANeuralNetworksExecution_startComputeWithDependencies(executions[0], nullptr, 0, 0, &before), "the first");
    }
    const auto start = std::chrono::steady_clock::now();
    ANeuralNetworksEvent* event = nullptr;
    require(ANeuralNetworksExecution_startComputeWithDependencies(executions[1], &before, depends ? 1 : 0, 0, &event),
            "startComputeWithDependencies");
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(time.count());
    times.push_back(time.count());
    for (ANeuralNetworksEvent* pending : {before, event}) {
      if (pending == nullptr) continue;
      require(ANeuralNetworksEvent_wait(pending), "Event_wait");
      ANeuralNetworksEvent_free(pending);
    }
    before = nullptr;
  }
  for (ANeuralNetworksExecution* execution : executions) ANeuralNetworksExecution_free(execution);
  std::sort(times.begin(), times.end());
  state.counters["median_us"] = times[times.size() / 2] * 1e6;
  state.counters["p99_us"] = times[times.size() * 99 / 100] * 1e6;
}

}  // namespace

void register_latency_benchmarks(const Device& device) {
  const std::pair<const char*, RunModel> idle[] = {{"compute_add_1x1", compute_add},
                                                   {"reused_add_1x1", reused_add},
                                                   {"burst_add_1x1", burst_add},
                                                   {"fenced_submit_add_1x1", fenced_submit_add}};
  for (const auto& [name, run] : idle) {
    register_benchmark(std::string("latency/") + name, device, add_model, run)->UseRealTime()->Unit(benchmark::kMicrosecond);
  }
  const std::pair<const char*, bool> busy[] = {{"fenced_submit_busy", false}, {"dependent_submit_busy", true}};
  for (const auto& [name, depends] : busy) {
    const bool has_dependency = depends;
    register_benchmark(std::string("latency/") + name, device, add_model,
                       [device, has_dependency](benchmark::State& state, CompiledModel& model) {
                         fenced_submit_while_busy(state, model, device, has_dependency);
                       })
        ->UseManualTime()
        ->Iterations(200)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace nnvk::perf
