// Measures: compilation, first execution, timed ones, several at once, accuracy, shares of the ceilings.
#include "tools/command/benchmark_worker.h"

#include <fmt/format.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>

#include "tools/command/benchmark_samples.h"
#include "tools/command/model_file.h"
#include "tools/command/process_use.h"
#include "tools/nnapi/elapsed_time.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using benchmark::Measurement;
using Clock = std::chrono::steady_clock;

constexpr size_t kFewestRuns = 3;

Result<double> timed_run(Lane& lane) {
  const auto start = Clock::now();
  TOOLS_TRY(lane.run());
  return seconds_since(start);
}

// Runs up to task.runs times, within task.seconds but for the first three.
Result<std::vector<double>> timed_runs(Lane& lane, const MeasureTask& task) {
  std::vector<double> seconds;
  const auto start = Clock::now();
  while (seconds.size() < static_cast<size_t>(task.runs) &&
         (seconds.size() < kFewestRuns || seconds_since(start) < task.seconds)) {
    TOOLS_ASSIGN(const double one, timed_run(lane));
    seconds.push_back(one);
  }
  return seconds;
}

// Warms up, for a quarter of the time at most.
Status warm_up(Lane& lane, const MeasureTask& task) {
  const auto start = Clock::now();
  for (int i = 1; i < task.warm_up && seconds_since(start) < task.seconds / 4; ++i) TOOLS_TRY(lane.run());
  return {};
}

// Runs several lanes at once. The threads begin together and stop when each has run as often as the time for one lane allows.
Result<benchmark::AtOnce> run_at_once(Engine& engine, const Buffers& inputs, const MeasureTask& task, double expected) {
  const auto count = static_cast<size_t>(task.at_once);
  std::vector<std::unique_ptr<Lane>> lanes;
  for (size_t i = 0; i < count; ++i) {
    TOOLS_ASSIGN(auto lane, engine.lane());
    TOOLS_TRY(lane->set_inputs(inputs));
    TOOLS_TRY(lane->run());
    lanes.push_back(std::move(lane));
  }
  // Long enough for three executions of each, if they wait for each other, and for the start of the threads to matter little.
  constexpr double kLeastSeconds = 0.25;
  const double wanted = std::min(task.seconds, std::max(kLeastSeconds, task.runs * expected));
  const double limit = std::max(wanted, 3 * expected * static_cast<double>(count));
  std::vector<Result<std::vector<double>>> results(count);
  std::barrier begin(static_cast<ptrdiff_t>(count) + 1);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      begin.arrive_and_wait();
      std::vector<double> seconds;
      for (const auto start = Clock::now(); seconds.empty() || seconds_since(start) < limit;) {
        const auto one = timed_run(*lanes[i]);
        if (!one) {
          results[i] = tl::unexpected(one.error());
          return;
        }
        seconds.push_back(*one);
      }
      results[i] = std::move(seconds);
    });
  }
  const auto start = Clock::now();
  begin.arrive_and_wait();
  for (auto& thread : threads) thread.join();
  const double taken = seconds_since(start);
  std::vector<double> all;
  for (const auto& result : results) {
    if (!result) return tl::unexpected(result.error());
    all.insert(all.end(), result->begin(), result->end());
  }
  return benchmark::AtOnce{
      .executions = count, .per_second = static_cast<double>(all.size()) / taken, .median = benchmark::percentile(all, 50)};
}

Status write_outputs(const std::filesystem::path& file, const Reals& outputs) {
  if (file.empty()) return {};
  std::vector<uint8_t> bytes;
  for (const auto& output : outputs) {
    const auto* const from = reinterpret_cast<const uint8_t*>(output.data());
    bytes.insert(bytes.end(), from, from + output.size() * sizeof(float));
  }
  return write_file(file, bytes);
}

// Runs every sample; the outputs of the first go to the file.
Status score(const MeasureTask& task, const importers::ImportedModel& model, const std::vector<LoadedSample>& samples, Lane& lane,
             Measurement& m) {
  Scores scores(task.entry, model);
  for (size_t i = 0; i < samples.size(); ++i) {
    TOOLS_TRY(lane.set_inputs(samples[i].inputs));
    TOOLS_TRY(lane.run());
    TOOLS_ASSIGN(const Reals outputs, lane.outputs());
    if (i == 0) TOOLS_TRY(write_outputs(task.outputs, outputs));
    TOOLS_TRY(scores.add(samples[i], outputs));
    if (task.only_outputs) return {};
  }
  m.accuracy = scores.means();
  return {};
}

Status measure_into(const MeasureTask& task, Measurement& m) {
  TOOLS_ASSIGN(const auto model, import_model_file(task.entry.file, {.memory = task.memory}));
  TOOLS_ASSIGN(const auto samples, load_samples(task.entry, model));
  reset_peak_memory();
  auto start = Clock::now();
  TOOLS_ASSIGN(const auto engine, make_engine(task.engine, model, {.file = task.entry.file, .threads = task.threads}));
  m.compile_seconds = seconds_since(start);
  TOOLS_ASSIGN(const auto lane, engine->lane());
  const Buffers& inputs = samples.front().inputs;
  if (task.only_outputs) return score(task, model, samples, *lane, m);

  TOOLS_TRY(lane->set_inputs(inputs));
  TOOLS_ASSIGN(m.first_seconds, timed_run(*lane));
  TOOLS_TRY(warm_up(*lane, task));
  const auto before = task.energy.read();
  TOOLS_ASSIGN(const auto seconds, timed_runs(*lane, task));
  const double joules = task.energy.joules(before, task.energy.read());
  if (joules >= 0) m.joules = joules / static_cast<double>(seconds.size());
  m.latency = benchmark::latency_of(seconds);
  m.peak_bytes = uint64_t{1024} * peak_kilobytes();

  if (const Status scored = score(task, model, samples, *lane, m); !scored) {
    m.warning = "the accuracy is unknown: " + scored.error().message;
  }
  if (task.at_once > 1) {
    TOOLS_ASSIGN(m.at_once, run_at_once(*engine, inputs, task, m.latency.median));
  }
  if (!task.ceilings) return {};
  TOOLS_ASSIGN(const auto nodes, engine->profile(inputs));
  m.largest_share = largest_share(nodes, task.ceilings);
  if (m.warning.empty()) m.warning = implausible_shares(nodes, task.ceilings);
  return {};
}

}  // namespace

Measurement measure(const MeasureTask& task) {
  Measurement m{.model = task.entry.name, .engine = task.engine.name};
  if (const Status status = measure_into(task, m); !status) m.problem = status.error().message;
  return m;
}

}  // namespace nnvk::tools
