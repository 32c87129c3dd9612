// Reads traces in Chrome's JSON format, which NNVK_TRACE, Chrome, Perfetto and converters of other tracers write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools::trace {

// An activity from `begin` to `end` on a track: a thread, a device, or an asynchronous operation.
struct Section {
  std::string name;
  std::string category;
  std::string process;  // as the file names it
  std::string track;    // within the process
  int64_t begin = 0;    // nanoseconds on the trace's clock
  int64_t end = 0;
};

struct Trace {
  std::vector<Section> sections;  // of one track and one moment: the outer one first
  size_t without_end = 0;         // had begun when the trace stopped, and are taken to end there
  size_t without_begin = 0;       // ends of sections that had begun before the trace did; ignored
  std::map<std::pair<std::string, std::string>, std::string> track_names;  // of processes' tracks, where the file has names
};

// Parses an array of events, whose closing bracket may be missing (the writer died), or an object with "traceEvents". Reads
// events of phases B, E, X, b and e, and the names of threads, and skips all other events. Errors contain the file name `source`,
// the fault and its place.
Result<Trace> parse_trace(std::string_view text, const std::string& source);

Result<Trace> read_trace(const std::filesystem::path& path);

// Adds the sections of another trace, which must have been taken at the same time with the same clock.
void add_trace(Trace& trace, Trace other);

}  // namespace nnvk::tools::trace
