// Parts that the pages share: facts, tiles, and failures with their evidence.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/conformance/page/evidence.h"
#include "tools/conformance/reports.h"

namespace nnvk::tools::conformance {

// Looks the evidence of a case up; nothing if there is none.
using EvidenceSource = std::function<std::optional<Evidence>(const Record&)>;

// A page shows at most so many failures one by one.
inline constexpr size_t kMostShownFailures = 2000;

// Writes a figure with its name. `kind`: "good", "bad" or "".
std::string tile(const std::string& figure, const std::string& name, const std::string& kind);

// Writes a table of the facts of a run. A fact that differs between variants has the values of all of them.
std::string facts_table(const std::vector<Provenance>& provenances);
// Writes a table of the device's properties, folded.
std::string properties_table(const Provenance& provenance);

struct FailureList {
  std::string id;     // of the section, for links
  std::string title;  // "Failures"
  std::string kind;   // of the marks: "bad", "waived", "flaky"
  std::vector<const Record*> records;
};

// Writes a section with failures, grouped by operation and type. Returns "" without any.
std::string failure_section(const FailureList& list, const ReportedRun& run, const EvidenceSource& evidence);

// Explains the colours of the pictures.
std::string legend();

}  // namespace nnvk::tools::conformance
