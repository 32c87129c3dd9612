// The time of a trace by phase and layer, from the names of its sections (NNAPI's names, as core/base/trace.h explains them).
//
// Every moment of a track counts once, for the innermost section that counts for itself:
// - a section in another layer than the section around it, and one without any around it;
// - a section marked [SUB] or [SW];
// - a part of execution (PIO, PTR, PCO, PR) in execution (PE) or in another part;
// - any section in one that only groups (PO, PWU, PBM, PU).
// Other sections belong to the section around them, as their time is not subtracted from it. Sections of layer LU (utility) and
// of phase PU (unspecified) take layer and phase of what is around them. Sections of category "gpu" are of the layer GPU,
// whatever their names say.
//
// A section of category "wait" counts only while no other thread or device of its process works (in any layer but the
// application's): what the waiting is for has the time then. So the times of a program that computes on one thread add up to what
// it took.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tools/trace/trace_file.h"

namespace nnvk::tools::trace {

enum class Layer { kApplication, kRuntime, kIpc, kDriver, kCpu, kGpu, kOther };
inline constexpr size_t kLayers = 7;

// Rows of the table. Execution (PE), transformation (PTR) and computation (PCO) are kCompute; PO, PWU, PBM and PU are kOther.
enum class Phase { kInitialization, kPreparation, kCompilation, kInputsAndOutputs, kCompute, kResults, kTermination, kOther };
inline constexpr size_t kPhases = 8;

struct Summary {
  std::array<std::array<double, kLayers>, kPhases> seconds{};
  // Calls that start a computation; the application's sections of phase PE where the trace has none of these calls.
  size_t executions = 0;
  size_t without_end = 0;
  size_t without_begin = 0;

  double at(Phase phase, Layer layer) const { return seconds[static_cast<size_t>(phase)][static_cast<size_t>(layer)]; }
};

Summary summarise(const Trace& trace);

// The same with the parts of execution (inputs and outputs, compute, results) divided by the number of executions. An error when
// there was none.
Result<Summary> per_execution(const Summary& summary);

// A table in milliseconds. Layers other than application, runtime, driver and GPU, and the row "other", appear where they have
// time.
std::string to_text(const Summary& summary, bool is_per_execution);
nlohmann::ordered_json to_json(const Summary& summary, bool is_per_execution);

}  // namespace nnvk::tools::trace
