// The stages of `nnvk gpu-check`, and how they share its time. Pure: the caller reads the clock.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace nnvk::tools::device_check {

struct Stage {
  std::string_view name;   // as in report.json
  std::string_view title;  // on the page
  double share;            // of the time, relative to the shares of the other stages
  double least_seconds;    // with less time, it is left out
};

// Returns all stages. The most telling ones come first, so that a check that is stopped early has told the most.
std::span<const Stage> stages();

// Returns how many seconds stage number `stage` may take: its share of the time that is left for it and the stages behind it.
// All later stages gain the time that an earlier one leaves. `elapsed` and `total` count from the start of the check.
double seconds_for(size_t stage, double elapsed, double total);

// The forms of kernels (as in NNVK_VULKAN_KERNELS) that the conformance cases run with, beside those that nnvk chooses.
std::span<const std::string_view> conformance_forms();
// The forms that compute products; the first one computes them on every device.
std::span<const std::string_view> product_forms();

}  // namespace nnvk::tools::device_check
