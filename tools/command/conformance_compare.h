// `nnvk conformance --compare A B`: compares two results files.
#pragma once

#include <vector>

#include "tools/command/command.h"
#include "tools/conformance/waivers.h"

namespace nnvk::tools {

// Prints the comparison, and writes its page if the options ask for it. Returns the exit code: 1 for new failures.
Result<int> compare_results(const ConformanceOptions& options, const std::vector<conformance::Waiver>& waivers);

}  // namespace nnvk::tools
