// Parses traces, and matches begins and ends.
#include "tools/trace/trace_file.h"
#include "tools/nnapi/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace nnvk::tools::trace {
namespace {

using nlohmann::json;

constexpr std::string_view kBlank = " \t\r\n";

// The beginning or the end of a section.
struct Mark {
  int64_t time = 0;
  std::optional<size_t> section;  // that begins; none: an end
};

using Track = std::pair<std::string, std::string>;  // process and track

struct Reading {
  std::string source;
  Trace trace;
  std::map<Track, std::vector<Mark>> marks;
  int64_t last = INT64_MIN;
};

// Returns a position in a text, as "line 1, column 5".
std::string place_of(std::string_view text, size_t position) {
  const std::string_view before = text.substr(0, position);
  const auto lines = static_cast<size_t>(std::ranges::count(before, '\n'));
  const size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", lines + 1, before.size() - start + 1);
}

// Returns the closing bracket if it is missing because the writer died before it wrote one; else "".
std::string_view missing_ending(std::string_view body) { return body.starts_with('[') && !body.ends_with(']') ? "]" : ""; }

Result<json> parse_json(std::string_view text, const std::string& source) {
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return fail(source + " is empty, not a trace");
  std::string_view body = text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
  if (body.ends_with(',')) body.remove_suffix(1);
  try {
    return json::parse(std::string(body).append(missing_ending(body)));
  } catch (const json::parse_error& error) {
    const size_t position = first + (error.byte > 0 ? error.byte - 1 : 0);
    if (position >= first + body.size()) {
      return fail(fmt::format("{} stops in the middle of an event, {}: it was cut off", source, place_of(text, text.size())));
    }
    return fail(fmt::format("{} is not JSON, {}: {}", source, place_of(text, position), error.what()));
  }
}

std::string text_of(const json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// Reads a time, which is in microseconds in the file.
Result<int64_t> time_of(const json& event, const char* key, const std::string& place) {
  constexpr double kMost = 9e12;  // microseconds; longer times in nanoseconds do not fit into int64_t
  const auto found = event.find(key);
  if (found == event.end() || !found->is_number()) return fail(fmt::format("{} has no number \"{}\"", place, key));
  const auto microseconds = found->get<double>();
  if (!(std::abs(microseconds) < kMost)) return fail(fmt::format("{}: \"{}\" is out of range", place, key));
  return std::llround(microseconds * 1000);
}

Status read_event(const json& event, size_t index, Reading& reading) {
  if (!event.is_object()) return fail(fmt::format("{}: event {} is not an object", reading.source, index));
  const std::string phase = text_of(event, "ph");
  if (phase == "M" && text_of(event, "name") == "thread_name" && event.contains("args") && event["args"].is_object()) {
    reading.trace.track_names[{text_of(event, "pid"), text_of(event, "tid")}] = text_of(event["args"], "name");
  }
  const bool is_async = phase == "b" || phase == "e";
  const bool begins = phase == "B" || phase == "b";
  if (!is_async && !begins && phase != "E" && phase != "X") return {};
  const std::string name = text_of(event, "name");
  const std::string place = fmt::format("{}: event {} (\"{}\", phase {})", reading.source, index, name, phase);
  TOOLS_ASSIGN(const int64_t time, time_of(event, "ts", place));
  const std::string category = text_of(event, "cat");
  const Track track{text_of(event, "pid"), is_async ? category + "/" + text_of(event, "id") : text_of(event, "tid")};
  reading.last = std::max(reading.last, time);
  if (phase == "E" || phase == "e") {
    reading.marks[track].push_back({time, std::nullopt});
    return {};
  }
  int64_t duration = 0;
  if (phase == "X") {
    TOOLS_ASSIGN(duration, time_of(event, "dur", place));
    if (duration < 0) return fail(fmt::format("{}: \"dur\" is negative", place));
    reading.last = std::max(reading.last, time + duration);
  } else {
    reading.marks[track].push_back({time, reading.trace.sections.size()});
  }
  reading.trace.sections.push_back({name, category, track.first, track.second, time, time + duration});
  return {};
}

// Finds the end mark for each begin mark, and adds sections for these pairs.
void match(Reading& reading) {
  for (auto& [track, marks] : reading.marks) {
    std::ranges::stable_sort(marks, {}, &Mark::time);
    std::vector<size_t> open;
    for (const Mark& mark : marks) {
      if (mark.section) {
        open.push_back(*mark.section);
      } else if (open.empty()) {
        ++reading.trace.without_begin;
      } else {
        reading.trace.sections[open.back()].end = mark.time;
        open.pop_back();
      }
    }
    reading.trace.without_end += open.size();
    for (const size_t section : open) reading.trace.sections[section].end = reading.last;
  }
}

}  // namespace

Result<Trace> parse_trace(std::string_view text, const std::string& source) {
  TOOLS_ASSIGN(const json document, parse_json(text, source));
  const json* events = &document;
  if (document.is_object()) {
    const auto found = document.find("traceEvents");
    if (found == document.end()) return fail(source + " is JSON, but no trace: it has no \"traceEvents\"");
    events = &*found;
  }
  if (!events->is_array()) return fail(source + " is JSON, but no trace: its events are not an array");
  Reading reading;
  reading.source = source;
  for (size_t i = 0; i < events->size(); ++i) TOOLS_TRY(read_event((*events)[i], i, reading));
  match(reading);
  return std::move(reading.trace);
}

Result<Trace> read_trace(const std::filesystem::path& path) {
  TOOLS_ASSIGN(const std::string text, read_text_file(path, kMostFileBytes));
  return parse_trace(text, path.string());
}

void add_trace(Trace& trace, Trace other) {
  std::ranges::move(other.sections, std::back_inserter(trace.sections));
  trace.track_names.merge(other.track_names);
  trace.without_end += other.without_end;
  trace.without_begin += other.without_begin;
}

}  // namespace nnvk::tools::trace
