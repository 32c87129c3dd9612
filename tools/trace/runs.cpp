// Splits traces by the application's marks.
#include "tools/trace/runs.h"

#include <algorithm>

namespace nnvk::tools::trace {
namespace {

// Returns the sections whose names begin so, sorted by their beginnings.
std::vector<const Section*> marks(const Trace& trace, std::string_view prefix) {
  std::vector<const Section*> found;
  for (const Section& section : trace.sections) {
    if (section.name.starts_with(prefix)) found.push_back(&section);
  }
  std::ranges::stable_sort(found, {}, &Section::begin);
  return found;
}

}  // namespace

std::vector<Run> runs_of(const Trace& trace) {
  std::vector<const Section*> begins;
  int64_t end = INT64_MIN;  // of the marks so far
  for (const Section* mark : marks(trace, "[NN_LA_PO]")) {
    if (mark->begin >= end) begins.push_back(mark);
    end = std::max(end, mark->end);
  }
  if (begins.size() < 2) return {{begins.empty() ? "" : begins.front()->name, trace}};
  std::vector<Run> runs;
  for (const Section* mark : begins) runs.push_back({mark->name, {}});
  for (Run& run : runs) run.trace.track_names = trace.track_names;
  for (const Section& section : trace.sections) {
    const auto next = std::ranges::upper_bound(begins, section.begin, {}, &Section::begin);
    const auto run = static_cast<size_t>(std::max<std::ptrdiff_t>(next - begins.begin() - 1, 0));
    runs[run].trace.sections.push_back(section);
  }
  runs.front().trace.without_begin = trace.without_begin;
  runs.back().trace.without_end = trace.without_end;
  return runs;
}

std::optional<Trace> benchmark_of(const Trace& trace) {
  const auto benchmarks = marks(trace, "[NN_LA_PBM]");
  if (benchmarks.empty() || marks(trace, "[NN_LA_PWU]").empty()) return std::nullopt;
  Trace result;
  result.track_names = trace.track_names;
  for (const Section& section : trace.sections) {
    const auto holds = [&](const Section* b) { return b->begin <= section.begin && section.begin < b->end; };
    if (std::ranges::any_of(benchmarks, holds)) result.sections.push_back(section);
  }
  return result;
}

}  // namespace nnvk::tools::trace
