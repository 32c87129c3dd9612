// `nnvk soak`: one compilation executed from many threads for a while; right answers and steady memory are what it checks.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "tools/command/command.h"
#include "tools/command/loaded_model.h"
#include "tools/command/model_input.h"
#include "tools/command/process_use.h"
#include "tools/command/progress.h"

namespace nnvk::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Buffers = std::vector<std::vector<uint8_t>>;

constexpr uint32_t kVariants = 4;        // different inputs, so that mixed-up executions show
constexpr double kAllowedGrowth = 0.02;  // of resident memory, between the first fifth of the time and the end
constexpr size_t kAllowedGrowthKilobytes = 2048;

// One set of inputs and the outputs that a single thread got for it.
struct Variant {
  Buffers inputs;
  Buffers outputs;
};

struct Report {
  std::atomic<uint64_t> executions{0};
  std::atomic<uint64_t> wrong{0};
  std::mutex mutex;
  std::string error;  // of the first execution that failed
  size_t early_kilobytes = 0;
  size_t late_kilobytes = 0;
  size_t early_files = 0;
  size_t late_files = 0;
};

// One execution with its own handle, as an application's thread would do it.
Status execute(ANeuralNetworksCompilation* compilation, const Buffers& inputs, Buffers& outputs) {
  ANeuralNetworksExecution* raw = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation, &raw), "creating an execution"));
  const ExecutionHandle execution(raw);
  for (size_t i = 0; i < inputs.size(); ++i) {
    TOOLS_TRY(check(ANeuralNetworksExecution_setInput(raw, static_cast<int32_t>(i), nullptr, inputs[i].data(), inputs[i].size()),
                    fmt::format("setting input {}", i)));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::ranges::fill(outputs[i], uint8_t{0xA5});
    TOOLS_TRY(
        check(ANeuralNetworksExecution_setOutput(raw, static_cast<int32_t>(i), nullptr, outputs[i].data(), outputs[i].size()),
              fmt::format("setting output {}", i)));
  }
  return check(ANeuralNetworksExecution_compute(raw), "computing");
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
  report.early_kilobytes = resident_kilobytes();
  report.early_files = open_files();
  Progress progress("soaking", static_cast<size_t>(options.seconds));
  while (Clock::now() < end) {
    std::this_thread::sleep_for(std::min<Clock::duration>(std::chrono::seconds(1), end - Clock::now()));
    progress.update(static_cast<size_t>(std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count()),
                    fmt::format("{} executions", report.executions.load()));
  }
  for (auto& thread : threads) thread.join();
  report.late_kilobytes = resident_kilobytes();
  report.late_files = open_files();
}

bool memory_is_steady(const Report& report) {
  const auto allowed =
      std::max(kAllowedGrowthKilobytes, static_cast<size_t>(kAllowedGrowth * static_cast<double>(report.early_kilobytes)));
  return report.late_kilobytes <= report.early_kilobytes + allowed && report.late_files <= report.early_files;
}

}  // namespace

int run_soak(const SoakOptions& options) {
  auto loaded = load_model(options.model, options.device);
  if (!loaded) return report_error(loaded.error());
  const auto variants = make_variants(*loaded);
  if (!variants) return report_error(variants.error());
  Report report;
  soak(options, *loaded, *variants, report);
  const bool good = report.error.empty() && report.wrong == 0 && memory_is_steady(report) && report.executions > 0;
  if (options.json) {
    const nlohmann::json document{{"device", loaded->device.name},
                                  {"threads", options.threads},
                                  {"seconds", options.seconds},
                                  {"executions", report.executions.load()},
                                  {"wrong", report.wrong.load()},
                                  {"error", report.error},
                                  {"resident_kilobytes_early", report.early_kilobytes},
                                  {"resident_kilobytes_late", report.late_kilobytes},
                                  {"open_files_early", report.early_files},
                                  {"open_files_late", report.late_files},
                                  {"passed", good}};
    fmt::print("{}\n", document.dump(2));
  } else {
    fmt::print("device    {}\nthreads   {} for {} s, one compilation\nexecuted  {} times, {} with wrong results\n",
               loaded->device.name, options.threads, options.seconds, report.executions.load(), report.wrong.load());
    fmt::print("memory    {} KiB resident after a fifth of the time, {} KiB at the end; open files {} and {}\n",
               report.early_kilobytes, report.late_kilobytes, report.early_files, report.late_files);
    if (!report.error.empty()) fmt::print("error     {}\n", report.error);
    fmt::print("{}\n", good ? "passed" : "failed");
  }
  return good ? kSuccess : kFailure;
}

}  // namespace nnvk::tools
