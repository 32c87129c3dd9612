// Builds the trees of calls from sections that are sorted by their begin.
#include "tools/trace/calls.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nnvk::tools::trace {
namespace {

// Follows the calls of one track in time.
class TrackBuilder {
 public:
  explicit TrackBuilder(Track& track) : track_(track) {}

  void open(Call call) {
    close_until(call.time.begin);
    if (open_.empty()) {
      done_ = call.time.begin;
    } else {
      emit(call.time.begin);
      const Call& around = track_.calls[open_.back()];
      call.time.end = std::min(call.time.end, around.time.end);
      call.meaning = inside(call.meaning, around.meaning);
      call.around = open_.back();
      call.depth = around.depth + 1;
    }
    open_.push_back(track_.calls.size());
    track_.calls.push_back(std::move(call));
  }
  void close_until(int64_t time) {
    while (!open_.empty() && track_.calls[open_.back()].time.end <= time) {
      emit(track_.calls[open_.back()].time.end);
      open_.pop_back();
    }
  }

 private:
  void emit(int64_t until) {
    if (until > done_) track_.pieces.push_back({{done_, until}, open_.back()});
    done_ = std::max(done_, until);
  }

  Track& track_;
  std::vector<size_t> open_;
  int64_t done_ = 0;  // pieces exist until here, while calls are open
};

}  // namespace

std::vector<Interval> united(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin);
  std::vector<Interval> result;
  for (const Interval& interval : intervals) {
    if (!result.empty() && interval.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, interval.end);
    } else {
      result.push_back(interval);
    }
  }
  return result;
}

int64_t covered(const Interval& whole, const std::vector<Interval>& parts) {
  int64_t length = 0;
  auto next = std::ranges::upper_bound(parts, whole.begin, {}, &Interval::end);
  for (; next != parts.end() && next->begin < whole.end; ++next) {
    length += std::min(next->end, whole.end) - std::max(next->begin, whole.begin);
  }
  return length;
}

std::vector<Track> tracks_of(const Trace& trace) {
  std::map<std::pair<std::string, std::string>, std::vector<Call>> sorted;
  for (const Section& section : trace.sections) {
    const auto meaning = meaning_of(section);
    if (!meaning) continue;
    sorted[{section.process, section.track}].push_back({section.name, {section.begin, section.end}, *meaning, {}, 0});
  }
  std::vector<Track> tracks;
  for (auto& [key, calls] : sorted) {
    std::ranges::stable_sort(calls, [](const Call& a, const Call& b) {
      return a.time.begin != b.time.begin ? a.time.begin < b.time.begin : a.time.end > b.time.end;
    });
    Track& track = tracks.emplace_back(Track{key.first, key.second, {}, {}});
    TrackBuilder builder(track);
    for (Call& call : calls) builder.open(std::move(call));
    builder.close_until(INT64_MAX);
  }
  return tracks;
}

}  // namespace nnvk::tools::trace
