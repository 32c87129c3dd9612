// Reads settings and parses their values.
#include "core/base/config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "core/base/log.h"

#include <sys/auxv.h>

#ifdef __ANDROID__
#include <sys/system_properties.h>
#endif

namespace nnvk {

bool is_privileged_process() { return ::getauxval(AT_SECURE) != 0; }

std::optional<std::string> read_setting(const char* variable, const char* property) {
#ifdef __ANDROID__
  char value[PROP_VALUE_MAX] = {};
  if (property != nullptr && ::__system_property_get(property, value) > 0) return std::string(value);
#else
  (void)property;
#endif
  const char* const text = is_privileged_process() ? nullptr : std::getenv(variable);
  return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
}

std::optional<std::string> user_cache_folder() {
  const auto cache = read_setting("XDG_CACHE_HOME", nullptr);
  if (cache && cache->starts_with('/')) return *cache + "/nnvk";  // the XDG standard says: ignore relative paths
  const auto home = read_setting("HOME", nullptr);
  if (home && home->starts_with('/')) return *home + "/.cache/nnvk";
  return std::nullopt;
}

namespace {

// Returns true if the value exists and is neither empty nor "0".
bool is_switched_on(const std::optional<std::string>& value) { return value && !value->empty() && *value != "0"; }

// Parses "name=2,other=0.5". Logs an error and returns no factors if the text is not such a list.
std::map<std::string, double> read_cost_factors() {
  const std::string text = read_setting("NNVK_COST_FACTORS", "debug.nn.cost-factors").value_or("");
  std::map<std::string, double> factors;
  std::istringstream list(text);
  for (std::string entry; std::getline(list, entry, ',');) {
    const size_t equals = std::min(entry.rfind('='), entry.size());
    double factor = 0;
    const char* const number = entry.data() + std::min(equals + 1, entry.size());
    const auto [last, error] = std::from_chars(number, entry.data() + entry.size(), factor);
    const bool is_number = error == std::errc{} && last == entry.data() + entry.size() && std::isfinite(factor) && factor > 0;
    if (equals == 0 || !is_number) {
      std::string message = "NNVK_COST_FACTORS=\"";
      message.append(text).append("\": \"").append(entry).append(
          "\" is not NAME=FACTOR with a factor above 0; no factor is used");
      log_line(LogLevel::kError, "Manager", message);
      return {};
    }
    factors[entry.substr(0, equals)] = factor;
  }
  return factors;
}

struct NumberSetting {
  const char* variable;
  const char* property;  // of Android
  uint32_t least;
  uint32_t most;
  const char* tag;        // of the log line for an invalid number
  const char* complaint;  // a valid number, and the value that is used instead
};

// Returns nothing if the setting is missing or is no number in its range; logs an error for the latter.
std::optional<uint32_t> read_number(const NumberSetting& setting) {
  const auto text = read_setting(setting.variable, setting.property);
  if (!text || text->empty()) return std::nullopt;
  const char* const end = text->data() + text->size();
  uint32_t number = 0;
  const auto [last, error] = std::from_chars(text->data(), end, number);
  if (error == std::errc() && last == end && number >= setting.least && number <= setting.most) return number;
  log_line(LogLevel::kError, setting.tag, std::string(setting.variable) + "=\"" + *text + "\" " + setting.complaint);
  return std::nullopt;
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.cpu_only = is_switched_on(read_setting("NNVK_CPU_ONLY", "debug.nn.cpuonly"));
  settings.device_pattern = read_setting("NNVK_DEVICES", "debug.nn.enabled-devices").value_or("");
  if (const auto mode = read_setting("NNVK_PARTITION", "debug.nn.partition"); mode && !mode->empty()) {
    if (*mode == "0" || *mode == "1" || *mode == "2") {
      settings.partitioning = static_cast<Partitioning>(mode->front() - '0');
    } else {
      log_line(LogLevel::kError, "Manager", "NNVK_PARTITION=\"" + *mode + "\" is not 0, 1 or 2; models are partitioned as usual");
    }
  }
  if (const auto calling_thread = read_setting("NNVK_SYNCEXEC_CPU", "debug.nn.syncexec-cpu")) {
    settings.cpu_on_calling_thread = is_switched_on(calling_thread);
  }
  settings.cpu_threads = read_number({"NNVK_CPU_THREADS", "debug.nn.cpu-threads", 0, 64, "Manager",
                                      "is not a number from 0 to 64; one thread per core"})
                             .value_or(settings.cpu_threads);
  if (const auto kernels = read_setting("NNVK_CPU_KERNELS", "debug.nn.cpu-kernels"); kernels && !kernels->empty()) {
    settings.cpu_optimized = *kernels != "reference";
    if (settings.cpu_optimized && *kernels != "optimized") {
      log_line(LogLevel::kError, "Manager",
               "NNVK_CPU_KERNELS=\"" + *kernels + "\" is neither \"optimized\" nor \"reference\"; optimized");
    }
  }
  settings.cost_factors = read_cost_factors();
  settings.start_compute_waits = is_switched_on(read_setting("NNVK_SYNCEXEC_RUNTIME", "debug.nn.syncexec-runtime"));
  return settings;
}

bool read_untrusted_memory() { return is_switched_on(read_setting("NNVK_UNTRUSTED_MEMORY", "debug.nn.untrusted-memory")); }

int read_support_library_level() {
  const auto level = read_number(
      {"NNVK_SUPPORT_LIBRARY_LEVEL", "debug.nn.support-library-level", 5, 8, "Manager", "is not 5, 6, 7 or 8; the table says 7"});
  return static_cast<int>(level.value_or(7));
}

std::optional<std::chrono::milliseconds> read_vulkan_timeout() {
  const auto milliseconds = read_number({"NNVK_VULKAN_TIMEOUT_MS", "debug.nn.vulkan-timeout-ms", 0, UINT32_MAX, "Vulkan",
                                         "is not a number of milliseconds and is ignored"});
  return milliseconds ? std::optional(std::chrono::milliseconds(*milliseconds)) : std::nullopt;
}

}  // namespace nnvk
