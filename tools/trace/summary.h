// The time of a trace by phase and layer. section_meaning.h tells which sections count, in which layer and phase.
//
// Self-times: each moment of a track counts once, for the innermost section that counts for itself. This is what Android's
// systrace parser calculates as the total time of a layer minus that of the layer inside it. A section of category "wait" counts
// only while no other thread or device of its process works (in any layer but the application's). Otherwise the time counts for
// the awaited work, so that the times of a program that computes on one thread add up to its total time.
//
// Total times: each moment of a track counts for every layer and phase that has a section open, with three exceptions of that
// parser:
// - A section that is subtracted (Meaning::is_subtracted) does not count for the section around it.
// - The application may call the runtime for another phase than its own section names. Unless that is execution, the moment
// counts
//   for the runtime's phase in the application, too.
// - The runtime's execution lasts from the begin of ANeuralNetworksExecution_startCompute to the end of the next
//   ANeuralNetworksEvent_wait on the same thread, whatever the thread does in between.
#pragma once

#include <array>

#include "tools/trace/calls.h"

namespace nnvk::tools::trace {

// The parts of execution.
inline constexpr std::array<Phase, 3> kExecutionPhases{Phase::kInputsAndOutputs, Phase::kCompute, Phase::kResults};

// Times in seconds.
struct Times {
  std::array<std::array<double, kLayers>, kPhases> seconds{};
  std::array<double, kLayers> execution{};  // all of kExecutionPhases
  std::array<double, kLayers> whole{};      // all phases

  double& at(Phase phase, Layer layer) { return seconds[static_cast<size_t>(phase)][static_cast<size_t>(layer)]; }
  double at(Phase phase, Layer layer) const { return seconds[static_cast<size_t>(phase)][static_cast<size_t>(layer)]; }
};

struct Summary {
  Times self;
  Times total;
  // The calls that start a computation. If the trace has none of these, the application's sections of phase PE.
  size_t executions = 0;
  size_t without_end = 0;
  size_t without_begin = 0;
};

Summary summarise(const Trace& trace);

// Returns the summary with the parts of execution (inputs and outputs, compute, results) divided by the number of executions. An
// error if there were none.
Result<Summary> per_execution(const Summary& summary);

}  // namespace nnvk::tools::trace
