// Writes log lines to stderr, or to a test's sink.
#include "core/base/log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#ifdef __ANDROID__
#include <android/log.h>
#endif

namespace nnvk {
namespace {

LogLevel level_from_environment() {
  const char* value = std::getenv("NNVK_LOG");
  if (value == nullptr) return LogLevel::kWarning;
  const std::string_view text(value);
  if (text == "error") return LogLevel::kError;
  if (text == "info") return LogLevel::kInfo;
  if (text == "verbose") return LogLevel::kVerbose;
  return LogLevel::kWarning;
}

std::atomic<LogSink>& sink() {
  static std::atomic<LogSink> instance{nullptr};
  return instance;
}

}  // namespace

bool log_enabled(LogLevel level) {
  static const LogLevel limit = level_from_environment();
  return level <= limit || sink().load() != nullptr;
}

void log_line(LogLevel level, std::string_view tag, std::string_view text) {
  if (!log_enabled(level)) return;
  if (LogSink redirected = sink().load()) return redirected(level, tag, text);
#ifdef __ANDROID__
  constexpr int kPriorities[] = {ANDROID_LOG_ERROR, ANDROID_LOG_WARN, ANDROID_LOG_INFO, ANDROID_LOG_VERBOSE};
  __android_log_write(kPriorities[static_cast<int>(level)], std::string(tag).c_str(), std::string(text).c_str());
#else
  constexpr char kLetters[] = {'E', 'W', 'I', 'V'};
  std::string line;
  line.reserve(tag.size() + text.size() + 6);
  line.append(1, kLetters[static_cast<int>(level)]).append("/").append(tag).append(": ").append(text).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
#endif
}

void set_log_sink(LogSink redirected) { sink().store(redirected); }

}  // namespace nnvk
