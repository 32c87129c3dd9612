// The result of a stage: the figures that its command printed, and the verdict about them. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace nnvk::tools::device_check {

using Json = nlohmann::ordered_json;

enum class Verdict : uint8_t {
  kGood,
  kUnfinished,   // good so far, but the time or a signal ended it
  kNotPossible,  // this system lacks something that the stage needs; `summary` says what
  kBad,
};

// "good", "unfinished", "not possible", "bad".
const char* name_of(Verdict verdict);

struct StageResult {
  std::string name{};  // of the stage
  Verdict verdict = Verdict::kGood;
  std::string summary{};  // one line
  double seconds = 0;
  Json figures = Json::object();
};

// How the process of a stage ended, and its output.
struct StageOutput {
  int exit_code = 0;             // of the process; codes are those of `nnvk`
  std::string problem{};         // why there is no exit code; "" if there is one
  bool ran_out_of_time = false;  // that is the problem, or a signal that asked for the end
  std::string text{};            // the standard output: a JSON object
  std::string log{};             // the error output
};

// Judges the output of a stage, or of one part of it, whose figures then stand beside those of the other parts.
StageResult judge(std::string_view stage, const StageOutput& output);

// Makes one result of the results of the parts: their figures are in the list `parts`, each with its name as `part`.
StageResult join(std::string_view stage, const std::vector<std::pair<std::string, StageResult>>& parts);

// The whole check.
struct Check {
  std::vector<std::pair<std::string, std::string>> facts{};  // what ran where, for readers: name and value
  std::vector<StageResult> results{};
};

// Returns the worst verdict of all stages; kNotPossible counts as good.
Verdict verdict_of(const Check& check);
Json to_json(const Check& check);

}  // namespace nnvk::tools::device_check
