// The part of a benchmark that a child process does: one model on one engine. Its memory, its crashes and its hangs are its own.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "tools/benchmark/energy.h"
#include "tools/benchmark/manifest.h"
#include "tools/benchmark/measurement.h"
#include "tools/command/benchmark_engine.h"
#include "tools/reports/profile.h"

namespace nnvk::tools {

struct MeasureTask {
  const benchmark::ModelEntry& entry;
  const EngineChoice& engine;
  uint64_t memory = 0;  // limit for the import
  int threads = 1;      // of frameworks
  int runs = 1;         // timed executions
  int warm_up = 0;      // executions before them
  double seconds = 0;   // that the timed executions may take; there are three at least
  int at_once = 1;
  std::optional<Ceilings> ceilings{};
  const benchmark::EnergyCounters& energy;
  std::filesystem::path outputs{};  // a file to write: all outputs for the first sample as floats
  bool only_outputs = false;        // measures nothing
};

// Makes one measurement. Errors become the measurement's problem.
benchmark::Measurement measure(const MeasureTask& task);

}  // namespace nnvk::tools
