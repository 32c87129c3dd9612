// The reports of `nnvk conformance`: on the standard output, as files, as a page; and the exit code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/command/command.h"
#include "tools/conformance/baseline.h"
#include "tools/conformance/reports.h"

namespace nnvk::tools {

// The results of all variants.
struct ConformanceResults {
  std::vector<conformance::Record> records;
  std::vector<conformance::Provenance> provenances;  // one per variant
  size_t expected = 0;                               // records of a complete run
  size_t bad_ends = 0;                               // as in VariantEnd
  size_t unwritten = 0;                              // lines that the results file lacks
  std::string stopped{};                             // why the run ended early
};

// Writes the reports that the options ask for, prints the summary, and returns the exit code.
Result<int> report(const ConformanceOptions& options, const ConformanceResults& results,
                   const std::vector<conformance::Waiver>& waivers, const std::vector<conformance::Section>& baseline);

}  // namespace nnvk::tools
