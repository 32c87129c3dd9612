// Summaries as tables, with phases as columns and layers as rows like those of Android's systrace parser, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/trace/summary.h"

namespace nnvk::tools::trace {

struct TableOptions {
  std::string run = {};        // the name of the run, above the table; "": none
  bool total_times = false;    // instead of self-times
  bool per_execution = false;  // only execution, divided by the number of executions (the summary is from per_execution())
  bool benchmark = false;      // the executions are those of the benchmark (benchmark_of())
};

// Writes the table. Times are in milliseconds; "-" is no time, "n/a" an application that marked nothing. The rows GPU and Other,
// and the column Other, appear only if they have time. The last row holds the sums of self-times, or the longest total times.
// Below stand the number of executions, and of sections that the trace has in part.
std::string to_text(const Summary& summary, const TableOptions& options);

// Writes both kinds of times, in seconds. "Execution" is the sum of I/O, compute and results.
nlohmann::ordered_json to_json(const Summary& summary, bool is_per_execution);

}  // namespace nnvk::tools::trace
