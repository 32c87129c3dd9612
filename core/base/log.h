// Logging: one line per message on stderr (logcat on Android), tagged, filtered by NNVK_LOG (error, warning, info, verbose; default warning).
#pragma once

#include <string_view>

namespace nnvk {

enum class LogLevel { kError = 0, kWarning = 1, kInfo = 2, kVerbose = 3 };

bool log_enabled(LogLevel level);
// Writes "E/NeuralNetworks: text" to the log if the level is on. Thread-safe, one write per line.
void log_line(LogLevel level, std::string_view tag, std::string_view text);
// Redirects lines (tests); null restores stderr. The sink may be called from any thread.
using LogSink = void (*)(LogLevel level, std::string_view tag, std::string_view text);
void set_log_sink(LogSink sink);

}  // namespace nnvk
