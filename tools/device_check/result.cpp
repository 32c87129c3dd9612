// Judges what the stages print: conformance, calibration, layers, models, latency, recording.
#include "tools/device_check/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <sstream>
#include <string_view>

namespace nnvk::tools::device_check {
namespace {

constexpr int kExitNoDevice = 3;

StageResult with(Verdict verdict, std::string summary, Json figures = Json::object()) {
  return {.verdict = verdict, .summary = std::move(summary), .figures = std::move(figures)};
}

size_t size_of(const Json& figures, const char* list) {
  const auto found = figures.find(list);
  return found != figures.end() && found->is_structured() ? found->size() : 0;
}

std::string counted(size_t number, std::string_view noun) { return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s"); }

StageResult judge_device(Json figures) {
  const std::string name = figures.value("name", "");
  const auto& ceilings = figures.contains("ceilings") ? figures["ceilings"] : Json::object();
  return with(Verdict::kGood,
              fmt::format("{}, {}: {:.0f} GFLOP/s float, {:.0f} Gop/s 8-bit, {:.1f} GB/s", name, figures.value("version", ""),
                          ceilings.value("fp32_gflops", 0.0), ceilings.value("int8_gops", 0.0),
                          ceilings.value("read_gigabytes_per_second", 0.0)),
              figures);
}

// A part of the cases is enough unless `all` are wanted.
StageResult judge_cases(Json figures, bool all) {
  const size_t failed = figures.value("failed", size_t{0});
  const size_t passed = figures.value("passed", size_t{0});
  const bool is_complete = figures.value("complete", false);
  auto summary = fmt::format("{} passed, {} failed, {} skipped", passed, failed, figures.value("skipped", size_t{0}));
  if (!is_complete) summary += all ? "; the time did not suffice for the other cases" : "; other cases were left out";
  const Verdict verdict = failed > 0            ? Verdict::kBad
                          : passed == 0         ? Verdict::kUnfinished
                          : is_complete || !all ? Verdict::kGood
                                                : Verdict::kUnfinished;
  return with(verdict, summary, std::move(figures));
}

StageResult judge_calibration(Json figures) {
  std::string summary;
  Verdict verdict = Verdict::kGood;
  for (const auto& device : figures.value("devices", Json::array())) {
    const bool failed = device.contains("error");
    if (failed) verdict = Verdict::kBad;
    summary += (summary.empty() ? "" : "; ") + device.value("device", "") +
               (failed ? ": " + device.value("error", "")
                       : fmt::format(" is predicted with a median error of {:.0f} %", 100 * device.value("median_error", 0.0)));
  }
  return with(verdict, summary, std::move(figures));
}

StageResult judge_layers(Json figures) {
  const size_t left_out = figures.value("left_out", size_t{0});
  const auto errors = figures.value("errors", Json::array());
  auto summary = counted(size_of(figures, "layers"), "layer");
  if (left_out > 0) summary += fmt::format(", {} left out", left_out);
  if (!errors.empty()) summary += "; " + errors.front().get<std::string>();
  return with(!errors.empty() ? Verdict::kBad
              : left_out > 0  ? Verdict::kUnfinished
                              : Verdict::kGood,
              summary, std::move(figures));
}

StageResult judge_models(Json figures) {
  size_t measured = 0;
  size_t left_out = 0;
  std::string problem;
  for (const auto& m : figures.value("measurements", Json::array())) {
    const std::string why = m.value("problem", "");
    if (why.empty()) {
      ++measured;
    } else if (m.value("left_out", false)) {
      ++left_out;
    } else if (problem.empty()) {
      problem = fmt::format("{} on {}: {}", m.value("model", ""), m.value("engine", ""), why);
    }
  }
  auto summary = counted(measured, "measurement");
  if (left_out > 0) summary += fmt::format(", {} left out", left_out);
  if (!problem.empty()) summary += "; " + problem;
  return with(!problem.empty()                ? Verdict::kBad
              : left_out > 0 || measured == 0 ? Verdict::kUnfinished
                                              : Verdict::kGood,
              summary, std::move(figures));
}

StageResult judge_latency(Json figures) {
  std::string summary;
  for (const auto& row : figures.value("latencies", Json::array())) {
    summary +=
        fmt::format("{}{}: median {:.1f} us", summary.empty() ? "" : "; ", row.value("name", ""), row.value("median_us", 0.0));
  }
  return with(summary.empty() ? Verdict::kUnfinished : Verdict::kGood, summary, std::move(figures));
}

StageResult judge_recording(Json figures) {
  if (figures.contains("not_possible")) return with(Verdict::kNotPossible, figures.value("not_possible", ""), figures);
  const size_t wrong = figures.value("wrong", size_t{0});
  auto summary = fmt::format("{} of {} frames are wrong; recording takes {:.1f} us, a frame {:.1f} us (medians)", wrong,
                             figures.value("frames", size_t{0}), figures.value("record_median_us", 0.0),
                             figures.value("frame_median_us", 0.0));
  return with(wrong > 0 ? Verdict::kBad : Verdict::kGood, std::move(summary), std::move(figures));
}

using Judge = std::function<StageResult(Json)>;

const std::map<std::string_view, Judge>& judges() {
  static const std::map<std::string_view, Judge> kJudges = {
      {"device", judge_device},
      {"conformance", [](Json figures) { return judge_cases(std::move(figures), false); }},
      {"forms", [](Json figures) { return judge_cases(std::move(figures), false); }},
      {"calibration", judge_calibration},
      {"layers", judge_layers},
      {"models", judge_models},
      {"latency", judge_latency},
      {"recording", judge_recording},
      {"validation", [](Json figures) { return judge_cases(std::move(figures), false); }},
      {"all_cases", [](Json figures) { return judge_cases(std::move(figures), true); }},
  };
  return kJudges;
}

// Adds the layers' messages to a stage that ran under them.
void judge_messages(const std::string& log, StageResult& result) {
  constexpr size_t kMostKept = 20;
  size_t count = 0;
  auto kept = Json::array();
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("VK_LAYER_KHRONOS_validation is not installed") != std::string::npos) {
      result.verdict = Verdict::kNotPossible;
      result.summary = "VK_LAYER_KHRONOS_validation is not installed";
      return;
    }
    constexpr std::array<const char*, 3> kMarks = {"VUID-", "SYNC-HAZARD", "UNASSIGNED-"};
    const bool is_message = std::ranges::any_of(kMarks, [&](const char* mark) { return line.find(mark) != std::string::npos; });
    if (!is_message || line.find("fine-grained-locking-warning") != std::string::npos) continue;
    if (++count <= kMostKept) kept.push_back(line.substr(0, 1000));
  }
  if (count > 0) result.verdict = Verdict::kBad;
  result.summary += "; " + counted(count, "message") + " of the layers";
  result.figures["messages"] = std::move(kept);
  result.figures["message_count"] = count;
}

int rank_of(Verdict verdict) { return static_cast<int>(verdict); }

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGood:
      return "good";
    case Verdict::kUnfinished:
      return "unfinished";
    case Verdict::kNotPossible:
      return "not possible";
    default:
      return "bad";
  }
}

