// Adds up self-times and total times.
#include "tools/trace/summary.h"

#include <algorithm>
#include <map>
#include <optional>

namespace nnvk::tools::trace {
namespace {

constexpr std::string_view kAsynchronousCall = "ANeuralNetworksExecution_startCompute";
constexpr std::string_view kAsynchronousWait = "ANeuralNetworksEvent_wait";
constexpr std::string_view kExecutionCalls[] = {
    "ANeuralNetworksExecution_compute",
    "ANeuralNetworksExecution_burstCompute",
    kAsynchronousCall,
    "ANeuralNetworksExecution_startComputeWithDependencies",
};

double in_seconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

bool is_execution(Phase phase) { return std::ranges::count(kExecutionPhases, phase) > 0; }

// Returns the times when a track works, for which other tracks may wait.
std::vector<Interval> working_time(const Track& track) {
  std::vector<Interval> intervals;
  for (const Piece& piece : track.pieces) {
    const Meaning& meaning = track.calls[piece.call].meaning;
    if (!meaning.is_wait && meaning.layer != Layer::kApplication) intervals.push_back(piece.time);
  }
  return united(std::move(intervals));
}

// Returns the part of `wait` in which no other track of the process works.
int64_t idle_time(const Interval& wait, const std::vector<Track>& tracks, const std::vector<std::vector<Interval>>& working,
                  size_t own_track) {
  std::vector<Interval> others;
  for (size_t t = 0; t < tracks.size(); ++t) {
    if (t == own_track || tracks[t].process != tracks[own_track].process) continue;
    auto next = std::ranges::upper_bound(working[t], wait.begin, {}, &Interval::end);
    for (; next != working[t].end() && next->begin < wait.end; ++next) others.push_back(*next);
  }
  return wait.length() - covered(wait, united(std::move(others)));
}

void add_self_times(const std::vector<Track>& tracks, Times& times) {
  std::vector<std::vector<Interval>> working;
  for (const Track& track : tracks) working.push_back(working_time(track));
  for (size_t t = 0; t < tracks.size(); ++t) {
    for (const Piece& piece : tracks[t].pieces) {
      const Meaning& meaning = tracks[t].calls[piece.call].meaning;
      const int64_t time = meaning.is_wait ? idle_time(piece.time, tracks, working, t) : piece.time.length();
      times.at(meaning.phase, meaning.layer) += in_seconds(time);
    }
  }
  for (size_t layer = 0; layer < kLayers; ++layer) {
    for (size_t phase = 0; phase < kPhases; ++phase) {
      times.whole[layer] += times.seconds[phase][layer];
      if (is_execution(static_cast<Phase>(phase))) times.execution[layer] += times.seconds[phase][layer];
    }
  }
}

// The layers and phases for which a moment counts.
class Credits {
 public:
  // Finds the layers and phases for a moment in which `innermost` is the innermost call.
  Credits(const Track& track, size_t innermost) {
    std::optional<Phase> called;  // the runtime's phase inside the section of the application
    bool is_subtracted = false;   // the section inside is
    for (std::optional<size_t> c = innermost; c; c = track.calls[*c].around) {
      const Meaning& meaning = track.calls[*c].meaning;
      if (!meaning.counts) continue;
      const bool follows =
          meaning.layer == Layer::kApplication && meaning.role != Role::kGroup && called && !is_execution(*called);
      if (!is_subtracted) add(follows ? *called : meaning.phase, meaning.layer);
      is_subtracted = meaning.is_subtracted;
      if (meaning.layer == Layer::kRuntime || meaning.layer == Layer::kIpc) called = meaning.phase;
    }
  }

  bool has(Phase phase, Layer layer) const { return has_[static_cast<size_t>(phase)][static_cast<size_t>(layer)]; }
  bool has_execution(Layer layer) const {
    return std::ranges::any_of(kExecutionPhases, [&](Phase phase) { return has(phase, layer); });
  }
  bool has_any(Layer layer) const {
    return std::ranges::any_of(has_, [&](const auto& phase) { return phase[static_cast<size_t>(layer)]; });
  }

