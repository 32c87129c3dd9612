// The cases that a run can select, from vector files and built-in generators, by their dotted names.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/conformance/runner.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// A case with a name. load() makes it when it is needed.
struct CaseEntry {
  std::string dotted{};                   // nnvk.<family>.<operation>.<type>.<class>.<case> or nnvk.vectors.<spec>.<name>
  std::string plain{};                    // the last part: a vector's own name
  std::vector<std::string> operations{};  // of its graphs
  std::string family{};
  // The case; generated ones have no expectations yet (see golden.h).
  std::function<Result<VectorCase>()> load{};
  bool keeps_outputs_open = false;  // golden: output shapes stay as the case declares them
  bool has_expectations = false;    // golden: load() has asked the reference already
  // Details of a failure on a device: the model, or its failing part.
  std::function<Result<std::string>(const DeviceEntry&, const RunOptions&)> explain{};
};

// Which cases to run. Empty members choose all.
struct Selection {
  std::vector<std::string> patterns{};  // any of them must match
  std::vector<std::string> excluded{};  // none of them may match
  std::string case_list{};              // a file with one dotted or plain name per line; # starts a comment
  std::vector<std::string> operations{};
  std::vector<std::string> families{};
  std::string fraction{};  // "I/N": the I-th (from 1) of N parts of about the same size, by a hash of the name
};

// Whether a pattern selects a dotted case name. A pattern with * or ? is a glob over the whole dotted name or the plain name.
// Without them it selects any name that contains it. An empty pattern selects all.
bool matches(std::string_view pattern, std::string_view dotted, std::string_view plain);

// Which of `parts` parts (from 0) a name belongs to: the same on every machine and for every set of cases.
uint32_t part_of(std::string_view dotted, uint32_t parts);

// All cases of the vector files at `path` (a folder or one file).
Result<std::vector<CaseEntry>> vector_entries(const std::filesystem::path& path);

// Makes cases of vector files golden: their expectations are the results of the reference device. Cases that must fail, and
// random samples, keep the expectations of the files.
void expect_reference_results(std::vector<CaseEntry>& entries);

// The `entries` that the selection chooses. Errors: a malformed fraction, an unknown operation or family, an unreadable case
// list, a name of the list that does not exist.
Result<std::vector<CaseEntry>> choose(std::vector<CaseEntry> entries, const Selection& selection);

}  // namespace nnvk::tools::conformance
