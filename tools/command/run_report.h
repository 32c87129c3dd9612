// The results of `nnvk run` as text and JSON.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/answers/answer.h"
#include "tools/answers/description.h"
#include "tools/command/command.h"
#include "tools/command/loaded_model.h"
#include "tools/command/run_inputs.h"
#include "tools/reports/placement.h"
#include "tools/reports/profile.h"

namespace nnvk::tools {

// The answers about one picture, or about other input.
struct RunResult {
  std::string file;           // the picture; "" for other input
  answers::PictureSize size;  // of the picture; 0 for other input
  double seconds = 0;         // of the first execution
  std::vector<answers::Answer> answers{};
  std::string drawn{};  // the file into which the answers are drawn; "" for none
};

struct RunReport {
  Placement placement;
  std::map<std::string, int64_t> first_counters;  // after the first execution
  std::vector<double> seconds;                    // of all executions, the first one first
  size_t kilobytes = 0;                           // own_kilobytes() after the last one
  std::vector<ProfiledNode> nodes;
  std::vector<RunResult> results;
};

// Prints the model, its inputs, device, placement and outputs. `inputs`: what each input gets.
void print_heading(const RunOptions& options, const LoadedModel& loaded, const Placement& placement,
                   const std::vector<std::string>& inputs);
void print_times(const LoadedModel& loaded, std::span<const double> seconds);
// Prints the answers about one of several pictures.
void print_result(const RunResult& result);
// Prints the outputs, each with the answer that is made of it.
void print_outputs(const LoadedModel& loaded, const RunResult& result);
void print_profile(const RunReport& report);

nlohmann::json to_json(const RunResult& result, const answers::ModelFacts& facts);
void print_report_as_json(const RunOptions& options, const LoadedModel& loaded, const RunReport& report,
                          const answers::ModelFacts& facts);

}  // namespace nnvk::tools
