// Log lines on stderr (logcat on Android), with time, process, thread and tag. NNVK_LOG (error, warning, info, verbose; default
// warning) and ANDROID_LOG_TAGS (per tag, as in logcat) filter the lines; NNVK_VLOG adds details of parts of the library.
#pragma once

#include <cstdint>
#include <string_view>

namespace nnvk {

enum class LogLevel { kError = 0, kWarning = 1, kInfo = 2, kVerbose = 3 };

// Returns true if the log writes lines of this level for at least one tag.
bool log_enabled(LogLevel level);
// Writes "11-23 16:35:13.123  4711  4712 E/NeuralNetworks: text" (local time, process, thread) to the log if the level is on for
// the tag. Thread-safe; makes one write per line, and none if memory runs out.
void log_line(LogLevel level, std::string_view tag, std::string_view text);
// Does the same as log_line(), for events that may repeat and fill the log. `times`: the number of such events so far. Writes the
// first, second, fourth, eighth and so on, with that number.
void log_repeated(LogLevel level, std::string_view tag, std::string_view text, uint64_t times);

// The words of NNVK_VLOG (debug.nn.vlog on Android), separated by spaces, commas or colons: model, compilation, execution,
// cpuexe, manager, driver, memory; all or 1 for everything.
enum class Detail : uint32_t {
  kModel = 1,
  kCompilation = 2,
  kExecution = 4,
  kCpuExecution = 8,
  kManager = 16,
  kDriver = 32,
  kMemory = 64,
};
// Reads NNVK_VLOG again, at each creation of a model (docs/nnapi/log_and_trace.md#details). Logs unknown words and ignores them.
void read_details();
bool log_enabled(Detail detail);
// Writes the line at INFO level, whatever NNVK_LOG is, if the detail is on and ANDROID_LOG_TAGS does not silence the tag.
void log_line(Detail detail, std::string_view tag, std::string_view text);

// Sends lines to `sink` instead of stderr, for tests; null restores stderr. Any thread may call the sink.
using LogSink = void (*)(LogLevel level, std::string_view tag, std::string_view text);
void set_log_sink(LogSink sink);

}  // namespace nnvk
