// The edge of the C API: turns errors and exceptions into result codes, logs them and remembers them for nnvk_lastError(), and
// makes each call a section of the trace.
#pragma once

#include <exception>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "api/handle_life.h"
#include "api/traced_call.h"
#include "core/base/result.h"

namespace nnvk::api {

// Logs one ERROR line "function: message", stores it for this thread and returns the code as an int.
int report(const char* function, const Error& error);

// The text stored by report() on this thread; never null.
const char* last_error();

// With `mute`, report() stores without logging, on all threads.
void mute_failed_calls(bool mute);

// Runs `body`, which returns a Status or Result, as the body of the entry point `function`.
template <class Body>
int call(const char* function, Body&& body) {
  const trace::Section section = traced_call(function);
  try {
    if (const auto result = std::forward<Body>(body)(); !result) return report(function, result.error());
    return static_cast<int>(Code::kNoError);
  } catch (const std::bad_alloc&) {
    return report(function, {Code::kOutOfMemory, "memory ran out"});
  } catch (const std::exception& exception) {
    return report(function, {Code::kOpFailed, exception.what()});
  }
}

inline tl::unexpected<Error> null_argument(const char* name) {
  return fail(Code::kUnexpectedNull, std::string(name) + " is NULL");
}

}  // namespace nnvk::api

// Returns UNEXPECTED_NULL naming the argument when it is NULL, and BAD_DATA when it should be a handle and is no live one.
#define NNVK_REQUIRE(argument) NNVK_TRY(::nnvk::api::check_argument(argument, #argument))
