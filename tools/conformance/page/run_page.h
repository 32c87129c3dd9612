// The page of a run: verdict, provenance, results by family, type and variant, and failures with their evidence. Pure.
#pragma once

#include <string>

#include "tools/conformance/baseline.h"
#include "tools/conformance/page/sections.h"

namespace nnvk::tools::conformance {

struct RunPage {
  ReportedRun run;
  size_t expected = 0;    // records of a complete run
  std::string stopped{};  // why the run ended early
  const Comparison* baseline = nullptr;
  EvidenceSource evidence{};
};

// Writes an HTML document.
std::string run_page(const RunPage& page);

}  // namespace nnvk::tools::conformance
