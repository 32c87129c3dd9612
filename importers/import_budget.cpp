// Takes memory and operations from the budget, and says what is too large.
#include "importers/import_budget.h"

#include <fmt/format.h>

namespace nnvk::importers {
namespace {

// Returns the command-line option that allows `bytes`.
std::string option_for(uint64_t bytes) { return fmt::format("--memory {}GiB", (bytes >> 30) + 1); }

}  // namespace

std::string size_text(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

Status ImportBudget::take_tensors(const TensorMemory& tensors) {
  if (tensors.bytes > left_) {
    return fail(fmt::format(
        "its tensors need {}, more than the {} that a model may take; the largest is {} with {}. If the file is meant "
        "to be that large, allow more with {}",
        size_text(tensors.bytes), size_text(memory_), tensors.largest, size_text(tensors.largest_bytes),
        option_for(tensors.bytes)));
  }
  left_ -= tensors.bytes;
  return {};
}

Status ImportBudget::take_bytes(uint64_t bytes, const std::string& what) {
  if (bytes > left_) {
    return fail(
        fmt::format("{} needs {}; with it, the model needs more than the {} that it may take. If the file is meant to be "
                    "that large, allow more with {}",
                    what, size_text(bytes), size_text(memory_), option_for(memory_ - left_ + bytes)));
  }
  left_ -= bytes;
  return {};
}

Status ImportBudget::take_operation() {
  if (operations_ == 0) return fail("the operators become too many operations for a file of this size");
  --operations_;
  return {};
}

}  // namespace nnvk::importers
