// Settings from outside the program: environment variables, on Android system properties. The one place of the library that reads
// them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace nnvk {

// Whether this process has rights that whoever started it may not have (set-user-id, set-group-id, file capabilities). What the
// environment says is then ignored: the library reads and writes files, loads libraries and switches devices by it.
bool is_privileged_process();

// The value of a setting, if it is there: of the environment variable, or on Android of the property. `property` may be null.
// Environment variables are as if unset in a privileged process.
std::optional<std::string> read_setting(const char* variable, const char* property);
// Set, and neither empty nor "0".
bool is_switched_on(const std::optional<std::string>& value);

// What becomes of compilations over all devices (docs/nnapi/devices.md#partitioning-modes).
enum class Partitioning : uint8_t {
  kNone = 0,             // the whole model on the fallback's device
  kWithFallback = 1,     // over all devices; what fails runs on the CPU
  kWithoutFallback = 2,  // over all devices
};

// Read once, when the library is first used.
struct Settings {
  bool cpu_only = false;       // NNVK_CPU_ONLY, debug.nn.cpuonly: offer only the CPU devices
  std::string device_pattern;  // NNVK_DEVICES, debug.nn.enabled-devices: what whole device names must match; empty: all
  Partitioning partitioning = Partitioning::kWithFallback;  // NNVK_PARTITION, debug.nn.partition
  bool cpu_on_calling_thread = true;                        // NNVK_SYNCEXEC_CPU, debug.nn.syncexec-cpu: of compute()
  unsigned cpu_threads = 0;   // NNVK_CPU_THREADS, debug.nn.cpu-threads: of nnvk-cpu, 1 to 64; 0: one per core
  bool cpu_optimized = true;  // NNVK_CPU_KERNELS, debug.nn.cpu-kernels: false for "reference": nnvk-cpu has no fast ones
  // NNVK_COST_FACTORS, debug.nn.cost-factors: what predicted times of devices are multiplied with, by name.
  std::map<std::string, double> cost_factors = {};
  bool start_compute_waits = false;  // NNVK_SYNCEXEC_RUNTIME, debug.nn.syncexec-runtime
};
// Values that mean nothing are logged and ignored.
Settings read_settings();

// NNVK_UNTRUSTED_MEMORY, debug.nn.untrusted-memory: whoever shares memory with this process may make its file shorter to end the
// process. Privileged processes ignore it like all others: who starts them can end them in simpler ways, by resource limits.
bool read_untrusted_memory();

// NNVK_SUPPORT_LIBRARY_LEVEL, debug.nn.support-library-level, 5 to 8: the feature level that the Support Library's table says of
// itself. 7 without it: TensorFlow Lite's loader refuses a table that says 8, without a message in release builds.
int read_support_library_level();

// NNVK_VULKAN_TIMEOUT_MS, debug.nn.vulkan-timeout-ms: how long a GPU may complete nothing before it is taken for lost; 0: for
// ever. Nothing without it, and when it is no number, which is logged.
std::optional<std::chrono::milliseconds> read_vulkan_timeout();

}  // namespace nnvk
