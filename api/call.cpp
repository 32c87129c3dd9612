#include "api/call.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "api/entry_points.h"
#include "core/base/log.h"

namespace nnvk::api {
namespace {

// These are plain bytes, because a thread-local object with a destructor would keep the library loaded after dlclose.
thread_local char last_error_text[2048] = "";

std::atomic<bool> failures_muted{false};

}  // namespace

int report(const char* function, const Error& error) {
  std::string text;
  try {
    text = std::string(function) + " (" + code_name(error.code) + "): " + error.text();
    if (!failures_muted.load(std::memory_order_relaxed)) {
      log_line(LogLevel::kError, "NeuralNetworks", text);
      if (log_enabled(LogLevel::kVerbose)) log_line(LogLevel::kVerbose, "NeuralNetworks", "raised at " + error.raised_where());
    }
  } catch (const std::bad_alloc&) {
    // If memory runs out, the text stays empty or is not logged.
  }
  const size_t length = std::min(text.size(), sizeof last_error_text - 1);
  std::memcpy(last_error_text, text.data(), length);
  last_error_text[length] = '\0';
  return static_cast<int>(error.code);
}

const char* last_error() { return last_error_text; }

void mute_failed_calls(bool mute) { failures_muted.store(mute, std::memory_order_relaxed); }

bool begin_call(const char* function) {
  const std::string_view prefix = trace_prefix(function);
  return !prefix.empty() && trace::begin(prefix, function);
}

}  // namespace nnvk::api
