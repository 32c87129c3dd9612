// Waivers: known failures that are accepted until a date, with a written reason.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/conformance/results_file.h"

namespace nnvk::tools::conformance {

struct Waiver {
  std::string pattern;  // of dotted case names, as in --case
  std::string device;   // glob; "" for all
  std::string variant;  // "texel", "words" or "" for all
  std::string reason;
  std::string expires;  // YYYY-MM-DD: the last day on which it counts
};

// Reads a JSON array of objects with the members case, reason, expires and optionally device, variant. `today` is YYYY-MM-DD.
// Errors: malformed entries, missing reasons, invalid dates, and expired waivers, which the error names.
Result<std::vector<Waiver>> read_waivers(const std::filesystem::path& path, const std::string& today);

// Returns the waiver that covers a failed record; null when there is none. Crashes cannot be waived.
const Waiver* covering(const std::vector<Waiver>& waivers, const Record& record);

// Returns today's date in UTC as YYYY-MM-DD.
std::string today();

}  // namespace nnvk::tools::conformance
