#include "tools/trace/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>

namespace nnvk::tools::trace {
namespace {

constexpr std::array<const char*, kLayers> kLayerNames{"Application", "Runtime", "IPC", "Driver", "CPU executor", "GPU", "Other"};
constexpr std::array<const char*, kPhases> kPhaseNames{"Initialization", "Preparation", "Compilation", "I/O",
                                                       "Compute",        "Results",     "Termination", "Other"};
constexpr std::array<Phase, 3> kExecutionPhases{Phase::kInputsAndOutputs, Phase::kCompute, Phase::kResults};

// The effect of a section's phase on the sections inside it.
enum class Role { kPlain, kExecution, kExecutionPart, kGroup };

struct NamedPhase {
  std::string_view name;
  Phase phase;
  Role role;
};
constexpr NamedPhase kNamedPhases[] = {
    {"PI", Phase::kInitialization, Role::kPlain},
    {"PP", Phase::kPreparation, Role::kPlain},
    {"PC", Phase::kCompilation, Role::kPlain},
    {"PT", Phase::kTermination, Role::kPlain},
    {"PE", Phase::kCompute, Role::kExecution},
    {"PIO", Phase::kInputsAndOutputs, Role::kExecutionPart},
    {"PTR", Phase::kCompute, Role::kExecutionPart},
    {"PCO", Phase::kCompute, Role::kExecutionPart},
    {"PR", Phase::kResults, Role::kExecutionPart},
    {"PO", Phase::kOther, Role::kGroup},
    {"PWU", Phase::kOther, Role::kGroup},
    {"PBM", Phase::kOther, Role::kGroup},
    {"PU", Phase::kOther, Role::kGroup},
};

struct NamedLayer {
  std::string_view name;
  Layer layer;
};
constexpr NamedLayer kNamedLayers[] = {
    {"LA", Layer::kApplication}, {"LR", Layer::kRuntime}, {"LI", Layer::kIpc},   {"LD", Layer::kDriver},
    {"LC", Layer::kCpu},         {"LO", Layer::kOther},   {"LU", Layer::kOther},
};

constexpr std::string_view kExecutionCalls[] = {
    "ANeuralNetworksExecution_compute",
    "ANeuralNetworksExecution_burstCompute",
    "ANeuralNetworksExecution_startCompute",
    "ANeuralNetworksExecution_startComputeWithDependencies",
};

// How a section is counted.
struct Meaning {
  Layer layer = Layer::kOther;
  Phase phase = Phase::kOther;
  Role role = Role::kGroup;
  bool is_subtracted = false;       // [SUB] or [SW]
  bool takes_layer_around = false;  // LU
  bool takes_phase_around = false;  // PU
  bool is_wait = false;
  std::string_view detail;
};

// Parses a section's name; nothing if it does not follow NNAPI's scheme.
std::optional<Meaning> meaning_of(const Section& section) {
  std::string_view name = section.name;
  Meaning meaning;
  for (const std::string_view mark : {"[SUB]", "[SW]"}) {
    if (!name.starts_with(mark)) continue;
    meaning.is_subtracted = true;
    name.remove_prefix(mark.size());
  }
  constexpr std::string_view kStart = "[NN_";
  const size_t separator = name.find('_', kStart.size());
  const size_t close = name.find(']');
  if (!name.starts_with(kStart) || close == std::string_view::npos || separator >= close) return std::nullopt;
  const std::string_view layer_name = name.substr(kStart.size(), separator - kStart.size());
  const std::string_view phase_name = name.substr(separator + 1, close - separator - 1);
  const auto* const layer = std::ranges::find(kNamedLayers, layer_name, &NamedLayer::name);
  const auto* const phase = std::ranges::find(kNamedPhases, phase_name, &NamedPhase::name);
  if (layer == std::end(kNamedLayers) || phase == std::end(kNamedPhases)) return std::nullopt;
  meaning.layer = section.category == "gpu" ? Layer::kGpu : layer->layer;
  meaning.phase = phase->phase;
  meaning.role = phase->role;
  meaning.takes_layer_around = layer_name == "LU";
  meaning.takes_phase_around = phase_name == "PU";
  meaning.is_wait = section.category == "wait";
  meaning.detail = name.substr(close + 1);
  return meaning;
}

// Applies the rules of summary.h to a section inside another section.
Meaning inside(const Meaning& own, const Meaning& around) {
  Meaning meaning = own;
  if (own.takes_layer_around) meaning.layer = around.layer;
  if (own.takes_phase_around) {
    meaning.phase = around.phase;
    meaning.role = around.role;
  }
  const bool is_in_execution = around.role == Role::kExecution || around.role == Role::kExecutionPart;
  const bool counts = own.is_subtracted || meaning.layer != around.layer || around.role == Role::kGroup ||
                      (is_in_execution && own.role == Role::kExecutionPart);
  if (counts) return meaning;
  meaning = around;
  meaning.is_wait = own.is_wait;
  return meaning;
}

struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

// A time span of one track, with the innermost section that counts in this time.
struct Piece {
  Interval time;
  Meaning meaning;
};

struct Named {
  Interval time;
  Meaning meaning;
};

// `sections` in the order of Trace.
std::vector<Piece> pieces_of(std::vector<Named> sections) {
  std::ranges::stable_sort(sections, [](const Named& a, const Named& b) {
    return a.time.begin != b.time.begin ? a.time.begin < b.time.begin : a.time.end > b.time.end;
  });
  std::vector<Piece> pieces;
  std::vector<Named> open;
  int64_t done = 0;  // pieces exist until here, while sections are open
  const auto emit = [&](int64_t until) {
    if (until > done) pieces.push_back({{done, until}, open.back().meaning});
    done = std::max(done, until);
  };
  const auto close_until = [&](int64_t time) {
    while (!open.empty() && open.back().time.end <= time) {
      emit(open.back().time.end);
      open.pop_back();
    }
  };
  for (Named& section : sections) {
    close_until(section.time.begin);
    if (open.empty()) {
      done = section.time.begin;
    } else {
      emit(section.time.begin);
      section.time.end = std::min(section.time.end, open.back().time.end);
      section.meaning = inside(section.meaning, open.back().meaning);
    }
    open.push_back(section);
  }
  close_until(INT64_MAX);
  return pieces;
}

// The union of the intervals, sorted and disjoint.
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

// The times when a track works, for which other tracks may wait.
std::vector<Interval> working_time(const std::vector<Piece>& pieces) {
  std::vector<Interval> intervals;
  for (const Piece& piece : pieces) {
    if (!piece.meaning.is_wait && piece.meaning.layer != Layer::kApplication) intervals.push_back(piece.time);
  }
  return united(std::move(intervals));
}

// The part of `wait` in which no other track works.
int64_t idle_time(const Interval& wait, const std::vector<std::vector<Interval>>& working, size_t own_track) {
  std::vector<Interval> overlaps;
  for (size_t track = 0; track < working.size(); ++track) {
    if (track == own_track) continue;
    auto next = std::ranges::upper_bound(working[track], wait.begin, {}, &Interval::end);
    for (; next != working[track].end() && next->begin < wait.end; ++next) {
      overlaps.push_back({std::max(next->begin, wait.begin), std::min(next->end, wait.end)});
    }
  }
  int64_t idle = wait.end - wait.begin;
  for (const Interval& overlap : united(std::move(overlaps))) idle -= overlap.end - overlap.begin;
  return idle;
}

double sum_of(const Summary& summary, std::span<const Phase> phases, std::span<const Layer> layers) {
  double sum = 0;
  for (const Phase phase : phases) {
    for (const Layer layer : layers) sum += summary.at(phase, layer);
  }
  return sum;
}

template <class Enum, size_t Count>
std::array<Enum, Count> all_of() {
  std::array<Enum, Count> values{};
  for (size_t i = 0; i < Count; ++i) values[i] = static_cast<Enum>(i);
  return values;
}

// A row of the table: a phase, or a sum of several phases.
struct Row {
  std::string name;
  std::vector<Phase> phases;
};

std::vector<Row> rows_of(const Summary& summary, bool is_per_execution) {
  std::vector<Row> rows;
  std::vector<Phase> all;
  for (const Phase phase : all_of<Phase, kPhases>()) {
    const bool is_shown = phase != Phase::kOther || sum_of(summary, std::array{phase}, all_of<Layer, kLayers>()) > 0;
    if (is_shown) rows.push_back({kPhaseNames[static_cast<size_t>(phase)], {phase}});
    all.push_back(phase);
    if (phase == kExecutionPhases.back()) {
      rows.push_back({is_per_execution ? "One execution" : "Executions", {kExecutionPhases.begin(), kExecutionPhases.end()}});
    }
  }
  rows.push_back({"Total", all});
  return rows;
}

std::vector<Layer> columns_of(const Summary& summary) {
  std::vector<Layer> layers;
  for (const Layer layer : all_of<Layer, kLayers>()) {
    const bool is_optional = layer == Layer::kIpc || layer == Layer::kCpu || layer == Layer::kOther;
    if (!is_optional || sum_of(summary, all_of<Phase, kPhases>(), std::array{layer}) > 0) layers.push_back(layer);
  }
  return layers;
}

}  // namespace

Summary summarise(const Trace& trace) {
  Summary summary;
  summary.without_end = trace.without_end;
  summary.without_begin = trace.without_begin;
  std::map<std::string, std::map<std::string, std::vector<Named>>> processes;
  size_t applications_executions = 0;
  for (const Section& section : trace.sections) {
    const auto meaning = meaning_of(section);
    if (!meaning) continue;
    processes[section.process][section.track].push_back({{section.begin, section.end}, *meaning});
    if (meaning->role != Role::kExecution) continue;
    if (meaning->layer == Layer::kApplication) ++applications_executions;
    if (meaning->layer == Layer::kRuntime && std::ranges::count(kExecutionCalls, meaning->detail) > 0) ++summary.executions;
  }
  if (summary.executions == 0) summary.executions = applications_executions;
  for (auto& [process, tracks] : processes) {
    std::vector<std::vector<Piece>> pieces;
    std::vector<std::vector<Interval>> working;
    for (auto& [track, sections] : tracks) {
      pieces.push_back(pieces_of(std::move(sections)));
      working.push_back(working_time(pieces.back()));
    }
    for (size_t track = 0; track < pieces.size(); ++track) {
      for (const Piece& piece : pieces[track]) {
        const int64_t time = piece.meaning.is_wait ? idle_time(piece.time, working, track) : piece.time.end - piece.time.begin;
        summary.seconds[static_cast<size_t>(piece.meaning.phase)][static_cast<size_t>(piece.meaning.layer)] +=
            static_cast<double>(time) * 1e-9;
      }
    }
  }
  return summary;
}

Result<Summary> per_execution(const Summary& summary) {
  if (summary.executions == 0) return fail("the trace has no execution to divide by");
  Summary result = summary;
  for (const Phase phase : kExecutionPhases) {
    for (double& seconds : result.seconds[static_cast<size_t>(phase)]) seconds /= static_cast<double>(summary.executions);
  }
  return result;
}

std::string to_text(const Summary& summary, bool is_per_execution) {
  const auto layers = columns_of(summary);
  std::string text = fmt::format("{:<16}", "ms");
  for (const Layer layer : layers) text += fmt::format(" {:>12}", kLayerNames[static_cast<size_t>(layer)]);
  text += fmt::format(" {:>12}\n", "Total");
  const auto cell = [](double seconds) {
    return fmt::format(" {:>12}", seconds > 0 ? fmt::format("{:.3f}", seconds * 1e3) : "-");
  };
  for (const Row& row : rows_of(summary, is_per_execution)) {
    text += fmt::format("{:<16}", row.name);
    for (const Layer layer : layers) text += cell(sum_of(summary, row.phases, std::array{layer}));
    text += cell(sum_of(summary, row.phases, layers)) + "\n";
  }
  text += fmt::format("{} executions{}\n", summary.executions,
                      is_per_execution ? "; I/O, compute and results are those of one, on average" : "");
  if (summary.without_end > 0)
    text += fmt::format("sections that had not ended when the trace stopped: {}\n", summary.without_end);
  if (summary.without_begin > 0) {
    text += fmt::format("sections that had begun before the trace did, not counted: {}\n", summary.without_begin);
  }
  return text;
}

nlohmann::ordered_json to_json(const Summary& summary, bool is_per_execution) {
  const auto layers = all_of<Layer, kLayers>();
  nlohmann::ordered_json seconds;
  for (const Row& row : rows_of(summary, is_per_execution)) {
    auto& entry = seconds[row.phases.size() == kExecutionPhases.size() ? "Execution" : row.name];
    for (const Layer layer : layers) {
      entry[kLayerNames[static_cast<size_t>(layer)]] = sum_of(summary, row.phases, std::array{layer});
    }
    entry["Total"] = sum_of(summary, row.phases, layers);
  }
  return {{"executions", summary.executions},
          {"per_execution", is_per_execution},
          {"seconds", seconds},
          {"sections_without_end", summary.without_end},
          {"sections_without_begin", summary.without_begin}};
}

}  // namespace nnvk::tools::trace
