// Reads the library's predictions.
#include "tools/command/device_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nnvk/diagnostics.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "tools/command/command.h"
#include "tools/nnapi/descriptions.h"

namespace nnvk::tools {
namespace {

using nlohmann::json;

// The exact device, which the library chooses only where no other device of type CPU is left.
constexpr const char* kReference = "nnapi-reference";

// The devices among which the library chooses.
Result<std::vector<DeviceEntry>> candidates() {
  TOOLS_ASSIGN(auto devices, list_devices());
  const bool has_other_cpu = std::ranges::any_of(
      devices, [](const DeviceEntry& d) { return d.type == ANEURALNETWORKS_DEVICE_CPU && d.name != kReference; });
  if (has_other_cpu) std::erase_if(devices, [](const DeviceEntry& device) { return device.name == kReference; });
  return devices;
}

// Returns "NNVK_PARTITION=0" if that variable puts every model on the CPU, else "".
std::string deciding_setting() {
  const char* const partition = std::getenv("NNVK_PARTITION");
  return partition != nullptr && std::string_view(partition) == "0" ? "NNVK_PARTITION=0" : "";
}

std::string time_text(double seconds) { return fmt::format("{:.3f} ms", seconds * 1e3); }

}  // namespace

std::vector<PredictedDevice> predicted_devices(const json& explanation, const Placement& placement,
                                               const std::vector<uint64_t>& port_bytes, const std::vector<std::string>& chosen) {
  std::vector<PredictedDevice> devices;
  std::map<std::string, size_t> index_of;
  for (const auto& costs : explanation.value("transfers", json::array())) {
    const auto name = costs.value("device", "");
    if (std::ranges::find(chosen, name) != chosen.end() && chosen.size() == 1) continue;
    index_of[name] = devices.size();
    PredictedDevice& device = devices.emplace_back();
    device.device = name;
    device.seconds = costs.value("seconds_per_step", 0.0);
    for (const uint64_t bytes : port_bytes) {
      device.seconds +=
          costs.value("seconds_per_tensor", 0.0) + static_cast<double>(bytes) * costs.value("seconds_per_byte", 0.0);
    }
  }
  size_t index = 0;
  for (const auto& operation : explanation.value("operations", json::array())) {
    const bool is_removed = index < placement.operations.size() && placement.operations[index].removed;
    ++index;
    for (const auto& answer : operation.value("devices", json::array())) {
      const auto found = index_of.find(answer.value("device", ""));
      if (found == index_of.end()) continue;
      PredictedDevice& device = devices[found->second];
      if (!answer.value("supported", false)) {
        if (device.declined++ == 0) device.reason = operation.value("name", "") + ": " + answer.value("reason", "");
      } else if (!is_removed) {
        device.seconds += answer.value("predicted_seconds", 0.0);
      }
    }
  }
  return devices;
}

Result<ChosenDevices> choice_for(const std::string& spec, const ModelBuilder& model, const Session& session) {
  ChosenDevices choice;
  TOOLS_ASSIGN(const Placement placement, placement_of(session));
  for (const auto& part : placement.partitions) {
    if (std::ranges::find(choice.devices, part.device) == choice.devices.end()) choice.devices.push_back(part.device);
  }
  choice.predicted_seconds = predicted_seconds(placement.partitions).value_or(0);
  choice.is_librarys = spec.empty() || spec == "auto";
  if (!choice.is_librarys) return choice;
  choice.setting = deciding_setting();
  TOOLS_ASSIGN(const auto devices, candidates());
  if (devices.empty()) return choice;
  std::vector<const ANeuralNetworksDevice*> handles;
  for (const auto& device : devices) handles.push_back(device.handle);
  char* text = nullptr;
  TOOLS_TRY(check(nnvk_explainModel(model.model(), handles.data(), static_cast<uint32_t>(handles.size()), &text),
                  "predicting the model's times"));
  TOOLS_ASSIGN(const json explanation, parse_description(take_json(text), "the model"));
  std::vector<uint64_t> port_bytes;
  for (const uint32_t input : model.inputs()) port_bytes.push_back(model.operand(input).bytes());
  for (const uint32_t output : model.outputs()) port_bytes.push_back(model.operand(output).bytes());
  choice.others = predicted_devices(explanation, placement, port_bytes, choice.devices);
  return choice;
}

std::string reason_text(const ChosenDevices& choice) {
  std::string text = choice.setting.empty() ? "" : choice.setting + "; ";
  text += "predicted " + time_text(choice.predicted_seconds);
  for (const auto& other : choice.others) {
    const std::string alone = choice.devices.size() > 1 ? " alone" : "";
    text += fmt::format("; {}{} ", other.device, alone);
    text += other.declined == 0 ? time_text(other.seconds)
                                : fmt::format("declines {} operation{}", other.declined, other.declined == 1 ? "" : "s");
  }
  return text + (choice.others.empty() && choice.setting.empty() ? "; there is no other device" : "");
}

json to_json(const ChosenDevices& choice) {
  json document{{"by", choice.is_librarys ? "library" : "user"},
                {"devices", choice.devices},
                {"predicted_seconds", choice.predicted_seconds}};
  if (!choice.is_librarys) return document;
  document["reason"] = reason_text(choice);
  document["others"] = json::array();
  for (const auto& other : choice.others) {
    json entry{{"device", other.device}, {"declined_operations", other.declined}};
    if (other.declined == 0) entry["predicted_seconds"] = other.seconds;
    if (!other.reason.empty()) entry["reason"] = other.reason;
    document["others"].push_back(std::move(entry));
  }
  return document;
}

void print_choice(const ChosenDevices& choice) {
  if (!choice.is_librarys) return;
  report_note(fmt::format("device {} ({})", fmt::join(choice.devices, ", "), reason_text(choice)));
}

}  // namespace nnvk::tools
