#include "clients/onnxruntime_provider/trial.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "clients/compiled_model.h"
#include "clients/onnxruntime_provider/freed_memory.h"
#include "clients/onnxruntime_provider/fused_node.h"
#include "clients/onnxruntime_provider/runtime_session.h"
#include "clients/onnxruntime_provider/subgraphs.h"
#include "importers/edges.h"

namespace nnvk::clients::onnxruntime {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kFewestRuns = 4;  // the first allocates
constexpr int kMostRuns = 11;
constexpr Seconds kLongEnough{0.4};  // runs end then, if there were enough of them
constexpr Seconds kTooLong{1.5};     // runs end then in any case

template <class Run>
Result<double> shortest(const Run& run) {
  Seconds best = Seconds::max();
  const auto begin = Clock::now();
  for (int runs = 1;; ++runs) {
    const auto start = Clock::now();
    TOOLS_TRY(run());
    best = std::min(best, Seconds(Clock::now() - start));
    const Seconds all = Clock::now() - begin;
    if (all > kTooLong || runs == kMostRuns || (runs >= kFewestRuns && all > kLongEnough)) return best.count();
  }
}

// Returns the most bytes of constants of a segment. A trial computes one segment after the other, so that it needs the memory of
// one: about a quarter of the graph's. Each cut costs conversions that the whole graph does not have, so small graphs have few.
size_t most_segment_bytes(const Graph& graph) {
  size_t bytes = 0;
  for (const Value& value : graph.values) {
    if (value.constant) bytes += value.data.size();
  }
  return std::clamp(bytes / 4, size_t{2} << 20, size_t{32} << 20);
}

Result<double> time_of_runtime(const Graph& graph) {
  const char* const threads = std::getenv("NNVK_CPU_THREADS");
  TOOLS_ASSIGN(const auto session, RuntimeSession::make(graph, threads == nullptr ? 0 : std::max(0, std::atoi(threads))));
  give_memory_back();  // that making the session needed; runs need other sizes
  return shortest([&] { return session->run(); });
}

Result<double> time_of_nnvk(const Graph& graph, const Options& options, const DeviceChoice& devices) {
  TOOLS_ASSIGN(const auto model, compile_graph(graph, options, devices));
  give_memory_back();
  std::vector<std::vector<std::byte>> bytes;  // of inputs, then of outputs
  std::vector<InputBytes> inputs;
  std::vector<void*> outputs;
  for (const importers::Port& port : model->inputs()) {
    const auto& zeros = bytes.emplace_back(framework_bytes(port));
    inputs.push_back({zeros.data(), zeros.size()});
  }
  for (const importers::Port& port : model->outputs()) outputs.push_back(bytes.emplace_back(framework_bytes(port)).data());
  return shortest([&] { return model->compute(inputs, outputs); });
}

}  // namespace

Result<ComparedTimes> try_both(const Graph& graph, const Options& options, const DeviceChoice& devices) {
  static std::mutex one_at_a_time;  // trials at the same time would slow each other down
  const std::lock_guard lock(one_at_a_time);
  ComparedTimes times{.on_device = 0, .staying = 0, .is_measured = true, .obstacle = {}};
  for (const NodeGroup& nodes : segments_of(graph, most_segment_bytes(graph))) {
    const Graph segment = cut_out(graph, nodes);
    give_memory_back();  // of the session that is being made, at first
    TOOLS_ASSIGN(const double staying, time_of_runtime(segment));
    give_memory_back();
    TOOLS_ASSIGN(const double on_device, time_of_nnvk(segment, options, devices));
    times.staying += staying;
    times.on_device += on_device;
  }
  give_memory_back();
  return times;
}

}  // namespace nnvk::clients::onnxruntime
