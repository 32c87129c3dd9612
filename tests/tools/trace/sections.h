// Sections of made-up traces. Times are milliseconds.
#pragma once

#include <utility>
#include <vector>

#include "tools/trace/summary.h"

namespace nnvk::tools::trace {

inline Section section(const char* name, int64_t begin, int64_t end, const char* track = "main", const char* category = "nnapi") {
  constexpr int64_t kMillisecond = 1'000'000;
  return {name, category, "1", track, begin * kMillisecond, end * kMillisecond};
}

inline Trace trace_of(std::vector<Section> sections) {
  Trace trace;
  trace.sections = std::move(sections);
  return trace;
}

inline Summary of(std::vector<Section> sections) { return summarise(trace_of(std::move(sections))); }

}  // namespace nnvk::tools::trace
