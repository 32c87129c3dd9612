// Device selection by environment, and the list of devices.
#include "core/runtime/runtime.h"

#include <regex.h>

#include "core/base/log.h"

namespace nnvk {

bool offers_device(const Settings& settings, const std::string& name) {
  const std::string& pattern = settings.device_pattern;
  if (pattern.empty()) return true;
  regex_t expression;
  if (::regcomp(&expression, ("^(" + pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    log_line(LogLevel::kError, "Manager",
             "NNVK_DEVICES=\"" + pattern + "\" is not a regular expression; all devices stay enabled");
    return true;
  }
  const bool matches = ::regexec(&expression, name.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&expression);
  return matches;
}

Runtime::Runtime(std::vector<std::unique_ptr<Device>> devices, CpuDevices cpu, HostEvaluator evaluator, Settings settings)
    : evaluator_(std::move(evaluator)), settings_(std::move(settings)) {
  for (auto& device : devices) add(std::move(device));
  const bool has_fallback = cpu.fallback != nullptr;
  if (has_fallback) add(std::move(cpu.fallback));
  eligible_ = listed_;
  add(std::move(cpu.reference));
  if (!has_fallback) eligible_ = listed_;
}

void Runtime::add(std::unique_ptr<Device> device) {
  const DeviceInfo& info = device->info();
  for (const ExtensionDescription& extension : info.extensions) {
    if (const Status status = check_extension(extension); !status) {
      return log_line(LogLevel::kError, "Manager", info.name + " is not registered: " + status.error().text());
    }
  }
  for (const ExtensionDescription& extension : info.extensions) {
    if (const Status status = extensions_.declare(extension); !status) {
      log_line(LogLevel::kError, "TypeManager", status.error().text() + " (found at " + info.name + ")");
    }
  }
  log_line(Detail::kManager, "Manager", "found " + info.name + ", version " + info.version);
  listed_.push_back(device.get());
  devices_.push_back(std::move(device));
}

}  // namespace nnvk