StageResult judge(std::string_view stage, const StageOutput& output) {
  StageResult result;
  const auto figures = Json::parse(output.text, nullptr, false);
  if (!output.problem.empty()) {
    result = with(output.ran_out_of_time ? Verdict::kUnfinished : Verdict::kBad, output.problem);
  } else if (output.exit_code == kExitNoDevice) {
    result = with(Verdict::kNotPossible, "there is no such device");
  } else if (!figures.is_object()) {
    result = with(Verdict::kBad, fmt::format("it printed no figures and ended with exit code {}; see log.txt", output.exit_code));
  } else {
    result = judges().at(stage)(figures);
    if (stage == "validation") judge_messages(output.log, result);
  }
  result.name = stage;
  return result;
}

StageResult join(std::string_view stage, const std::vector<std::pair<std::string, StageResult>>& parts) {
  StageResult joined{.name = std::string(stage), .figures = {{"parts", Json::array()}}};
  size_t good = 0;
  for (const auto& [name, part] : parts) {
    Json figures{{"part", name}, {"verdict", name_of(part.verdict)}, {"summary", part.summary}, {"seconds", part.seconds}};
    figures.update(part.figures);
    joined.figures["parts"].push_back(std::move(figures));
    joined.seconds += part.seconds;
    if (part.verdict == Verdict::kGood) ++good;
    if (rank_of(part.verdict) <= rank_of(joined.verdict)) continue;
    joined.verdict = part.verdict;
    joined.summary = fmt::format("; {}: {}", name, part.summary);
  }
  joined.summary = fmt::format("{} of {} are good", good, counted(parts.size(), "part")) + joined.summary;
  if (parts.empty()) joined.verdict = Verdict::kUnfinished;
  return joined;
}

Verdict verdict_of(const Check& check) {
  Verdict worst = Verdict::kGood;
  for (const StageResult& result : check.results) {
    if (result.verdict == Verdict::kNotPossible) continue;
    worst = std::max(worst, result.verdict, [](Verdict a, Verdict b) { return rank_of(a) < rank_of(b); });
  }
  return worst;
}

Json to_json(const Check& check) {
  Json document{{"verdict", name_of(verdict_of(check))}, {"facts", Json::object()}, {"stages", Json::array()}};
  for (const auto& [name, value] : check.facts) document["facts"][name] = value;
  for (const StageResult& result : check.results) {
    document["stages"].push_back({{"name", result.name},
                                  {"verdict", name_of(result.verdict)},
                                  {"summary", result.summary},
                                  {"seconds", result.seconds},
                                  {"figures", result.figures}});
  }
  return document;
}

}  // namespace nnvk::tools::device_check
