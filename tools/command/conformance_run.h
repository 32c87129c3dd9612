// The parent of the processes that run conformance cases: starts them, hands out cases, watches the time, and keeps the record.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/command/command.h"
#include "tools/conformance/baseline.h"

namespace nnvk::tools {

// The parts of a run that all its variants share.
struct ConformanceJob {
  const ConformanceOptions& options;
  const std::vector<conformance::CaseEntry>& entries;
  const std::vector<conformance::Waiver>& waivers;
  const std::vector<conformance::Section>& baseline;  // empty without --baseline
  conformance::ResultsFile& results;
  const conformance::Provenance& provenance;  // shared_provenance()
};

// How the run of one variant ended.
struct VariantEnd {
  std::vector<conformance::Record> records;  // of all cases that have a result
  conformance::Provenance provenance;
  size_t bad_ends = 0;    // processes that crashed or hung when no case was running
  std::string stopped{};  // why the run ended before its last case; "" if it did not
  bool ran_out_of_time = false;
  int refused = 0;  // an exit code, if the device cannot run the cases at all; the reason is printed
};

// Runs all cases in the variant that `environment` chooses; prints failures as they happen. Takes over the results that the
// results file already has. With `deadline`, the run ends then, and its cases come in an order that reaches all families early.
// StopSignals must exist.
VariantEnd run_variant(const ConformanceJob& job, const std::vector<std::pair<std::string, std::string>>& environment,
                       std::optional<std::chrono::steady_clock::time_point> deadline);

}  // namespace nnvk::tools
