#include "tools/command/run_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/command/json_output.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools {

void print_heading(const RunOptions& options, const LoadedModel& loaded, const Placement& placement,
                   const std::vector<std::string>& inputs) {
  fmt::print("model     {}\n", options.model);
  for (size_t i = 0; i < loaded.model.inputs.size(); ++i) {
    const auto& port = loaded.model.inputs[i];
    fmt::print("input     {} {}: {}\n", port.name, to_string(port.info), inputs[i]);
  }
  fmt::print("device    {}\n", description_of(loaded.device));
  fmt::print("placement {}", to_text(placement));
}

void print_times(const LoadedModel& loaded, std::span<const double> seconds) {
  fmt::print("time      {:.2f} ms compilation, {:.2f} ms first execution", loaded.session.compile_seconds() * 1e3,
             seconds.front() * 1e3);
  if (seconds.size() > 1) {
    const std::vector<double> later(seconds.begin() + 1, seconds.end());
    fmt::print(", {:.2f} ms later ones (median of {}; fastest {:.2f})", median(later) * 1e3, later.size(),
               *std::ranges::min_element(later) * 1e3);
  }
  fmt::print("\n");
}

void print_outputs(const LoadedModel& loaded, const RunResult& result) {
  const auto& ports = loaded.model.outputs;
  std::vector<bool> is_printed(ports.size());
  const auto print_port = [&](size_t i) {
    fmt::print("output    {} {}\n", ports[i].name, to_string(ports[i].info));
    is_printed[i] = true;
  };
  for (const auto& answer : result.answers) {
    std::ranges::for_each(answer.outputs, print_port);
    fmt::print("{}", answers::to_text(answer, result.size));
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    if (!is_printed[i]) print_port(i);
  }
  if (!result.drawn.empty()) fmt::print("picture   {}\n", result.drawn);
}

void print_result(const RunResult& result) {
  const std::string drawn = result.drawn.empty() ? "" : ", drawn into " + result.drawn;
  const std::string size = result.size.width == 0 ? "" : fmt::format(" ({}x{})", result.size.width, result.size.height);
  fmt::print("\n{}{}: {:.2f} ms{}\n", result.file, size, result.seconds * 1e3, drawn);
  for (const auto& answer : result.answers) fmt::print("{}", answers::to_text(answer, result.size));
}

void print_profile(const RunReport& report) {
  fmt::print("counters  (in brackets: what the executions after the first added)\n");
  for (const auto& [name, value] : report.placement.counters) {
    const auto before = report.first_counters.find(name);
    fmt::print("  {:<32} {:>12} (+{})\n", name, value, value - (before == report.first_counters.end() ? 0 : before->second));
  }
  fmt::print("profile\n{}", to_text(report.nodes, std::nullopt));
}

nlohmann::json to_json(const RunResult& result, const answers::ModelFacts& facts) {
  nlohmann::json object{{"seconds", result.seconds}, {"answers", nlohmann::json::array()}};
  if (result.size.width != 0) {
    object["picture"] = {{"file", result.file}, {"width", result.size.width}, {"height", result.size.height}};
  }
  if (!result.drawn.empty()) object["drawn"] = result.drawn;
  for (const auto& answer : result.answers) object["answers"].push_back(answers::to_json(answer, facts, result.size));
  return object;
}

void print_report_as_json(const RunOptions& options, const LoadedModel& loaded, const RunReport& report,
                          const answers::ModelFacts& facts) {
  using nlohmann::json;
  json operations = json::array();
  for (const auto& operation : report.placement.operations) {
    operations.push_back({{"name", operation.name}, {"device", operation.device}, {"removed", operation.removed}});
  }
  json outputs = json::array();
  for (const auto& port : loaded.model.outputs) {
    outputs.push_back({{"name", port.name}, {"type", operand_type_name(port.info.type)}, {"shape", port.info.dimensions}});
  }
  json results = json::array();
  for (const auto& result : report.results) results.push_back(to_json(result, facts));
  json document{{"model", options.model},
                {"device", {{"name", loaded.device.name}, {"version", loaded.device.version}}},
                {"choice", to_json(loaded.choice)},
                {"partitions", report.placement.partitions.size()},
                {"operations", std::move(operations)},
                {"compile_seconds", loaded.session.compile_seconds()},
                {"execution_seconds", report.seconds},
                {"own_kilobytes", {{"before_compiling", loaded.kilobytes_before}, {"after_executions", report.kilobytes}}},
                {"outputs", std::move(outputs)},
                {"results", std::move(results)}};
  if (options.profile) {
    document["counters"] = report.placement.counters;
    document["counters_after_first"] = report.first_counters;
    document["nodes"] = to_json(report.nodes, std::nullopt);
  }
  print_json(std::move(document));
}

}  // namespace nnvk::tools
