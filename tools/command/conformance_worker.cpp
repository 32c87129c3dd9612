// Opening the device, judging cases and describing failures in a child process.
#include "tools/command/conformance_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/command/child_process.h"
#include "tools/conformance/golden.h"
#include "tools/conformance/messages.h"
#include "tools/conformance/page/report_folder.h"
#include "tools/conformance/random/description.h"
#include "tools/conformance/random/entries.h"
#include "tools/nnapi/descriptions.h"

namespace nnvk::tools {
namespace {

using conformance::CaseEntry;
using conformance::FailureKind;
using conformance::Message;
using conformance::Outcome;
using conformance::Task;
using conformance::Verdict;

// Returns the properties that a device reports.
std::vector<conformance::Property> properties_of(const DeviceEntry& device) {
  std::vector<conformance::Property> properties;
  const auto described = describe_device(device.name, false);
  if (!described) return properties;
  for (const auto& property : described->value("properties", nlohmann::json::array())) {
    properties.push_back({property.value("group", ""), property.value("name", ""), property.value("value", "")});
  }
  return properties;
}

// Returns the value of the property that a device reports under this name; "" if it reports none.
std::string property_of(const DeviceEntry& device, std::string_view name) {
  for (const auto& property : properties_of(device)) {
    if (property.name == name) return property.value;
  }
  return "";
}

// Returns the kernels that a Vulkan device uses ("texel" or "words") and the requested forms: "texel group_slices". Returns ""
// for other devices.
std::string variant_of(const DeviceEntry& device, const ConformanceOptions& options) {
  const auto variant = property_of(device, "kernel variant");
  if (variant.empty()) return "";
  return variant.substr(0, variant.find(' ')) + (options.kernels.empty() ? "" : " " + options.kernels);
}

// Checks that the device uses exactly the requested kernel forms.
Status check_forms(const DeviceEntry& device, const ConformanceOptions& options) {
  if (options.kernels.empty()) return {};
  const auto forms = property_of(device, "kernel forms");
  const auto names_in = [](std::string list) {
    std::set<std::string> names;
    std::replace(list.begin(), list.end(), ',', ' ');
    std::istringstream stream(list);
    for (std::string name; stream >> name;) names.insert(name);
    return names;
  };
  if (names_in(forms) == names_in(options.kernels)) return {};
  return fail(fmt::format("{} does not know all forms of --kernels {}; it knows {}", device.name, options.kernels,
                          forms.empty() ? "none" : forms));
}

// Returns the options that decide what a case computes, for the header of the record.
std::string settings_of(const ConformanceOptions& options) {
  return fmt::format("seed {}, mode {}, repeat {}{}", options.seed, conformance::mode_name(options.run.mode), options.run.repeat,
                     options.against_reference ? ", against the reference" : "");
}

Message message_about(Message::Kind kind, size_t index) {
  Message message;
  message.kind = kind;
  message.index = index;
  return message;
}

Message refusal(std::string text, int code) {
  Message message = message_about(Message::Kind::kRefused, 0);
  message.text = std::move(text);
  message.code = code;
  return message;
}

// Gives a generated case its expectations. Returns the outcome if it gets none.
std::optional<Outcome> expect(const CaseEntry& entry, conformance::VectorCase& c, const DeviceEntry& reference) {
  if (!c.golden || entry.has_expectations) return std::nullopt;
  std::string unsupported;
  const auto filled = conformance::fill_expectations(c, reference, entry.keeps_outputs_open, unsupported);
  if (!filled) return Outcome{Verdict::kFailed, "on the reference device: " + filled.error().message, FailureKind::kError};
  if (!unsupported.empty()) return Outcome{Verdict::kSkipped, "NotSupported: " + unsupported + " on the reference device"};
  return std::nullopt;
}

// Keeps the evidence of a failure. An error costs the evidence, not the result.
void keep(const conformance::FailedCase& failed, const std::string& report) {
  if (!conformance::wants_evidence(report, failed.name, failed.variant)) return;
  if (const auto kept = conformance::keep_evidence(report, failed); !kept) report_note(kept.error().message);
}

// A worker's device, and the messages about it.
class Worker {
 public:
  Worker(int channel, const ConformanceOptions& options, const std::vector<CaseEntry>& entries)
      : channel_(channel), options_(options), entries_(entries) {}

  int run(const std::string& device) {
    const Message opened = open(device);
    tell(opened);
    if (opened.kind == Message::Kind::kRefused) return opened.code;
    conformance::LineReader lines;
    std::string line;
    while (next_line(lines, line)) {
      const auto task = conformance::parse_task(line);
      if (!task || task->index >= entries_.size()) return kFailure;  // the parent sends no such line
      if (!perform(*task)) {
        std::fflush(nullptr);
        ::_exit(kSuccess);  // a lost device could keep the library's end waiting
      }
    }
    return kSuccess;
  }

