// The comparison of two results files, as a page and as text. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/conformance/baseline.h"

namespace nnvk::tools::conformance {

// The data from which reports of a comparison are made.
struct ComparedRuns {
  std::string name_before;  // the file, or the folder of its report
  std::string name_now;
  const std::vector<Provenance>& before;
  const std::vector<Provenance>& now;
  const Comparison& comparison;
  std::vector<Difference> differences;
};

std::string comparison_page(const ComparedRuns& runs);
std::string comparison_text(const ComparedRuns& runs);
nlohmann::ordered_json comparison_json(const ComparedRuns& runs);

}  // namespace nnvk::tools::conformance