 private:
  void add(Phase phase, Layer layer) { has_[static_cast<size_t>(phase)][static_cast<size_t>(layer)] = true; }
  std::array<std::array<bool, kLayers>, kPhases> has_{};
};

// Returns the times between an asynchronous start and the wait for it.
std::vector<Interval> asynchronous_time(const Track& track) {
  std::vector<Interval> gaps;
  std::vector<int64_t> started;  // ends of calls that nobody has waited for
  for (const Call& call : track.calls) {
    if (call.meaning.layer != Layer::kRuntime) continue;
    if (call.meaning.detail == kAsynchronousCall) started.push_back(call.time.end);
    if (call.meaning.detail != kAsynchronousWait || started.empty()) continue;
    gaps.push_back({started.front(), call.time.begin});
    started.erase(started.begin());
  }
  return united(std::move(gaps));
}

void add_total_times(const Track& track, Times& times) {
  std::vector<Interval> in_execution;  // of the runtime
  std::vector<Interval> in_runtime;
  for (const Piece& piece : track.pieces) {
    const Credits credits(track, piece.call);
    const double time = in_seconds(piece.time.length());
    for (size_t l = 0; l < kLayers; ++l) {
      const auto layer = static_cast<Layer>(l);
      for (size_t p = 0; p < kPhases; ++p) {
        if (credits.has(static_cast<Phase>(p), layer)) times.seconds[p][l] += time;
      }
      if (credits.has_execution(layer)) times.execution[l] += time;
      if (credits.has_any(layer)) times.whole[l] += time;
    }
    if (credits.has_execution(Layer::kRuntime)) in_execution.push_back(piece.time);
    if (credits.has_any(Layer::kRuntime)) in_runtime.push_back(piece.time);
  }
  for (const Interval& gap : asynchronous_time(track)) {
    times.execution[static_cast<size_t>(Layer::kRuntime)] += in_seconds(gap.length() - covered(gap, in_execution));
    times.whole[static_cast<size_t>(Layer::kRuntime)] += in_seconds(gap.length() - covered(gap, in_runtime));
  }
}

// Computes the time of compute: as in Android's parser, it is the rest of execution.
void derive_compute(Times& times) {
  for (size_t l = 0; l < kLayers; ++l) {
    const auto layer = static_cast<Layer>(l);
    const double others = times.at(Phase::kInputsAndOutputs, layer) + times.at(Phase::kResults, layer);
    times.at(Phase::kCompute, layer) = std::max(0.0, times.execution[l] - others);
  }
}

size_t count_executions(const Trace& trace) {
  size_t calls = 0;
  size_t of_application = 0;
  for (const Section& section : trace.sections) {
    const auto meaning = meaning_of(section);
    if (!meaning || meaning->role != Role::kExecution) continue;
    if (meaning->layer == Layer::kApplication) ++of_application;
    if (meaning->layer == Layer::kRuntime && std::ranges::count(kExecutionCalls, meaning->detail) > 0) ++calls;
  }
  return calls != 0 ? calls : of_application;
}

void divide(Times& times, double divisor) {
  for (const Phase phase : kExecutionPhases) {
    for (double& seconds : times.seconds[static_cast<size_t>(phase)]) seconds /= divisor;
  }
  for (size_t layer = 0; layer < kLayers; ++layer) {
    const double one = times.execution[layer] / divisor;
    times.whole[layer] += one - times.execution[layer];
    times.execution[layer] = one;
  }
}

}  // namespace

Summary summarise(const Trace& trace) {
  Summary summary;
  summary.executions = count_executions(trace);
  summary.without_end = trace.without_end;
  summary.without_begin = trace.without_begin;
  const std::vector<Track> tracks = tracks_of(trace);
  add_self_times(tracks, summary.self);
  for (const Track& track : tracks) add_total_times(track, summary.total);
  derive_compute(summary.total);
  return summary;
}

Result<Summary> per_execution(const Summary& summary) {
  if (summary.executions == 0) return fail("the trace has no execution to divide by");
  Summary result = summary;
  divide(result.self, static_cast<double>(summary.executions));
  divide(result.total, static_cast<double>(summary.executions));
  return result;
}

}  // namespace nnvk::tools::trace
