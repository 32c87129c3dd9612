// Writes log lines to stderr, or to a test's sink.
#include "core/base/log.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "core/base/config.h"

#ifdef __ANDROID__
#include <android/log.h>
#endif

namespace nnvk {
namespace {

LogLevel level_from_environment() {
  const std::string text = read_setting("NNVK_LOG", nullptr).value_or("");
  if (text == "error") return LogLevel::kError;
  if (text == "info") return LogLevel::kInfo;
  if (text == "verbose") return LogLevel::kVerbose;
  return LogLevel::kWarning;
}

constexpr std::pair<std::string_view, Detail> kDetails[] = {
    {"model", Detail::kModel},         {"compilation", Detail::kCompilation}, {"execution", Detail::kExecution},
    {"cpuexe", Detail::kCpuExecution}, {"manager", Detail::kManager},         {"driver", Detail::kDriver},
    {"memory", Detail::kMemory},
};
constexpr uint32_t kAllDetails = 0x7F;

uint32_t details_from_environment() {
  const std::string text = read_setting("NNVK_VLOG", "debug.nn.vlog").value_or("");
  uint32_t details = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(" ,:", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    const auto known = std::find_if(std::begin(kDetails), std::end(kDetails), [&](const auto& d) { return d.first == word; });
    if (word.empty()) continue;
    if (word == "1" || word == "all") {
      details = kAllDetails;
    } else if (known != std::end(kDetails)) {
      details |= static_cast<uint32_t>(known->second);
    } else {
      log_line(LogLevel::kError, "NeuralNetworks", "NNVK_VLOG knows no \"" + word + "\"");
    }
  }
  return details;
}

std::atomic<uint32_t>& details() {
  static std::atomic<uint32_t> instance{details_from_environment()};
  return instance;
}

constinit std::atomic<LogSink> sink{nullptr};

void write_line(LogLevel level, std::string_view tag, std::string_view text) {
  if (LogSink redirected = sink.load()) return redirected(level, tag, text);
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

}  // namespace

bool log_enabled(LogLevel level) {
  static const LogLevel limit = level_from_environment();
  return level <= limit || sink.load() != nullptr;
}

void log_line(LogLevel level, std::string_view tag, std::string_view text) {
  if (log_enabled(level)) write_line(level, tag, text);
}

void read_details() { details() = details_from_environment(); }

bool log_enabled(Detail detail) { return (details().load(std::memory_order_relaxed) & static_cast<uint32_t>(detail)) != 0; }

void log_line(Detail detail, std::string_view tag, std::string_view text) {
  if (log_enabled(detail)) write_line(LogLevel::kInfo, tag, text);
}

void set_log_sink(LogSink redirected) { sink.store(redirected); }

}  // namespace nnvk
