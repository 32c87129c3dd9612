// Adds up the memory of tensors.
#include "tools/tflite/import_budget.h"

#include <fmt/format.h>

#include <set>

namespace nnvk::tools::tflite {
namespace {

// The command-line option that allows `bytes`.
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

Status ImportBudget::take_tensors(const Graph& graph) {
  std::set<int> used(graph.inputs.begin(), graph.inputs.end());
  used.insert(graph.outputs.begin(), graph.outputs.end());
  for (const Operator& op : graph.operators) {
    used.insert(op.inputs.begin(), op.inputs.end());
    used.insert(op.outputs.begin(), op.outputs.end());
  }
  used.erase(-1);    // omitted
  uint64_t sum = 0;  // cannot overflow: a tensor has at most 2^35 bytes and takes several of the file
  uint64_t most = 0;
  int largest = 0;
  for (const int index : used) {
    const Tensor& tensor = graph.tensors[static_cast<size_t>(index)];
    if (tensor.variable) continue;  // operators count the zeros they make for it, or reject it
    const uint64_t bytes = tensor.elements() * element_size(tensor.type);
    sum += bytes;
    if (bytes <= most) continue;
    most = bytes;
    largest = index;
  }
  for (const auto* ports : {&graph.inputs, &graph.outputs}) {
    for (const int index : *ports) sum += graph.tensors[static_cast<size_t>(index)].elements() * sizeof(float);
  }
  if (sum > left_) {
    return fail(
        fmt::format("its tensors need {}, more than the {} that a model may take; the largest is {} {} with {}. If the "
                    "file is meant to be that large, allow more with {}",
                    size_text(sum), size_text(memory_), describe(graph, largest),
                    shape_text(graph.tensors[static_cast<size_t>(largest)]), size_text(most), option_for(sum)));
  }
  left_ -= sum;
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

}  // namespace nnvk::tools::tflite
