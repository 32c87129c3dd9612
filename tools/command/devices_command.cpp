// `nnvk devices`: the devices, with features, limits, driver and chosen plan.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/progress.h"
#include "tools/nnapi/descriptions.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools {
namespace {

void print_device(const nlohmann::json& device) {
  fmt::print("{}: {}\n  type {}, version {}, feature level {}\n", device.value("index", 0), device.value("name", ""),
             device.value("type", ""), device.value("version", ""),
             feature_level_number(device.value("feature_level", int64_t{0})));
  fmt::print("  predicted times {}\n", device.value("calibrated", false) ? "calibrated" : "built in (see --calibrate)");
  std::string group;
  for (const auto& property : device.value("properties", nlohmann::json::array())) {
    if (property.value("group", "") != group) {
      group = property.value("group", "");
      fmt::print("  {}\n", group);
    }
    fmt::print("    {:<44} {}\n", property.value("name", ""), property.value("value", ""));
  }
  for (const auto& extension : device.value("extensions", nlohmann::json::array())) {
    fmt::print("  extension {}\n", extension.value("name", ""));
    fmt::print("    {:<44} {}\n", "operations", fmt::join(extension.value("operations", std::vector<int>()), " "));
    for (const auto& type : extension.value("operand_types", nlohmann::json::array())) {
      const auto name = fmt::format("operand type {}", type.value("code", 0));
      fmt::print("    {:<44} {} of {} bytes\n", name, type.value("is_tensor", false) ? "elements" : "scalar",
                 type.value("byte_size", 0));
    }
  }
  if (const auto ceilings = device.find("ceilings"); ceilings != device.end() && ceilings->is_object()) {
    fmt::print("  measured ceilings\n");
    for (const auto& [name, value] : ceilings->items()) {
      if (value.is_number()) fmt::print("    {:<44} {:.1f}\n", name, value.get<double>());
    }
    for (const auto& rate : ceilings->value("traffic", nlohmann::json::array())) {
      const auto name = fmt::format("gigabytes per second over {} KiB", rate.value("bytes", uint64_t{0}) / 1024);
      fmt::print("    {:<44} {:.1f}\n", name, rate.value("gigabytes_per_second", 0.0));
    }
  }
  if (device.contains("ceilings_error")) fmt::print("  ceilings not measured: {}\n", device.value("ceilings_error", ""));
}

int run_calibration(bool json) {
  const auto calibrated = [] {
    const Progress progress("measuring operations", Progress::kUnknown);
    return calibrate_devices();
  }();
  if (!calibrated) return report_error(calibrated.error());
  if (json) {
    print_json(*calibrated);
    return kSuccess;
  }
  for (const auto& device : calibrated->value("devices", nlohmann::json::array())) {
    const auto name = device.value("device", "");
    if (device.contains("error")) {
      fmt::print("{}: not calibrated: {}\n", name, device.value("error", ""));
    } else {
      fmt::print("{}: {} samples in {:.1f} s, predicted with a median error of {:.0f} %; kept in {}\n", name,
                 device.value("samples", 0), device.value("seconds", 0.0), 100 * device.value("median_error", 0.0),
                 device.value("file", ""));
      if (const auto choices = device.value("choices", ""); !choices.empty()) fmt::print("{} {}\n", name, choices);
    }
  }
  return kSuccess;
}

// Prints the physical devices that the library does not use, and the reasons.
void print_left_out(const nlohmann::json& document) {
  if (document.contains("no_vulkan")) fmt::print("no Vulkan device: {}\n", document.value("no_vulkan", ""));
  for (const auto& device : document.value("physical_devices", nlohmann::json::array())) {
    if (device.value("usable", true)) continue;
    fmt::print("no device: {} ({}): {}; only `nnvk kernels` uses it\n", device.value("name", ""), device.value("hardware", ""),
               device.value("reason", ""));
  }
}

// Prints the state of each plugin manifest.
void print_plugins(const nlohmann::json& document) {
  for (const auto& plugin : document.value("plugins", nlohmann::json::array())) {
    const auto name = plugin.value("name", "");
    const auto manifest = plugin.value("manifest", "");
    if (plugin.value("used", false)) {
      const char* const place = plugin.value("isolation", "") == "process" ? "in a process of its own" : "in this process";
      fmt::print("plugin {} ({}), {}: {}\n", name, manifest, place,
                 fmt::join(plugin.value("devices", std::vector<std::string>()), ", "));
    } else if (plugin.value("late", false)) {
      fmt::print("plugin {} ({}): {}\n", name, manifest, plugin.value("reason", ""));
    } else {
      fmt::print("no plugin{}: {}\n", name.empty() ? "" : fmt::format(" {} ({})", name, manifest), plugin.value("reason", ""));
    }
  }
}

int write_snapshot(const DevicesOptions& options) {
  const auto described = describe_devices(false);
  if (!described) return report_error(described.error());
  std::string names;
  for (const auto& device : described->value("physical_devices", nlohmann::json::array())) {
    const auto name = device.value("name", "");
    names += (names.empty() ? "" : ", ") + name;
    if (!options.device.empty() && options.device != name) continue;
    const Status written = write_file(options.snapshot, device.at("snapshot").dump(2) + "\n");
    if (!written) return report_error(written.error());
    if (options.json) print_json(nlohmann::json{{"snapshot", options.snapshot}, {"device", name}});
    return kSuccess;
  }
  return report_error({fmt::format("no such physical device; there is {}", names.empty() ? "none" : names)}, kNoDevice);
}

int print_names() {
  const auto devices = list_devices();
  if (!devices) return report_error(devices.error());
  for (const auto& device : *devices) fmt::print("{}\n", device.name);
  return kSuccess;
}

}  // namespace

int run_devices(const DevicesOptions& options) {
  if (options.names) return print_names();
  if (options.calibrate) return run_calibration(options.json);
  if (!options.snapshot.empty()) return write_snapshot(options);
  const auto described = [&] {
    const Progress progress("measuring the devices", Progress::kUnknown);
    return describe_devices(options.measure);
  }();
  if (!described) return report_error(described.error());
  const nlohmann::json& document = *described;
  if (options.json) {
    print_json(document);
    return kSuccess;
  }
  fmt::print("runtime feature level {}\n\n", feature_level_number(document.value("runtime_feature_level", int64_t{0})));
  for (const auto& device : document.value("devices", nlohmann::json::array())) {
    print_device(device);
    fmt::print("\n");
  }
  print_left_out(document);
  print_plugins(document);
  return kSuccess;
}

}  // namespace nnvk::tools
