// The sections of each track as a tree of calls, and the moments of the track by their innermost call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/trace/section_meaning.h"

namespace nnvk::tools::trace {

// Nanoseconds on the trace's clock.
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t length() const { return end - begin; }
};

// Returns the union of the intervals, sorted and disjoint.
std::vector<Interval> united(std::vector<Interval> intervals);
// Returns the length of the part of `whole` that `parts` cover; these are sorted and disjoint.
int64_t covered(const Interval& whole, const std::vector<Interval>& parts);

struct Call {
  std::string name;  // the section's
  Interval time;     // ends with the call around it at the latest
  Meaning meaning;   // inside the calls around it
  std::optional<size_t> around;
  size_t depth = 0;  // number of calls around it
};

// A time span in which the innermost call stays the same.
struct Piece {
  Interval time;
  size_t call = 0;  // index in Track::calls
};

struct Track {
  std::string process;
  std::string name;           // within the process
  std::vector<Call> calls;    // by begin; a call stands behind those around it
  std::vector<Piece> pieces;  // by time
};

// Returns the tracks of the sections that have NNAPI's names, sorted by process and name. They refer to `trace`.
std::vector<Track> tracks_of(const Trace& trace);

}  // namespace nnvk::tools::trace