 private:
  void tell(const Message& message) const { write_to_channel(channel_, conformance::to_line(message)); }

  bool next_line(conformance::LineReader& lines, std::string& line) const {
    std::array<char, 4096> buffer;
    while (!lines.next(line)) {
      const ssize_t count = ::read(channel_, buffer.data(), buffer.size());
      if (count <= 0) return false;
      lines.add({buffer.data(), static_cast<size_t>(count)});
    }
    return true;
  }

  // Finds the devices. Returns the message about it.
  Message open(const std::string& spec) {
    const auto device = find_device(spec);
    if (!device) {
      const bool is_default = spec == ConformanceOptions().device;
      return refusal(device.error().message + (is_default ? "; --device cpu runs the cases on the CPU" : ""), kNoDevice);
    }
    const auto reference = conformance::reference_device();
    if (!reference) return refusal(reference.error().message, kFailure);
    device_ = *device;
    reference_ = *reference;
    const auto variant = variant_of(device_, options_);
    if (!options_.variant.empty() && variant.empty()) {
      return refusal(
          fmt::format("--variant needs a Vulkan device, because only these have variants of kernels; {} is another device",
                      device_.name),
          kUsage);
    }
    if (const auto forms = check_forms(device_, options_); !forms) return refusal(forms.error().message, kUsage);
    Message ready = message_about(Message::Kind::kReady, 0);
    ready.device.subject = {device_.name, device_.version, variant, settings_of(options_)};
    ready.device.properties = properties_of(device_);
    variant_ = variant;
    return ready;
  }

  // Performs a task. Returns false if the device was lost, since all later tasks would fail as well.
  bool perform(const Task& task) const {
    tell(message_about(Message::Kind::kStarted, task.index));
    const CaseEntry& entry = entries_[task.index];
    if (task.kind == Task::Kind::kExplain) {
      const auto explanation = entry.explain(device_, options_.run);
      Message explained = message_about(Message::Kind::kExplained, task.index);
      explained.text = explanation ? *explanation : explanation.error().message;
      tell(explained);
      return true;
    }
    Message ended = message_about(Message::Kind::kEnded, task.index);
    const auto start = std::chrono::steady_clock::now();
    ended.outcome = judge(entry);
    ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    tell(ended);
    return ended.outcome.kind != FailureKind::kDeviceLost;
  }

  Outcome judge(const CaseEntry& entry) const {
    auto loaded = entry.load();
    if (loaded && options_.describe) {
      fmt::print("{}:\n{}", entry.dotted, conformance::describe(*loaded));
      std::fflush(stdout);  // it may crash
    }
    if (!loaded) return {Verdict::kFailed, loaded.error().message, FailureKind::kError};
    if (auto unusual = expect(entry, *loaded, reference_)) return *std::move(unusual);
    conformance::CaseOutputs outputs;
    auto outcome = conformance::run_case(*loaded, device_, options_.run, options_.report.empty() ? nullptr : &outputs);
    if (outcome.verdict == Verdict::kFailed && !options_.report.empty()) {
      const bool may_flush = device_.type == ANEURALNETWORKS_DEVICE_GPU;
      keep({entry.dotted, variant_, *loaded, outputs.empty() ? nullptr : &outputs, may_flush}, options_.report);
    }
    return outcome;
  }

  int channel_;
  const ConformanceOptions& options_;
  const std::vector<CaseEntry>& entries_;
  DeviceEntry device_;
  DeviceEntry reference_;
  std::string variant_;
};

}  // namespace

int run_tasks(int channel, const ConformanceOptions& options, const std::vector<CaseEntry>& entries, const std::string& device) {
  return Worker(channel, options, entries).run(device);
}

int keep_missing_evidence(const std::string& report, const std::vector<FailedEntry>& failures) {
  const auto reference = conformance::reference_device();
  if (!reference) return kFailure;
  for (const auto& [entry, variant] : failures) {
    if (!conformance::wants_evidence(report, entry->dotted, variant)) continue;
    auto loaded = entry->load();
    if (!loaded) continue;
    expect(*entry, *loaded, *reference);  // without expectations, the operands alone are evidence
    keep({entry->dotted, variant, *loaded, nullptr, false}, report);
  }
  return kSuccess;
}

int tell_variants(int channel, const std::string& device) {
  const auto found = find_device(device);
  if (found) write_to_channel(channel, property_of(*found, "kernel variants"));
  return kSuccess;
}

int run_part(int channel, const CaseEntry& entry, const std::set<size_t>& left_out, const std::string& device) {
  const auto found = find_device(device);
  if (!found) return kNoDevice;
  const auto tell = [&](const std::string& description) { write_to_channel(channel, description); };
  const auto ran = conformance::run_without_outputs(entry, left_out, *found, tell);
  return ran && *ran ? kNoCrash : static_cast<int>(kSuccess);
}

}  // namespace nnvk::tools
