// Tables and JSON of explanations.
#include "tools/reports/explanation.h"

#include <fmt/format.h>
#include <nnvk/diagnostics.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "tools/nnapi/names.h"

namespace nnvk::tools {
namespace {

constexpr int kMeasuredRuns = 15;
constexpr const char* kFolded = "(merged into others)";
constexpr const char* kNowhere = "(not compiled)";

std::string place(const ExplainedOperation& operation) {
  if (operation.folded) return kFolded;
  if (operation.merged_into) return fmt::format("(in operation {})", *operation.merged_into);
  return operation.device.empty() ? kNowhere : operation.device;
}

// Writes type and shape: "QUANT8_ASYMM [1,224,224,3]".
std::string type_and_shape(OperandInfo info) {
  constexpr std::string_view kTensor = "TENSOR_";
  info.scale = 0;
  info.zero_point = 0;
  const auto text = to_string(info);
  return text.starts_with(kTensor) ? text.substr(kTensor.size()) : text;
}

void sort_each_once(std::vector<size_t>& values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
}

std::string name_at(const std::vector<std::string>& names, size_t i) { return i < names.size() ? names[i] : std::string(); }

// Returns the operation that writes each operand.
std::map<uint32_t, size_t> producers_of(const ModelBuilder& model) {
  std::map<uint32_t, size_t> producers;
  for (size_t i = 0; i < model.operations().size(); ++i) {
    for (const uint32_t output : model.operations()[i].outputs) producers[output] = i;
  }
  return producers;
}

}  // namespace

std::string milliseconds(std::optional<double> seconds) { return seconds ? fmt::format("{:.3f}", *seconds * 1e3) : "-"; }

std::optional<double> predicted_seconds(const Explanation& explanation, const ExplainedOperation& operation) {
  const DeviceAnswer* answer = operation.answer_of(explanation.device);
  if (operation.folded || answer == nullptr || !answer->supported) return std::nullopt;
  return answer->predicted_seconds;
}

const DeviceAnswer* ExplainedOperation::answer_of(const std::string& chosen) const {
  const std::string& wanted = device.empty() ? chosen : device;
  const auto found = std::ranges::find(answers, wanted, &DeviceAnswer::device);
  return found == answers.end() ? nullptr : &*found;
}

Result<Explanation> explain(const ModelBuilder& model, const SourceNames& names, const std::string& explanation_json) {
  const auto document = nlohmann::json::parse(explanation_json, nullptr, false);
  const auto described = document.is_object() ? document.value("operations", nlohmann::json::array()) : nlohmann::json::array();
  if (described.size() != model.operations().size()) {
    return fail(fmt::format("the library explains {} operations, the model has {}", described.size(), model.operations().size()));
  }
  Explanation explanation;
  const std::map<uint32_t, size_t> producer_of = producers_of(model);
  std::map<uint32_t, size_t> input_of;  // operand -> position among the model's inputs
  for (size_t i = 0; i < model.inputs().size(); ++i) {
    const uint32_t operand = model.inputs()[i];
    input_of[operand] = i;
    explanation.inputs.push_back({name_at(names.inputs, i), type_and_shape(model.operand(operand)), {}});
  }
  for (size_t i = 0; i < model.outputs().size(); ++i) {
    const uint32_t operand = model.outputs()[i];
    const auto producer = producer_of.find(operand);
    explanation.outputs.push_back({name_at(names.outputs, i), type_and_shape(model.operand(operand)),
                                   producer != producer_of.end() ? std::optional(producer->second) : std::nullopt});
  }
  for (size_t i = 0; i < model.operations().size(); ++i) {
    const BuiltOperation& built = model.operations()[i];
    ExplainedOperation operation;
    operation.name = described[i].value("name", operation_name(built.code));
    operation.origin = name_at(names.operations, i);
    if (!built.outputs.empty()) operation.result = type_and_shape(model.operand(built.outputs[0]));
    for (const auto& answer : described[i].value("devices", nlohmann::json::array())) {
      operation.answers.push_back({answer.value("device", ""), answer.value("supported", false), answer.value("reason", ""),
                                   answer.value("predicted_seconds", 0.0)});
    }
    for (const uint32_t input : built.inputs) {
      if (const auto found = producer_of.find(input); found != producer_of.end()) operation.producers.push_back(found->second);
      if (const auto found = input_of.find(input); found != input_of.end()) operation.model_inputs.push_back(found->second);
    }
    sort_each_once(operation.producers);
    sort_each_once(operation.model_inputs);
    operation.is_result = std::ranges::any_of(
        built.outputs, [&](uint32_t output) { return std::ranges::find(model.outputs(), output) != model.outputs().end(); });
    explanation.operations.push_back(std::move(operation));
  }
  return explanation;
}

Result<Explanation> explain(const ModelBuilder& model, const SourceNames& names) {
  char* text = nullptr;
  TOOLS_TRY(check(nnvk_explainModel(model.model(), nullptr, 0, &text), "explaining the model"));
  return explain(model, names, take_json(text));
}

Result<double> fastest_execution(const std::function<Result<double>()>& execute) {
  TOOLS_TRY(execute());  // the first one records and allocates
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMeasuredRuns; ++i) {
    TOOLS_ASSIGN(const double taken, execute());
    fastest = std::min(fastest, taken);
  }
  return fastest;
}

