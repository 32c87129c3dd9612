// Reading and understanding of settings.
#include "core/base/config.h"

#include <charconv>
#include <cstdlib>

#include "core/base/log.h"

#ifdef __ANDROID__
#include <sys/system_properties.h>
#endif

namespace nnvk {

std::optional<std::string> read_setting(const char* variable, const char* property) {
#ifdef __ANDROID__
  char value[PROP_VALUE_MAX] = {};
  if (property != nullptr && ::__system_property_get(property, value) > 0) return std::string(value);
#else
  (void)property;
#endif
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
}

bool is_switched_on(const std::optional<std::string>& value) { return value && !value->empty() && *value != "0"; }

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
  if (const auto threads = read_setting("NNVK_CPU_THREADS", "debug.nn.cpu-threads"); threads && !threads->empty()) {
    unsigned count = 0;
    const auto [end, error] = std::from_chars(threads->data(), threads->data() + threads->size(), count);
    if (error == std::errc{} && end == threads->data() + threads->size() && count <= 64) {
      settings.cpu_threads = count;
    } else {
      log_line(LogLevel::kError, "Manager",
               "NNVK_CPU_THREADS=\"" + *threads + "\" is no number from 0 to 64; one thread per core");
    }
  }
  if (const auto kernels = read_setting("NNVK_CPU_KERNELS", "debug.nn.cpu-kernels"); kernels && !kernels->empty()) {
    settings.cpu_optimized = *kernels != "reference";
    if (settings.cpu_optimized && *kernels != "optimized") {
      log_line(LogLevel::kError, "Manager",
               "NNVK_CPU_KERNELS=\"" + *kernels + "\" is neither \"optimized\" nor \"reference\"; optimized");
    }
  }
  settings.start_compute_waits = is_switched_on(read_setting("NNVK_SYNCEXEC_RUNTIME", "debug.nn.syncexec-runtime"));
  return settings;
}

int read_support_library_level() {
  constexpr int kDefault = 7;
  const auto level = read_setting("NNVK_SUPPORT_LIBRARY_LEVEL", "debug.nn.support-library-level");
  if (!level || level->empty()) return kDefault;
  if (level->size() == 1 && *level >= "5" && *level <= "8") return level->front() - '0';
  log_line(LogLevel::kError, "Manager", "NNVK_SUPPORT_LIBRARY_LEVEL=\"" + *level + "\" is not 5, 6, 7 or 8; the table says 7");
  return kDefault;
}

}  // namespace nnvk
