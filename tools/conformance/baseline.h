// Compares two sets of results: what became worse, what became better. `--baseline` compares a run with an earlier one of the
// same device; `--compare` compares any two results files, such as those of two drivers. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/conformance/waivers.h"

namespace nnvk::tools::conformance {

// A case in both sets: the record of now and the record before.
struct Pair {
  const Record* before = nullptr;
  const Record* now = nullptr;
};

// How long the cases of a family and variant took that passed in both sets.
struct FamilyTimes {
  std::string family;
  std::string variant;
  size_t cases = 0;
  double before = 0;  // seconds
  double now = 0;
};

struct Comparison {
  // Cases that fail now and did not fail before, and cases that the device skips now though they passed before.
  std::vector<const Record*> new_failures;
  std::vector<const Record*> fixed;      // they failed before and pass now
  std::vector<const Record*> unchanged;  // they failed in both
  std::vector<Pair> slower;              // cases that passed in both and take clearly longer now, the worst first
  std::vector<FamilyTimes> families;     // by family, then variant
  size_t in_both = 0;
  size_t only_before = 0;  // cases
  size_t only_now = 0;
};

// A case counts as slower if it takes twice as long as before and at least this many seconds longer. A single computation says
// no more, because a case's time includes its compilation.
inline constexpr double kSlowerFactor = 2;
inline constexpr double kSlowerSeconds = 0.05;

// Returns an error if the baseline has no record of the subject's device and variant: nothing could be compared. The driver may
// differ, since people compare drivers.
Status check_comparable(const std::vector<Section>& baseline, const Subject& subject);

// Returns the last record of each case in each variant. `device` chooses those of one device; "" takes all.
std::vector<Record> last_records(const std::vector<Section>& sections, const std::string& device);

// Compares records of the same case and variant, whatever their device. Waived failures are no failures.
Comparison compare(const std::vector<Record>& now, const std::vector<Record>& before, const std::vector<Waiver>& waivers);

// Returns the driver of the baseline's last records of this device and variant, if it is another driver than the subject's; else
// "".
std::string other_driver(const std::vector<Section>& baseline, const Subject& subject);

// Returns the last provenance of each variant.
std::vector<Provenance> last_provenances(const std::vector<Section>& sections);

// A fact in which two runs differ; an empty text if one of them lacks it.
struct Difference {
  std::string variant;  // or several, with commas
  Property before;
  Property now;
};

// Returns the facts in which the runs of each variant differ, but for times and command lines.
std::vector<Difference> differences(const std::vector<Provenance>& before, const std::vector<Provenance>& now);

}  // namespace nnvk::tools::conformance
