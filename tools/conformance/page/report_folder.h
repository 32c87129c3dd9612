// The folder of a report, and in it a folder for each failure: its evidence as JSON, and its tensors as files of NumPy. README.md
// lists the files. Several processes write evidence at the same time, each for its own case.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/conformance/page/evidence.h"
#include "tools/conformance/results_file.h"

namespace nnvk::tools::conformance {

// These limits keep the report of a device that fails everything so small that people can open it. The page states them.
inline constexpr size_t kMostFailuresOfAGroup = 10;       // with evidence; see group_of()
inline constexpr size_t kMostFailuresWithEvidence = 300;  // of a variant
inline constexpr uint64_t kMostDumpedBytes = 4ull << 20;  // of a case

// Returns the operation and type, or the file of vectors, to which a case belongs: "nnvk.unary.abs.float32".
std::string group_of(const std::string& case_name);

// Makes the folder. With `resume` it keeps the evidence of an earlier run there, else removes it. An error if the folder holds
// anything but an earlier report: nothing is removed then.
Status prepare_report_folder(const std::filesystem::path& folder, bool resume);

// Returns the folder of a failure's evidence, relative to the report's. It is a path and a URL: letters, digits, "-", "_", "."
// and "/".
std::string evidence_folder(const std::string& case_name, const std::string& variant);

// A case that failed.
struct FailedCase {
  const std::string& name;     // dotted
  const std::string& variant;  // as in Subject
  const VectorCase& c;         // with expectations, if the reference could compute them
  const CaseOutputs* outputs;  // of the computation that failed; null if it gave none
  bool may_flush;              // as in compare_values()
};

// Returns whether the limits leave room for the evidence of this case, which replaces that of an earlier attempt.
bool wants_evidence(const std::filesystem::path& folder, const std::string& case_name, const std::string& variant);

// Writes evidence and dumps.
Status keep_evidence(const std::filesystem::path& folder, const FailedCase& failed);

// Reads the evidence of a case; nothing if there is none, or if it cannot be read.
std::optional<Evidence> read_evidence(const std::filesystem::path& folder, const std::string& case_name,
                                      const std::string& variant);

// Removes evidence of cases that neither failed nor are flaky: an earlier run left it.
void remove_stale_evidence(const std::filesystem::path& folder, const std::vector<Record>& records);

}  // namespace nnvk::tools::conformance
