// Tables and graphs of explanations.
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
constexpr auto kColours = std::to_array<const char*>({"#b7d7f0", "#f6d8ae", "#c9e4c5", "#e3c8e8"});

std::string milliseconds(std::optional<double> seconds) { return seconds ? fmt::format("{:.3f}", *seconds * 1e3) : "-"; }

std::optional<double> predicted(const Explanation& explanation, const ExplainedOperation& operation) {
  const DeviceAnswer* answer = operation.answer_of(explanation.device);
  if (operation.folded || answer == nullptr || !answer->supported) return std::nullopt;
  return answer->predicted_seconds;
}

std::string place(const ExplainedOperation& operation) {
  if (operation.folded) return kFolded;
  return operation.device.empty() ? kNowhere : operation.device;
}

// "QUANT8_ASYMM [1,224,224,3]".
std::string type_and_shape(OperandInfo info) {
  constexpr std::string_view kTensor = "TENSOR_";
  info.scale = 0;
  info.zero_point = 0;
  const auto text = to_string(info);
  return text.starts_with(kTensor) ? text.substr(kTensor.size()) : text;
}

// A string of Graphviz's language.
std::string dot_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

const DeviceAnswer* ExplainedOperation::answer_of(const std::string& chosen) const {
  const std::string& wanted = device.empty() ? chosen : device;
  const auto found = std::ranges::find(answers, wanted, &DeviceAnswer::device);
  return found == answers.end() ? nullptr : &*found;
}

Result<Explanation> explain(const ModelBuilder& model, const std::vector<std::string>& origins,
                            const std::string& explanation_json) {
  const auto document = nlohmann::json::parse(explanation_json, nullptr, false);
  const auto described = document.is_object() ? document.value("operations", nlohmann::json::array()) : nlohmann::json::array();
  if (described.size() != model.operations().size()) {
    return fail(fmt::format("the library explains {} operations, the model has {}", described.size(), model.operations().size()));
  }
  Explanation explanation;
  std::map<uint32_t, size_t> producer_of;  // operand -> operation
  for (size_t i = 0; i < model.operations().size(); ++i) {
    for (const uint32_t output : model.operations()[i].outputs) producer_of[output] = i;
  }
  for (size_t i = 0; i < model.operations().size(); ++i) {
    const BuiltOperation& built = model.operations()[i];
    ExplainedOperation operation;
    operation.name = described[i].value("name", operation_name(built.code));
    if (i < origins.size()) operation.origin = origins[i];
    if (!built.outputs.empty()) operation.result = type_and_shape(model.operand(built.outputs[0]));
    for (const auto& answer : described[i].value("devices", nlohmann::json::array())) {
      operation.answers.push_back({answer.value("device", ""), answer.value("supported", false), answer.value("reason", ""),
                                   answer.value("predicted_seconds", 0.0)});
    }
    for (const uint32_t input : built.inputs) {
      if (const auto found = producer_of.find(input); found != producer_of.end()) operation.producers.push_back(found->second);
    }
    std::ranges::sort(operation.producers);
    const auto repeated = std::ranges::unique(operation.producers);
    operation.producers.erase(repeated.begin(), repeated.end());
    operation.is_result = std::ranges::any_of(
        built.outputs, [&](uint32_t output) { return std::ranges::find(model.outputs(), output) != model.outputs().end(); });
    explanation.operations.push_back(std::move(operation));
  }
  return explanation;
}

Result<Explanation> explain(const ModelBuilder& model, const std::vector<std::string>& origins) {
  char* text = nullptr;
  TOOLS_TRY(check(nnvk_explainModel(model.model(), nullptr, 0, &text), "explaining the model"));
  return explain(model, origins, take_json(text));
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
  }
}

// A line per partition, with the measured times of its operations.
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
    const auto expected = predicted(explanation, operation);
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

std::string to_dot(const Explanation& explanation) {
  std::map<std::string, const char*> colours;
  std::string nodes;
  std::string edges;
  std::vector<std::string> members(explanation.partitions.size());
  for (size_t i = 0; i < explanation.operations.size(); ++i) {
    const auto& operation = explanation.operations[i];
    auto label = fmt::format("{} {}\n{}\n{}", i, operation.name, operation.result, place(operation));
    if (const auto expected = predicted(explanation, operation)) {
      label += fmt::format("\npredicted {} ms", milliseconds(expected));
    }
    if (operation.measured_seconds) label += fmt::format("\nmeasured {} ms", milliseconds(operation.measured_seconds));
    std::string style = "style=\"dashed\"";
    if (!operation.device.empty() && !operation.folded) {
      const auto colour = colours.try_emplace(operation.device, kColours[colours.size() % kColours.size()]).first->second;
      style = fmt::format("style=\"filled\", fillcolor=\"{}\"", colour);
    }
    if (!operation.folded && operation.partition < members.size()) members[operation.partition] += fmt::format(" op{};", i);
    nodes += fmt::format("  op{} [label={}, {}];\n", i, dot_string(label), style);
    for (const size_t producer : operation.producers) edges += fmt::format("  op{} -> op{};\n", producer, i);
    if (operation.producers.empty()) edges += fmt::format("  input -> op{};\n", i);
    if (operation.is_result) edges += fmt::format("  op{} -> output;\n", i);
  }
  std::string frames;
  for (size_t i = 0; i < members.size() && members.size() > 1; ++i) {
    frames += fmt::format("  subgraph cluster_{} {{ label={};{} }}\n", i,
                          dot_string(fmt::format("{}: {}", i, explanation.partitions[i].device)), members[i]);
  }
  return "digraph model {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n  input [shape=ellipse];\n"
         "  output [shape=ellipse];\n" +
         nodes + frames + edges + "}\n";
}

}  // namespace nnvk::tools
