// Writes log lines to stderr, or to a test's sink.
#include "core/base/log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/config.h"

#ifdef __ANDROID__
#include <android/log.h>
#endif

namespace nnvk {
namespace {

constinit std::atomic<LogSink> sink{nullptr};

// The log writes lines up to `level`, and lines of the tags in ANDROID_LOG_TAGS up to the tag's own level. kSilent: no lines.
constexpr int kSilent = -1;
constexpr int kEverything = static_cast<int>(LogLevel::kVerbose);
struct Filter {
  int level = static_cast<int>(LogLevel::kWarning);
  std::vector<std::pair<std::string, int>> tags;

  std::optional<int> level_of(std::string_view tag) const {
    const auto found = std::ranges::find(tags, tag, &std::pair<std::string, int>::first);
    return found == tags.end() ? std::nullopt : std::optional(found->second);
  }
};

// Returns the level for a letter of logcat; debug counts as verbose, fatal as error.
std::optional<int> level_of_letter(char letter) {
  constexpr std::string_view kLetters = "SFEWIDV";
  constexpr int kLevels[] = {kSilent, 0, 0, 1, 2, 3, 3};
  const size_t place = kLetters.find(letter);
  return place == std::string_view::npos ? std::nullopt : std::optional(kLevels[place]);
}

void write_line(LogLevel level, std::string_view tag, std::string_view text);

Filter filter_from_environment() {
  Filter filter;
  const std::string text = read_setting("NNVK_LOG", nullptr).value_or("");
  constexpr std::string_view kNames[] = {"error", "warning", "info", "verbose"};
  const auto* const name = std::find(std::begin(kNames), std::end(kNames), text);
  if (name != std::end(kNames)) {
    filter.level = static_cast<int>(name - std::begin(kNames));
  } else if (!text.empty()) {
    write_line(LogLevel::kError, "NeuralNetworks",
               "NNVK_LOG=\"" + text + "\" is not error, warning, info or verbose; warnings and errors are logged");
  }
#ifndef __ANDROID__  // there the log does this itself
  std::istringstream list(read_setting("ANDROID_LOG_TAGS", nullptr).value_or(""));
  for (std::string entry; list >> entry;) {  // "Manager:V", "*:E"; without a letter all of a tag
    const size_t colon = std::min(entry.find(':'), entry.size());
    const auto level = colon + 1 < entry.size() ? level_of_letter(entry[colon + 1]) : std::optional(kEverything);
    if (!level) continue;
    if (entry.substr(0, colon) == "*") {
      filter.level = *level;
    } else {
      filter.tags.emplace_back(entry.substr(0, colon), *level);
    }
  }
#endif
  return filter;
}

const Filter& filter() {
  static const Filter instance = filter_from_environment();
  return instance;
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
    if (word.empty() || word == "\"\"") continue;  // how a property is switched off that cannot be empty
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

void write_line(LogLevel level, std::string_view tag, std::string_view text) {
  if (LogSink redirected = sink.load()) return redirected(level, tag, text);
#ifdef __ANDROID__
  constexpr int kPriorities[] = {ANDROID_LOG_ERROR, ANDROID_LOG_WARN, ANDROID_LOG_INFO, ANDROID_LOG_VERBOSE};
  __android_log_write(kPriorities[static_cast<int>(level)], std::string(tag).c_str(), std::string(text).c_str());
#else
  constexpr char kLetters[] = {'E', 'W', 'I', 'V'};
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm local{};
  ::localtime_r(&now.tv_sec, &local);
  std::array<char, 64> head{};
  const int size =
      std::snprintf(head.data(), head.size(), "%02d-%02d %02d:%02d:%02d.%03d %5d %5d %c/", local.tm_mon + 1, local.tm_mday,
                    local.tm_hour, local.tm_min, local.tm_sec, static_cast<int>(now.tv_nsec / 1'000'000),
                    static_cast<int>(::getpid()), static_cast<int>(::syscall(SYS_gettid)), kLetters[static_cast<int>(level)]);
  std::string line(head.data(), static_cast<size_t>(size));
  line.append(tag).append(": ").append(text).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
#endif
}

// Writes the line unless its tag's level filters it. A tag without a level uses `default_level`, or without that the general one.
void write_unless_filtered(LogLevel level, std::optional<int> default_level, std::string_view tag, std::string_view text) {
  try {
    const int limit = filter().level_of(tag).value_or(default_level.value_or(filter().level));
    if (static_cast<int>(level) <= limit || sink.load() != nullptr) write_line(level, tag, text);
  } catch (const std::bad_alloc&) {  // it is lost
  }
}

}  // namespace

bool log_enabled(LogLevel level) {
  const int number = static_cast<int>(level);
  const auto& tags = filter().tags;
  return number <= filter().level || sink.load() != nullptr ||
         std::any_of(tags.begin(), tags.end(), [&](const auto& tag) { return number <= tag.second; });
}

void log_line(LogLevel level, std::string_view tag, std::string_view text) {
  write_unless_filtered(level, std::nullopt, tag, text);
}

void log_repeated(LogLevel level, std::string_view tag, std::string_view text, uint64_t times) {
  if (!std::has_single_bit(times)) return;
  if (times == 1) return log_line(level, tag, text);
  log_line(level, tag, std::string(text) + ", " + std::to_string(times) + " times by now");
}

void read_details() { details() = details_from_environment(); }

bool log_enabled(Detail detail) { return (details().load(std::memory_order_relaxed) & static_cast<uint32_t>(detail)) != 0; }

void log_line(Detail detail, std::string_view tag, std::string_view text) {
  if (log_enabled(detail)) write_unless_filtered(LogLevel::kInfo, kEverything, tag, text);
}

void set_log_sink(LogSink redirected) { sink.store(redirected); }

}  // namespace nnvk
