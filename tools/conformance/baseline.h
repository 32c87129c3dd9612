// Compares a run with an earlier one, whose results file is the baseline: what became worse, what became better. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/conformance/waivers.h"

namespace nnvk::tools::conformance {

struct Comparison {
  // Failures that the baseline lacks, and cases that the device skips though they passed in the baseline.
  std::vector<const Record*> new_failures;
  std::vector<const Record*> fixed;      // they failed in the baseline and pass now
  std::vector<const Record*> unchanged;  // they failed in both
};

// An error if the baseline has no record of the subject's device and variant: nothing could be compared. The driver may differ,
// since people compare drivers.
Status check_comparable(const std::vector<Section>& baseline, const Subject& subject);

// Compares each record with the last one of the same case, device and variant in the baseline. Waived failures are no failures.
Comparison compare(const std::vector<Record>& records, const std::vector<Section>& baseline, const std::vector<Waiver>& waivers);

// The driver of the baseline's last records of this device and variant, if it is another than the subject's; else "".
std::string other_driver(const std::vector<Section>& baseline, const Subject& subject);

}  // namespace nnvk::tools::conformance
