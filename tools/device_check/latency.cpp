#include "tools/device_check/latency.h"

#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "tools/benchmark/statistics.h"
#include "tools/nnapi/elapsed_time.h"
#include "tools/nnapi/session.h"

namespace nnvk::tools::device_check {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kChain = 20;  // executions

Result<ModelBuilder> addition() {
  TOOLS_ASSIGN(ModelBuilder builder, ModelBuilder::create());
  const OperandInfo number{.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {1, 1}};
  TOOLS_ASSIGN(const uint32_t a, builder.add_operand(number));
  TOOLS_ASSIGN(const uint32_t b, builder.add_operand(number));
  TOOLS_ASSIGN(const uint32_t activation, builder.add_int32(ANEURALNETWORKS_FUSED_NONE));
  TOOLS_ASSIGN(const uint32_t sum, builder.add_operand(number));
  TOOLS_TRY(builder.add_operation(ANEURALNETWORKS_ADD, std::vector{a, b, activation}, std::vector{sum}, "an addition"));
  TOOLS_TRY(builder.finish(std::vector{a, b}, std::vector{sum}));
  return builder;
}

// Executions of the addition that can run again and again, each with an output of its own.
class Additions {
 public:
  static Result<Additions> make(const DeviceEntry& device) {
    TOOLS_ASSIGN(ModelBuilder model, addition());
    TOOLS_ASSIGN(auto compilation, compile_for(model, {&device, 1}, {}, {}));
    Additions additions(std::move(model), std::move(compilation));
    for (size_t i = 0; i < kChain; ++i) {
      Buffers& output = additions.outputs_.emplace_back(1, std::vector<uint8_t>(sizeof(float)));
      TOOLS_ASSIGN(auto execution, bound_execution(additions.compilation_.get(), additions.inputs_, output));
      TOOLS_TRY(check(ANeuralNetworksExecution_setReusable(execution.get(), true), "ANeuralNetworksExecution_setReusable"));
      additions.executions_.push_back(std::move(execution));
    }
    return additions;
  }

  Status compute() { return check(ANeuralNetworksExecution_compute(executions_[0].get()), "ANeuralNetworksExecution_compute"); }
  Status compute_in(ANeuralNetworksBurst* burst) {
    return check(ANeuralNetworksExecution_burstCompute(executions_[0].get(), burst), "ANeuralNetworksExecution_burstCompute");
  }
  Result<EventHandle> start(size_t index, const ANeuralNetworksEvent* after) {
    ANeuralNetworksEvent* event = nullptr;
    TOOLS_TRY(check(
        ANeuralNetworksExecution_startComputeWithDependencies(executions_[index].get(), &after, after != nullptr, 0, &event),
        "ANeuralNetworksExecution_startComputeWithDependencies"));
    return EventHandle(event);
  }
  Result<BurstHandle> burst() {
    ANeuralNetworksBurst* made = nullptr;
    TOOLS_TRY(check(ANeuralNetworksBurst_create(compilation_.get(), &made), "ANeuralNetworksBurst_create"));
    return BurstHandle(made);
  }

 private:
  Additions(ModelBuilder model, CompilationHandle compilation) : model_(std::move(model)), compilation_(std::move(compilation)) {
    outputs_.reserve(kChain);  // executions point into it
  }

  ModelBuilder model_;
  CompilationHandle compilation_;
  Buffers inputs_{std::vector<uint8_t>(sizeof(float)), std::vector<uint8_t>(sizeof(float))};
  std::vector<Buffers> outputs_;
  std::vector<ExecutionHandle> executions_;
};

// Repeats `once`, which returns a time or several, until `seconds` are over. The first time does not count.
Result<std::vector<double>> repeat(double seconds, const std::function<Status(std::vector<double>&)>& once) {
  std::vector<double> times;
  TOOLS_TRY(once(times));
  times.clear();
  constexpr size_t kMostTimes = 1'000'000;
  for (const auto start = Clock::now(); times.empty() || (seconds_since(start) < seconds && times.size() < kMostTimes);) {
    TOOLS_TRY(once(times));
  }
  return times;
}

Status wait_for(const EventHandle& event) { return check(ANeuralNetworksEvent_wait(event.get()), "ANeuralNetworksEvent_wait"); }

}  // namespace

Json spread_of(const std::vector<double>& seconds) {
  const auto at = [&](double percent) { return 1e6 * benchmark::percentile(seconds, percent); };
  return {{"samples", seconds.size()}, {"median_us", at(50)}, {"p99_us", at(99)}, {"largest_us", at(100)}};
}

Result<Json> measure_latency(const DeviceEntry& device, double seconds) {
  TOOLS_ASSIGN(Additions additions, Additions::make(device));
  TOOLS_ASSIGN(const BurstHandle burst, additions.burst());
  std::vector<double> submissions;  // of the chains
  const std::vector<std::pair<const char*, std::function<Status(std::vector<double>&)>>> ways = {
      {"compute()",
       [&](std::vector<double>& times) -> Status {
         const auto start = Clock::now();
         TOOLS_TRY(additions.compute());
         times.push_back(seconds_since(start));
         return {};
       }},
      {"burstCompute()",
       [&](std::vector<double>& times) -> Status {
         const auto start = Clock::now();
         TOOLS_TRY(additions.compute_in(burst.get()));
         times.push_back(seconds_since(start));
         return {};
       }},
      {"fenced, from submission to result",
       [&](std::vector<double>& times) -> Status {
         const auto start = Clock::now();
         TOOLS_ASSIGN(const auto event, additions.start(0, nullptr));
         TOOLS_TRY(wait_for(event));
         times.push_back(seconds_since(start));
         return {};
       }},
      {"chain of 20 fenced, each",
       [&](std::vector<double>& times) -> Status {
         std::vector<EventHandle> events;
         const auto start = Clock::now();
         for (size_t i = 0; i < kChain; ++i) {
           const auto submitted = Clock::now();
           TOOLS_ASSIGN(auto event, additions.start(i, events.empty() ? nullptr : events.back().get()));
           submissions.push_back(seconds_since(submitted));
           events.push_back(std::move(event));
         }
         TOOLS_TRY(wait_for(events.back()));
         times.push_back(seconds_since(start) / kChain);
         return {};
       }},
  };
  Json figures{{"latencies", Json::array()}};
  const auto add = [&](const char* name, const std::vector<double>& times) {
    Json row{{"name", name}};
    row.update(spread_of(times));
    figures["latencies"].push_back(std::move(row));
  };
  for (const auto& [name, once] : ways) {
    TOOLS_ASSIGN(const auto times, repeat(seconds / static_cast<double>(ways.size()), once));
    add(name, times);
  }
  add("chain of 20 fenced, submission of each", submissions);
  return figures;
}

}  // namespace nnvk::tools::device_check