void add_placement(Explanation& explanation, const Placement& placement) {
  explanation.partitions = placement.partitions;
  for (size_t i = 0; i < std::min(explanation.operations.size(), placement.operations.size()); ++i) {
    explanation.operations[i].device = placement.operations[i].device;
    explanation.operations[i].folded = placement.operations[i].removed;
    explanation.operations[i].partition = placement.operations[i].partition;
  }
}

void add_measurement(Explanation& explanation, const std::vector<ProfiledNode>& nodes) {
  for (const ProfiledNode& node : nodes) {
    if (node.operation >= explanation.operations.size()) continue;
    auto& measured = explanation.operations[node.operation].measured_seconds;
    measured = measured.value_or(0.0) + node.seconds;
    for (const size_t merged : node.merged_operations) {
      if (merged < explanation.operations.size()) explanation.operations[merged].merged_into = node.operation;
    }
  }
}

// Writes a line per partition, with the measured times of its operations.
std::string partitions_text(const Explanation& explanation) {
  std::vector<double> measured(explanation.partitions.size());
  for (const auto& operation : explanation.operations) {
    if (!operation.folded && operation.partition < measured.size()) {
      measured[operation.partition] += operation.measured_seconds.value_or(0.0);
    }
  }
  std::string text;
  for (size_t i = 0; i < explanation.partitions.size(); ++i) {
    const auto& part = explanation.partitions[i];
    text += fmt::format(
        "partition {:<3} {:<24} {:>4} operations, predicted {} ms and {} ms to start it and move {:.0f} bytes; "
        "measured {} ms\n",
        i, part.device, part.operations, milliseconds(part.predicted_seconds), milliseconds(part.transfer_seconds),
        part.transfer_bytes, measured[i] > 0 ? milliseconds(measured[i]) : "-");
  }
  return text;
}

std::string to_text(const Explanation& explanation) {
  size_t width = 0;
  for (const auto& operation : explanation.operations) width = std::max(width, operation.result.size());
  width = std::min<size_t>(width, 60);
  auto text = fmt::format("{:>4} {:<24} {:<{}} {:<24} {:>12} {:>12}\n", "op", "operation", "result", width, "device",
                          "predicted ms", "measured ms");
  double predicted_sum = 0;
  double measured_sum = 0;
  for (size_t i = 0; i < explanation.operations.size(); ++i) {
    const auto& operation = explanation.operations[i];
    const auto expected = predicted_seconds(explanation, operation);
    text += fmt::format("{:>4} {:<24} {:<{}} {:<24} {:>12} {:>12}\n", i, operation.name, operation.result, width,
                        place(operation), milliseconds(expected), milliseconds(operation.measured_seconds));
    predicted_sum += expected.value_or(0.0);
    measured_sum += operation.measured_seconds.value_or(0.0);
    for (const auto& answer : operation.answers) {
      if (!answer.supported) text += fmt::format("     {} declines it: {}\n", answer.device, answer.reason);
    }
  }
  text += fmt::format("{:>4} {:<24} {:<{}} {:<24} {:>12} {:>12}\n", "", "sum", "", width, "", milliseconds(predicted_sum),
                      measured_sum > 0 ? milliseconds(measured_sum) : "-");
  const auto expected = predicted_seconds(explanation.partitions);
  if (expected && explanation.measured_seconds) {
    text += "whole model: " + compare_with_prediction(*expected, *explanation.measured_seconds, "the fastest") + "\n";
  }
  if (explanation.partitions.size() > 1) text += partitions_text(explanation);
  if (!explanation.refusal.empty()) text += explanation.device + " does not run the whole model: " + explanation.refusal + "\n";
  return text;
}

nlohmann::json to_json(const Explanation& explanation) {
  auto operations = nlohmann::json::array();
  for (const auto& operation : explanation.operations) {
    auto answers = nlohmann::json::array();
    for (const auto& answer : operation.answers) {
      answers.push_back({{"device", answer.device},
                         {"supported", answer.supported},
                         {"reason", answer.reason},
                         {"predicted_seconds", answer.predicted_seconds}});
    }
    nlohmann::json entry{{"name", operation.name},     {"origin", operation.origin}, {"result", operation.result},
                         {"device", operation.device}, {"folded", operation.folded}, {"producers", operation.producers},
                         {"answers", answers},         {"measured_seconds", nullptr}};
    if (operation.merged_into) entry["merged_into"] = *operation.merged_into;
    if (!operation.model_inputs.empty()) entry["model_inputs"] = operation.model_inputs;
    if (operation.measured_seconds) entry["measured_seconds"] = *operation.measured_seconds;
    if (!operation.folded && !operation.device.empty()) entry["partition"] = operation.partition;
    operations.push_back(std::move(entry));
  }
  auto partitions = nlohmann::json::array();
  for (const auto& part : explanation.partitions) {
    partitions.push_back({{"device", part.device},
                          {"operations", part.operations},
                          {"predicted_seconds", part.predicted_seconds},
                          {"transfer_seconds", part.transfer_seconds},
                          {"transfer_bytes", part.transfer_bytes}});
  }
  nlohmann::json json{{"device", explanation.device}, {"refusal", explanation.refusal}, {"predicted_seconds", nullptr},
                      {"measured_seconds", nullptr},  {"partitions", partitions},       {"operations", operations}};
  if (const auto expected = predicted_seconds(explanation.partitions)) json["predicted_seconds"] = *expected;
  if (explanation.measured_seconds) json["measured_seconds"] = *explanation.measured_seconds;
  return json;
}

}  // namespace nnvk::tools
