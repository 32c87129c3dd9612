// Settings from environment variables, or from system properties on Android. The whole library reads them through this file.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace nnvk {

// Returns true if this process has rights that its starter may lack (set-user-id, set-group-id, file capabilities). The library
// then ignores environment variables, because they name files and libraries to open and switch devices on and off.
bool is_privileged_process();

// Returns the value of the environment variable, or on Android of the property, if it exists. `property` may be null. In a
// privileged process every environment variable counts as unset.
std::optional<std::string> read_setting(const char* variable, const char* property);

// Returns $XDG_CACHE_HOME/nnvk or ~/.cache/nnvk; nothing if neither variable has an absolute path, or for privileged processes.
std::optional<std::string> user_cache_folder();

// How a compilation distributes a model if the client names no devices (docs/nnapi/devices.md#partitioning-modes).
enum class Partitioning : uint8_t {
  kNone = 0,             // the whole model on the fallback's device
  kWithFallback = 1,     // over all devices; if that fails, on the CPU
  kWithoutFallback = 2,  // over all devices
};

// The library reads these settings once, when a client first uses it.
struct Settings {
  bool cpu_only = false;       // NNVK_CPU_ONLY, debug.nn.cpuonly: offer only the CPU devices
  std::string device_pattern;  // NNVK_DEVICES, debug.nn.enabled-devices: regular expression for whole device names
  Partitioning partitioning = Partitioning::kWithFallback;  // NNVK_PARTITION, debug.nn.partition
  bool cpu_on_calling_thread = true;                        // NNVK_SYNCEXEC_CPU, debug.nn.syncexec-cpu: compute() on CPU devices
  unsigned cpu_threads = 0;   // NNVK_CPU_THREADS, debug.nn.cpu-threads: of nnvk-cpu, 1 to 64; 0: one per core, at most 8
  bool cpu_optimized = true;  // NNVK_CPU_KERNELS, debug.nn.cpu-kernels: false for "reference": without fast kernels
  // NNVK_COST_FACTORS, debug.nn.cost-factors: per device name, the factor for its predicted times.
  std::map<std::string, double> cost_factors = {};
  bool start_compute_waits = false;  // NNVK_SYNCEXEC_RUNTIME, debug.nn.syncexec-runtime
};
// Logs and ignores invalid values.
Settings read_settings();

// Returns true if nnvk must not map files that other processes can shorten (NNVK_UNTRUSTED_MEMORY, debug.nn.untrusted-memory): an
// access behind the new end would end this process (SIGBUS). Privileged processes ignore the variable, because their starters
// could end them by resource limits.
bool read_untrusted_memory();

// Returns the feature level in the Support Library's table, 5 to 8 (NNVK_SUPPORT_LIBRARY_LEVEL, debug.nn.support-library-level).
// The default is 7, because TensorFlow Lite's loader refuses a table with 8, in release builds without a message.
int read_support_library_level();

// Returns how long a GPU may complete nothing before nnvk treats it as lost; 0: for ever (NNVK_VULKAN_TIMEOUT_MS,
// debug.nn.vulkan-timeout-ms). Returns nothing if the setting is missing or is no number; nnvk logs an error for the latter.
std::optional<std::chrono::milliseconds> read_vulkan_timeout();

}  // namespace nnvk
