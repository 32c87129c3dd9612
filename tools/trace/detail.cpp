// Prints trees of calls.
#include "tools/trace/detail.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "tools/trace/calls.h"

namespace nnvk::tools::trace {
namespace {

double milliseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-6; }

std::string title(const Track& track, const Trace& trace) {
  const auto name = trace.track_names.find({track.process, track.name});
  return fmt::format("process {}, thread {}{}\n", track.process, track.name,
                     name != trace.track_names.end() ? fmt::format(" ({})", name->second) : "");
}

struct Sum {
  size_t calls = 0;
  int64_t elapsed = 0;
  int64_t self = 0;
};

std::string note_on(const Meaning& meaning) {
  if (meaning.is_wait) return " (waits)";
  if (!meaning.counts) return " (detail)";
  return meaning.is_subtracted ? " (subtracted from the section around it)" : "";
}

}  // namespace

std::string detail_text(const Trace& trace) {
  std::string text;
  for (const Track& track : tracks_of(trace)) {
    std::vector<int64_t> self(track.calls.size());
    for (const Piece& piece : track.pieces) self[piece.call] += piece.time.length();
    std::map<std::string_view, Sum> sums;
    std::string tree;
    for (size_t c = 0; c < track.calls.size(); ++c) {
      const Call& call = track.calls[c];
      Sum& sum = sums[call.meaning.tag];
      sum.calls += 1;
      sum.elapsed += call.time.length();
      sum.self += self[c];
      tree += fmt::format("{:>12.3f}{:>12.3f}  {:{}}{}{}\n", milliseconds(call.time.length()), milliseconds(self[c]), "",
                          2 * call.depth, call.name, note_on(call.meaning));
    }
    text += title(track, trace) + fmt::format("{:>12}{:>12}  layer and phase\n", "elapsed ms", "self ms");
    for (const auto& [tag, sum] : sums) {
      text +=
          fmt::format("{:>12.3f}{:>12.3f}  {}, {} sections\n", milliseconds(sum.elapsed), milliseconds(sum.self), tag, sum.calls);
    }
    text += fmt::format("{:>12}{:>12}  section\n", "elapsed ms", "self ms") + tree + "\n";
  }
  return text;
}

}  // namespace nnvk::tools::trace
