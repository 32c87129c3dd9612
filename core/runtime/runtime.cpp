// Device selection by environment, and the list of devices.
#include "core/runtime/runtime.h"

#include <regex.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/base/log.h"

namespace nnvk {

bool DeviceFilter::allows(const std::string& name) const {
  if (cpu_only) return false;
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

DeviceFilter device_filter_from_environment() {
  DeviceFilter filter;
  const char* cpu_only = std::getenv("NNVK_CPU_ONLY");
  filter.cpu_only = cpu_only != nullptr && std::string_view(cpu_only) != "0" && *cpu_only != '\0';
  if (const char* pattern = std::getenv("NNVK_DEVICES")) filter.pattern = pattern;
  return filter;
}

Runtime::Runtime(std::vector<std::unique_ptr<Device>> devices, std::unique_ptr<Device> cpu, HostEvaluator evaluator)
    : devices_(std::move(devices)), evaluator_(std::move(evaluator)) {
  devices_.push_back(std::move(cpu));
  for (const auto& device : devices_) view_.push_back(device.get());
}

bool Runtime::has(const Device* device) const { return std::find(view_.begin(), view_.end(), device) != view_.end(); }

}  // namespace nnvk
