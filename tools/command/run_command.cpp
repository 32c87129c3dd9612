// `nnvk run`: runs a model once and prints its inputs, placement, outputs and times.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "importers/edges.h"
#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/loaded_model.h"
#include "tools/command/model_input.h"
#include "tools/command/predictions.h"
#include "tools/command/process_use.h"
#include "tools/command/progress.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/values.h"
#include "tools/reports/placement.h"
#include "tools/reports/profile.h"

namespace nnvk::tools {
namespace {

constexpr size_t kTop = 5;

// The results of a run.
struct Report {
  Placement placement;
  std::map<std::string, int64_t> first_counters;  // after the first execution
  std::vector<double> seconds;                    // first execution first
  size_t kilobytes = 0;                           // own_kilobytes() after the last one
  std::vector<ProfiledNode> nodes;
  std::vector<std::string> labels;
};

Status fill_inputs(const RunOptions& options, LoadedModel& loaded) {
  const auto& ports = loaded.model.inputs;
  if (options.inputs.size() > ports.size()) {
    return fail(fmt::format("--input names {} files, but the model has {} inputs", options.inputs.size(), ports.size()));
  }
  std::optional<Normalisation> normalisation;
  if (options.mean || options.deviation) {
    normalisation = Normalisation{options.mean.value_or(127.5), options.deviation.value_or(127.5)};
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    auto bytes = i < options.inputs.size() ? read_input(options.inputs[i], ports[i].info, normalisation)
                                           : Result<std::vector<uint8_t>>(made_up_input(ports[i].info, static_cast<uint32_t>(i)));
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    std::ranges::copy(*bytes, loaded.session.input(i).begin());
  }
  return {};
}

Status compute(const RunOptions& options, LoadedModel& loaded, Report& report) {
  Progress progress("running", static_cast<size_t>(options.runs));
  for (int i = 0; i < options.runs; ++i) {
    TOOLS_ASSIGN(const double seconds, loaded.session.run());
    report.seconds.push_back(seconds);
    if (i == 0) {
      TOOLS_ASSIGN(const auto placement, placement_of(loaded.session));
      report.first_counters = placement.counters;
    }
    progress.update(static_cast<size_t>(i) + 1, loaded.device.name);
  }
  report.kilobytes = own_kilobytes();
  TOOLS_ASSIGN(report.placement, placement_of(loaded.session));
  if (!options.profile) return {};
  TOOLS_ASSIGN(report.nodes, profile_executions(loaded.session, loaded.model.builder));
  return {};
}

Status write_outputs(const RunOptions& options, const LoadedModel& loaded) {
  if (options.output.empty()) return {};
  for (size_t i = 0; i < loaded.model.outputs.size(); ++i) {
    const auto path = loaded.model.outputs.size() == 1 ? options.output : fmt::format("{}.{}", options.output, i);
    const auto bytes = importers::in_framework_type(loaded.session.output(i), loaded.model.outputs[i]);
    TOOLS_TRY(write_file(path, bytes));
  }
  return {};
}

void print_report_as_text(const RunOptions& options, const LoadedModel& loaded, const Report& report) {
  const auto& device = loaded.device;
  fmt::print("model     {}\n", options.model);
  for (size_t i = 0; i < loaded.model.inputs.size(); ++i) {
    const auto& port = loaded.model.inputs[i];
    fmt::print("input     {} {}: {}\n", port.name, to_string(port.info),
               i < options.inputs.size() ? options.inputs[i] : "random values (no --input given)");
  }
  fmt::print("device    {} ({}, version {})\n", device.name, device_type_name(device.type), device.version);
  fmt::print("placement {}", to_text(report.placement));
  fmt::print("time      {:.2f} ms compilation, {:.2f} ms first execution", loaded.session.compile_seconds() * 1e3,
             report.seconds.front() * 1e3);
  if (report.seconds.size() > 1) {
    const std::vector<double> later(report.seconds.begin() + 1, report.seconds.end());
    fmt::print(", {:.2f} ms later ones (median of {}; fastest {:.2f})", median(later) * 1e3, later.size(),
               *std::ranges::min_element(later) * 1e3);
  }
  fmt::print("\n");
  for (size_t i = 0; i < loaded.model.outputs.size(); ++i) {
    const auto& port = loaded.model.outputs[i];
    const auto values = decode(loaded.session.output(i), port.info);
    fmt::print("output    {} {}\n", port.name, to_string(port.info));
    if (!is_classification(port.info, values, report.labels)) {
      fmt::print("  {}\n", summarise(values, port.info, report.labels));
      continue;
    }
    for (const auto& p : top_predictions(values, report.labels, kTop)) {
      fmt::print("  {:>5}  {:.5f}  {}\n", p.index, p.score, p.label);
    }
  }
  if (!options.profile) return;
  fmt::print("counters  (in brackets: what the executions after the first added)\n");
  for (const auto& [name, value] : report.placement.counters) {
    const auto before = report.first_counters.find(name);
    fmt::print("  {:<32} {:>12} (+{})\n", name, value, value - (before == report.first_counters.end() ? 0 : before->second));
  }
  fmt::print("profile\n{}", to_text(report.nodes, std::nullopt));
}

void print_report_as_json(const RunOptions& options, const LoadedModel& loaded, const Report& report) {
  using nlohmann::json;
  json operations = json::array();
  for (const auto& operation : report.placement.operations) {
    operations.push_back({{"name", operation.name}, {"device", operation.device}, {"removed", operation.removed}});
  }
  json outputs = json::array();
  for (size_t i = 0; i < loaded.model.outputs.size(); ++i) {
    const auto& port = loaded.model.outputs[i];
    const auto values = decode(loaded.session.output(i), port.info);
    json output{{"name", port.name}, {"type", operand_type_name(port.info.type)}, {"shape", port.info.dimensions}};
    if (is_classification(port.info, values, report.labels)) {
      output["top"] = json::array();
      for (const auto& p : top_predictions(values, report.labels, kTop)) {
        output["top"].push_back({{"index", p.index}, {"score", p.score}, {"label", p.label}});
      }
    } else {
      output["summary"] = summarise(values, port.info, report.labels);
    }
    outputs.push_back(std::move(output));
  }
  json document{{"model", options.model},
                {"device", {{"name", loaded.device.name}, {"version", loaded.device.version}}},
                {"partitions", report.placement.partitions.size()},
                {"operations", std::move(operations)},
                {"compile_seconds", loaded.session.compile_seconds()},
                {"execution_seconds", report.seconds},
                {"own_kilobytes", {{"before_compiling", loaded.kilobytes_before}, {"after_executions", report.kilobytes}}},
                {"outputs", std::move(outputs)}};
  if (options.profile) {
    document["counters"] = report.placement.counters;
    document["counters_after_first"] = report.first_counters;
    document["nodes"] = to_json(report.nodes, std::nullopt);
  }
  print_json(std::move(document));
}

}  // namespace

int run_model(const RunOptions& options) {
  Report report;
  if (!options.labels.empty()) {
    auto labels = read_labels(options.labels);
    if (!labels) return report_error(labels.error());
    report.labels = *std::move(labels);
  }
  auto loaded = load_model(options.model, options.device, options.cache, options.memory);
  if (!loaded) return report_error(loaded.error());
  auto status = fill_inputs(options, *loaded);
  if (status) status = compute(options, *loaded, report);
  if (status) status = write_outputs(options, *loaded);
  if (!status) return report_error(status.error());
  options.json ? print_report_as_json(options, *loaded, report) : print_report_as_text(options, *loaded, report);
  return kSuccess;
}

}  // namespace nnvk::tools
