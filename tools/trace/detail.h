// The sections behind a summary, thread by thread (`nnvk trace --print-detail`).
#pragma once

#include <string>

#include "tools/trace/trace_file.h"

namespace nnvk::tools::trace {

// Writes, for each thread and device, the times per layer and phase, then every section below the one that called it. Both
// columns, the elapsed time and the self-time, are in milliseconds. Waiting is not shared out among other layers here, as it is
// in a summary.
std::string detail_text(const Trace& trace);

}  // namespace nnvk::tools::trace
