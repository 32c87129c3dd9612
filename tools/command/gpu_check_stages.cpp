#include "tools/command/gpu_check_stages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tools/command/json_output.h"
#include "tools/command/upscaler.h"
#include "tools/device_check/latency.h"
#include "tools/device_check/layers.h"
#include "tools/device_check/plan.h"
#include "tools/device_check/recording.h"
#include "tools/nnapi/descriptions.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using device_check::Json;

constexpr const char* kChosenByNnvk = "nnvk's choice";  // the part of the layers without a requested form

// Replaces this process by `nnvk ARGUMENTS`. Returns only after a failure.
int run_command(const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>("nnvk")};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv("/proc/self/exe", argv.data());
  return report_error({fmt::format("cannot start this program again: {}", std::strerror(errno))});
}

std::string seconds_text(double seconds) { return fmt::format("{:.1f}", std::max(seconds, 1.0)); }

// The command that runs conformance cases. Starting and reporting take a little of the time.
std::vector<std::string> conformance_command(const StageTask& task) {
  const GpuCheckOptions& options = task.options;
  std::vector<std::string> command{"conformance",
                                   "--generated",
                                   "--json",
                                   "--device",
                                   options.device,
                                   "--time-limit",
                                   seconds_text(0.95 * task.seconds - 1),
                                   "--jobs",
                                   fmt::to_string(options.jobs)};
  if (!options.vectors.empty()) command.insert(command.end(), {"--vectors", options.vectors});
  return command;
}

// The record that the first stage of cases begins and the last one completes.
void keep_record(const StageTask& task, bool resume, std::vector<std::string>& command) {
  const auto record = std::filesystem::path(task.options.report) / "conformance.jsonl";
  command.insert(command.end(), {"--variant", "all", "--results", record.string()});
  if (resume) command.emplace_back("--resume");
}

int print(const Result<Json>& figures) {
  if (!figures) return report_error(figures.error());
  print_json(*figures);
  return kSuccess;
}

// Writes the snapshot, and returns the description with the peak rates.
Result<Json> describe(const StageTask& task) {
  TOOLS_ASSIGN(const DeviceEntry device, find_device(task.options.device));
  TOOLS_ASSIGN(const auto document, describe_devices(true));
  for (const auto& physical : document.value("physical_devices", nlohmann::json::array())) {
    if (physical.value("name", "") != device.name || !physical.contains("snapshot")) continue;
    TOOLS_TRY(write_file(std::filesystem::path(task.options.report) / "snapshot.json", physical.at("snapshot").dump(2) + "\n"));
  }
  for (const auto& described : document.value("devices", nlohmann::json::array())) {
    if (described.value("name", "") != device.name) continue;
    if (described.value("type", "") == "CPU")
      return fail("the device is a CPU; this check is for Vulkan devices", ANEURALNETWORKS_UNAVAILABLE_DEVICE);
    return Json(described);
  }
  return fail("the device has no description");
}

// Returns the device's place among the physical devices of Vulkan's loader.
Result<size_t> physical_index_of(const std::string& name) {
  TOOLS_ASSIGN(const auto document, describe_devices(false));
  const auto physical = document.value("physical_devices", nlohmann::json::array());
  for (size_t i = 0; i < physical.size(); ++i) {
    if (physical[i].value("name", "") == name) return i;
  }
  return fail("Vulkan lists no physical device named " + name);
}

Result<Json> record(const StageTask& task) {
  TOOLS_ASSIGN(const DeviceEntry device, find_device(task.options.device));
  TOOLS_ASSIGN(const size_t index, physical_index_of(device.name));
  return device_check::measure_recording(device, index, task.seconds);
}

Result<Json> measure_layers(const StageTask& task) {
  TOOLS_ASSIGN(const DeviceEntry device, find_device(task.options.device));
  return device_check::measure_layers(device, task.device, task.seconds);
}

Result<Json> measure_latency(const StageTask& task) {
  TOOLS_ASSIGN(const DeviceEntry device, find_device(task.options.device));
  return device_check::measure_latency(device, task.seconds);
}

int run_models(const StageTask& task) {
  std::vector<std::string> command{"benchmark", "--json", "--device",     task.options.device + ",nnvk-cpu",
                                   "--seconds", "1",      "--time-limit", seconds_text(0.95 * task.seconds - 1)};
  if (const auto shipped = shipped_file("benchmark.json"); !shipped.empty()) command.push_back(shipped);
  command.insert(command.end(), task.options.models.begin(), task.options.models.end());
  return run_command(command);
}

}  // namespace

std::vector<std::string> gpu_check_parts(const std::string& stage) {
  std::vector<std::string> parts;
  if (stage == "forms") {
    for (const auto form : device_check::conformance_forms()) parts.emplace_back(form);
  } else if (stage == "layers") {
    parts.emplace_back(kChosenByNnvk);
    for (const auto form : device_check::product_forms()) parts.emplace_back(form);
  }
  return parts;
}

Environment gpu_check_environment(const StageTask& task) {
  if (task.stage == "layers" && task.part != kChosenByNnvk) return {{"NNVK_VULKAN_KERNELS", task.part}};
  if (task.stage == "validation") return {{"NNVK_VULKAN_VALIDATION", "1"}};
  return {};
}

int run_gpu_check_stage(const StageTask& task) {
  if (task.stage == "device") return print(describe(task));
  if (task.stage == "calibration") return run_command({"devices", "--calibrate", "--json"});
  if (task.stage == "layers") return print(measure_layers(task));
  if (task.stage == "models") return run_models(task);
  if (task.stage == "latency") return print(measure_latency(task));
  if (task.stage == "recording") return print(record(task));
  auto command = conformance_command(task);
  if (task.stage == "conformance") keep_record(task, false, command);
  if (task.stage == "all_cases") keep_record(task, true, command);
  if (task.stage == "forms") command.insert(command.end(), {"--kernels", task.part});
  return run_command(command);
}

}  // namespace nnvk::tools
