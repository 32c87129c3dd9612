// The runs in a trace: an application, such as a benchmark, marks each with a section of phase PO (overall).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/trace/trace_file.h"

namespace nnvk::tools::trace {

struct Run {
  std::string name;  // of the section that marks it; "" for a trace without such sections
  Trace trace;
};

// Splits the trace where an application's section "[NN_LA_PO]..." begins after the one before it has ended, as Android's systrace
// parser does. A section belongs to the run in which it begins, and to the first run if it begins before that. The result has at
// least one run.
std::vector<Run> runs_of(const Trace& trace);

// Returns the sections that begin while the application benchmarks ("[NN_LA_PBM]"), if the trace has a warm-up ("[NN_LA_PWU]") as
// well; else nothing. Averages leave the warm-up out, as in Android's systrace parser.
std::optional<Trace> benchmark_of(const Trace& trace);

}  // namespace nnvk::tools::trace
