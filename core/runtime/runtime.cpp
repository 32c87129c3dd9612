// Device selection by environment, and the list of devices.
#include "core/runtime/runtime.h"

#include <regex.h>

#include <algorithm>

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

Runtime::Runtime(std::vector<std::unique_ptr<Device>> devices, std::unique_ptr<Device> cpu, HostEvaluator evaluator,
                 Settings settings)
    : devices_(std::move(devices)), evaluator_(std::move(evaluator)), settings_(std::move(settings)) {
  devices_.push_back(std::move(cpu));
  for (const auto& device : devices_) {
    view_.push_back(device.get());
    log_line(Detail::kManager, "Manager", "found " + device->info().name + ", version " + device->info().version);
  }
}

bool Runtime::has(const Device* device) const { return std::find(view_.begin(), view_.end(), device) != view_.end(); }

}  // namespace nnvk
