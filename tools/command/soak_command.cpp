// `nnvk soak`: many threads execute one compilation for a while. It checks for right answers and steady memory.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/loaded_model.h"
#include "tools/command/process_use.h"
#include "tools/command/progress.h"
#include "tools/command/terminal.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kVariants = 4;        // different inputs, so that mixed-up executions show
constexpr double kAllowedGrowth = 0.02;  // of resident memory, between the first fifth of the time and the end
constexpr size_t kAllowedGrowthKilobytes = 2048;

// A set of inputs, and the outputs that a single thread computed from it for comparison.
struct Variant {
  Buffers inputs;
  Buffers outputs;
};

struct Report {
  std::atomic<uint64_t> executions{0};
  std::atomic<uint64_t> wrong{0};
  std::mutex mutex;
  std::string error;  // of the first execution that failed
  UseOverTime use;
};

// Executes once through a handle of its own, like a thread of an application.
Status execute(ANeuralNetworksCompilation* compilation, const Buffers& inputs, Buffers& outputs) {
  for (auto& output : outputs) std::ranges::fill(output, uint8_t{0xA5});
  TOOLS_ASSIGN(const ExecutionHandle execution, bound_execution(compilation, inputs, outputs));
  return check(ANeuralNetworksExecution_compute(execution.get()), "computing");
}

Result<std::vector<Variant>> make_variants(const LoadedModel& loaded) {
  std::vector<Variant> variants(kVariants);
  for (uint32_t v = 0; v < kVariants; ++v) {
    for (size_t i = 0; i < loaded.model.inputs.size(); ++i) {
      variants[v].inputs.push_back(made_up_input(loaded.model.inputs[i].info, v * 16 + static_cast<uint32_t>(i)));
    }
    for (const auto& output : loaded.model.outputs) variants[v].outputs.emplace_back(output.info.bytes());
    TOOLS_TRY(execute(loaded.session.compilation(), variants[v].inputs, variants[v].outputs));
  }
  return variants;
}

void work(ANeuralNetworksCompilation* compilation, const std::vector<Variant>& variants, size_t number, Clock::time_point end,
          Report& report) {
  Buffers outputs = variants[0].outputs;
  for (size_t round = number; Clock::now() < end; ++round) {
    const Variant& variant = variants[round % variants.size()];
    if (const auto status = execute(compilation, variant.inputs, outputs); !status) {
      const std::lock_guard lock(report.mutex);
      if (report.error.empty()) report.error = status.error().message;
      return;
    }
    if (outputs != variant.outputs) ++report.wrong;
    ++report.executions;
  }
}

void soak(const SoakOptions& options, const LoadedModel& loaded, const std::vector<Variant>& variants, Report& report) {
  const auto start = Clock::now();
  const auto end = start + std::chrono::seconds(options.seconds);
  std::vector<std::thread> threads;
  for (int t = 0; t < options.threads; ++t) {
    threads.emplace_back([&, t] { work(loaded.session.compilation(), variants, static_cast<size_t>(t), end, report); });
  }
  std::this_thread::sleep_until(start + (end - start) / 5);
  report.use.early = process_use();
  Progress progress("soaking", static_cast<size_t>(options.seconds));
  while (Clock::now() < end) {
    std::this_thread::sleep_for(std::min<Clock::duration>(std::chrono::seconds(1), end - Clock::now()));
    progress.update(static_cast<size_t>(std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count()),
                    fmt::format("{} executions", report.executions.load()));
  }
  for (auto& thread : threads) thread.join();
  report.use.late = process_use();
}

bool memory_is_steady(const UseOverTime& use) {
  const double share = kAllowedGrowth * static_cast<double>(use.early.resident_kilobytes);
  return use.is_steady(std::max(kAllowedGrowthKilobytes, static_cast<size_t>(share)));
}

}  // namespace

int run_soak(const SoakOptions& options) {
  auto loaded = load_model(options.model, options.device, {}, options.memory);
  if (!loaded) return report_error(loaded.error());
  const auto variants = make_variants(*loaded);
  if (!variants) return report_error(variants.error());
  Report report;
  soak(options, *loaded, *variants, report);
  const bool good = report.error.empty() && report.wrong == 0 && memory_is_steady(report.use) && report.executions > 0;
  if (options.json) {
    nlohmann::json document{
        {"model", options.model},       {"device", loaded->device.name}, {"choice", to_json(loaded->choice)},
        {"threads", options.threads},   {"seconds", options.seconds},    {"executions", report.executions.load()},
        {"wrong", report.wrong.load()}, {"error", report.error},         {"passed", good}};
    report.use.add_to(document);
    print_json(document);
  } else {
    fmt::print("device    {}\nthreads   {} for {} s, one compilation\nexecuted  {} times, {} with wrong results\n",
               loaded->device.name, options.threads, options.seconds, report.executions.load(), report.wrong.load());
    fmt::print("{}", report.use.to_text("after a fifth of the time"));
    if (!report.error.empty()) fmt::print("error     {}\n", report.error);
    fmt::print("{}\n", coloured_verdict(stdout, good ? "passed" : "failed"));
  }
  return good ? kSuccess : kFailure;
}

}  // namespace nnvk::tools
