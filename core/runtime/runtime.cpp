// Selects devices by the environment, and keeps their list.
#include "core/runtime/runtime.h"

#include <regex.h>

#include <string_view>

#include "core/base/log.h"

namespace nnvk {
namespace {

// Returns the reason why a pattern is too large for regcomp(), or null. regcomp() uses stack for nested groups and copies
// repeated parts. The limits are far above the needs of device lists. Without references to groups, matching takes linear time.
const char* excess_of(std::string_view pattern) {
  constexpr size_t kLength = 1024;
  constexpr int kGroups = 32;
  constexpr int kCounts = 2;  // of repetition counts; each may multiply the size of the part before it
  constexpr int kCountDigits = 2;
  if (pattern.size() > kLength) return "is longer than 1024 characters";
  int groups = 0;
  int counts = 0;
  int digits = 0;
  bool in_count = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      if (i + 1 < pattern.size() && pattern[i + 1] >= '1' && pattern[i + 1] <= '9') return "refers to a group (\\1 to \\9)";
      ++i;
      continue;
    }
    if (c == '(' && ++groups > kGroups) return "has more than 32 groups";
    if (c == '{') {
      in_count = true;
      if (++counts > kCounts) return "has more than 2 counts ({...})";
    }
    if (c == '}' || c == ',') digits = 0;
    if (c == '}') in_count = false;
    if (in_count && c >= '0' && c <= '9' && ++digits > kCountDigits) return "has a count above 99";
  }
  return nullptr;
}

}  // namespace

bool offers_device(const Settings& settings, const std::string& name) {
  const std::string& pattern = settings.device_pattern;
  if (pattern.empty()) return true;
  if (const char* excess = excess_of(pattern)) {
    log_line(LogLevel::kError, "Manager", std::string("NNVK_DEVICES ") + excess + "; all devices stay enabled");
    return true;
  }
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
  Lists lists;
  const bool has_fallback = cpu.fallback != nullptr;
  if (has_fallback) add(std::move(cpu.fallback), lists.all);
  lists.eligible = lists.all;
  reference_ = add(std::move(cpu.reference), lists.all);
  if (!has_fallback) lists.eligible = lists.all;
  lists_.replace(std::move(lists));
  insert_first(std::move(devices));
}

std::vector<Device*> Runtime::insert_first(std::vector<std::unique_ptr<Device>> devices) {
  const std::lock_guard lock(append_mutex_);
  std::vector<Device*> added;
  for (auto& device : devices) add(std::move(device), added);
  const Lists& known = lists_.current();
  Lists lists{added, added};
  lists.all.insert(lists.all.end(), known.all.begin(), known.all.end());
  lists.eligible.insert(lists.eligible.end(), known.eligible.begin(), known.eligible.end());
  lists_.replace(std::move(lists));
  return added;
}

Device* Runtime::append(std::unique_ptr<Device> device) {
  const std::lock_guard lock(append_mutex_);
  Lists lists = lists_.current();
  Device* const added = add(std::move(device), lists.all);
  if (added == nullptr) return nullptr;
  lists.eligible.insert(lists.eligible.end() - 1, added);
  lists_.replace(std::move(lists));
  return added;
}

Device* Runtime::add(std::unique_ptr<Device> device, std::vector<Device*>& list) {
  const DeviceInfo& info = device->info();
  for (const ExtensionDescription& extension : info.extensions) {
    if (const Status status = check_extension(extension); !status) {
      log_line(LogLevel::kError, "Manager", info.name + " is not registered: " + status.error().text());
      return nullptr;
    }
  }
  for (const ExtensionDescription& extension : info.extensions) {
    if (const Status status = extensions_.declare(extension); !status) {
      log_line(LogLevel::kError, "TypeManager", status.error().text() + " (found at " + info.name + ")");
    }
  }
  log_line(Detail::kManager, "Manager", "found " + info.name + ", version " + info.version);
  list.push_back(device.get());
  devices_.push_back(std::move(device));
  return list.back();
}

}  // namespace nnvk
