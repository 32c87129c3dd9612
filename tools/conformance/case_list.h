// The cases that a run can select, named by dotted names: those of vector files, and those of built-in generators.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/conformance/runner.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// Error::code of an error in the value of an option.
inline constexpr int kWrongOption = -1;

// A case with a name. Its load() makes the case itself when a run needs it.
struct CaseEntry {
  std::string dotted{};                   // nnvk.<family>.<operation>.<type>.<class>.<case> or nnvk.vectors.<spec>.<name>
  std::string plain{};                    // the last part: a vector's own name
  std::vector<std::string> operations{};  // of its graphs
  std::string family{};
  std::string type{};  // as in Record
  // Makes the case; a generated case has no expectations yet (see golden.h).
  std::function<Result<VectorCase>()> load{};
  bool keeps_outputs_open = false;  // golden: output shapes stay as the case declares them
  bool has_expectations = false;    // golden: load() has asked the reference already
  // Explains a failure on a device: describes the model, or its failing part.
  std::function<Result<std::string>(const DeviceEntry&, const RunOptions&)> explain{};
};

// The cases to run. An empty member does not restrict them.
struct Selection {
  std::vector<std::string> patterns{};  // any of them must match
  std::vector<std::string> excluded{};  // none of them may match
  std::string case_list{};              // a file with one dotted or plain name per line; # starts a comment
  std::vector<std::string> operations{};
  std::vector<std::string> families{};
  std::string fraction{};  // "I/N": the I-th (from 1) of N parts of about the same size, by a hash of the name
};

// Returns whether a pattern selects a case. A pattern with * or ? must match the whole dotted name or the whole plain name.
// Without * and ? it selects every name that contains it; choose() takes a whole dotted name for that case alone. An empty
// pattern selects all names.
bool matches(std::string_view pattern, std::string_view dotted, std::string_view plain);

// Returns the number of the part, of `parts` from 0, that a name belongs to: the same on every machine and for every set of
// cases.
uint32_t part_of(std::string_view dotted, uint32_t parts);

// Returns all cases of the vector files at `path` (a folder or one file).
Result<std::vector<CaseEntry>> vector_entries(const std::filesystem::path& path);

// Makes cases of vector files golden: the reference device's results become their expectations. Cases that must fail, and random
// samples, keep the expectations of the files.
void expect_reference_results(std::vector<CaseEntry>& entries);

// Returns those of `entries` that the selection chooses. Errors: a malformed fraction, an unknown operation or family, an
// unreadable case list, a name in the list that does not exist.
Result<std::vector<CaseEntry>> choose(std::vector<CaseEntry> entries, const Selection& selection);

}  // namespace nnvk::tools::conformance
