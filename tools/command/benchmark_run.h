// The parent of the processes of a benchmark: it lists the devices, plans, starts a process per measurement, and compares outputs
// with the reference's. It never uses the library itself.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/benchmark/energy.h"
#include "tools/benchmark/manifest.h"
#include "tools/benchmark/measurement.h"
#include "tools/benchmark/time_plan.h"
#include "tools/command/benchmark_engine.h"
#include "tools/command/command.h"
#include "tools/reports/profile.h"

namespace nnvk::tools {

// An engine with the facts about it that are known before any measurement.
struct BenchmarkEngine {
  EngineChoice choice{};
  std::string description{};  // "GPU, version llvmpipe Mesa 22.3.6"
  std::optional<Ceilings> ceilings{};
};

struct BenchmarkPlan {
  std::vector<benchmark::ModelEntry> models{};
  std::vector<BenchmarkEngine> engines{};
  std::vector<benchmark::Planned> measurements{};
  std::vector<std::string> notes{};
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();  // the time limit counts from here
};

// Finds models, devices and frameworks, in child processes. Measures ceilings unless the time limit is short.
Result<BenchmarkPlan> plan_benchmark(const BenchmarkOptions& options);

struct BenchmarkResult {
  std::vector<benchmark::Measurement> measurements{};  // those of a model stand together, in the order of the engines
  std::vector<std::string> notes{};
  std::string no_energy{};
  bool is_complete = true;  // nothing was left out
};

// Makes all measurements within the time limit. SIGINT and SIGTERM end it; the result then has all measurements so far.
Result<BenchmarkResult> run_benchmark_plan(const BenchmarkOptions& options, const BenchmarkPlan& plan);

}  // namespace nnvk::tools
