// Logging: one line per message on stderr (logcat on Android), with time, process, thread and tag, filtered by NNVK_LOG (error,
// warning, info, verbose; default warning) and by tag (ANDROID_LOG_TAGS, as logcat understands it). What parts of the library do
// in detail is told when NNVK_VLOG names them.
#pragma once

#include <cstdint>
#include <string_view>

namespace nnvk {

enum class LogLevel { kError = 0, kWarning = 1, kInfo = 2, kVerbose = 3 };

// Whether the level is on for any tag.
bool log_enabled(LogLevel level);
// Writes "11-23 16:35:13.123  4711  4712 E/NeuralNetworks: text" (local time, process, thread) to the log if the level is on for
// the tag. Thread-safe, one write per line; none where memory runs out.
void log_line(LogLevel level, std::string_view tag, std::string_view text);
// As log_line(), for what may happen again and again and would fill the log. `times` it has happened by now: the first line, the
// second, the fourth, the eighth and so on are written, with that number.
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
// Reads the words again (docs/nnapi/log_and_trace.md#details: whenever a model is created). Unknown ones are logged as errors and
// ignored.
void read_details();
bool log_enabled(Detail detail);
// At INFO level whatever NNVK_LOG says, if the detail is on and ANDROID_LOG_TAGS does not silence the tag.
void log_line(Detail detail, std::string_view tag, std::string_view text);

// Redirects lines (tests); null restores stderr. The sink may be called from any thread.
using LogSink = void (*)(LogLevel level, std::string_view tag, std::string_view text);
void set_log_sink(LogSink sink);

}  // namespace nnvk
