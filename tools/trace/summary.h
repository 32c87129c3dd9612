// The time of a trace by phase and layer, from the names of its sections (NNAPI's names, as core/base/trace.h explains them).
// Every moment of a track counts once, for the innermost section that counts for itself. These sections do:
// - A section in another layer than the section around it, and one without any around it.
// - A section marked [SUB] or [SW].
// - A part of execution (PIO, PTR, PCO, PR) in execution (PE) or in another part.
// - Any section in one that only groups (PO, PWU, PBM, PU).
// Other sections belong to the section around them, whose time includes theirs. Sections of layer LU (utility) and of phase PU
// (unspecified) take layer and phase from the section around them. All sections of category "gpu" are of layer GPU. A section of
// category "wait" counts only while no other thread or device of its process works (in any layer but the application's).
// Otherwise the time counts for the awaited work, so that the times of a program that computes on one thread add up to its total
// time.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tools/trace/trace_file.h"

namespace nnvk::tools::trace {

enum class Layer { kApplication, kRuntime, kIpc, kDriver, kCpu, kGpu, kOther };
inline constexpr size_t kLayers = 7;

// Rows of the table. kCompute covers execution (PE), transformation (PTR), computation (PCO); kOther: PO, PWU, PBM, PU.
enum class Phase { kInitialization, kPreparation, kCompilation, kInputsAndOutputs, kCompute, kResults, kTermination, kOther };
inline constexpr size_t kPhases = 8;

struct Summary {
  std::array<std::array<double, kLayers>, kPhases> seconds{};
  // The calls that start a computation. If the trace has none of these, the application's sections of phase PE.
  size_t executions = 0;
  size_t without_end = 0;
  size_t without_begin = 0;

  double at(Phase phase, Layer layer) const { return seconds[static_cast<size_t>(phase)][static_cast<size_t>(layer)]; }
};

Summary summarise(const Trace& trace);

// The summary with the parts of execution (inputs and outputs, compute, results) divided by the number of executions. An error if
// there were none.
Result<Summary> per_execution(const Summary& summary);

// A table in milliseconds. The row "other", and layers besides application, runtime, driver and GPU, appear only if they have
// time.
std::string to_text(const Summary& summary, bool is_per_execution);
nlohmann::ordered_json to_json(const Summary& summary, bool is_per_execution);

}  // namespace nnvk::tools::trace
