// Calls functions of the application and turns the exceptions that they throw into errors or lines in the log.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "core/base/log.h"
#include "core/base/result.h"

namespace nnvk {

// Runs `body`, which calls the application's function `name`. If it throws, returns OP_FAILED, or OUT_OF_MEMORY for
// std::bad_alloc; the caller must then assume that the function did not do its work.
template <class Body>
Status call_application(const char* name, Body&& body) {
  try {
    body();
    return {};
  } catch (const std::bad_alloc&) {
    return fail(Code::kOutOfMemory, std::string(name) + " of the application threw std::bad_alloc");
  } catch (const std::exception& exception) {
    return fail(Code::kOpFailed, std::string(name) + " of the application threw an exception: " + exception.what());
  } catch (...) {
    return fail(Code::kOpFailed, std::string(name) + " of the application threw an exception that is not a std::exception");
  }
}

// Does the same as call_application(), for callers that cannot pass an error on: logs the error and continues.
template <class Body>
void tell_application(const char* name, Body&& body) noexcept {
  try {
    const Status done = call_application(name, body);
    if (!done) log_line(LogLevel::kError, "Application", done.error().message);
  } catch (...) {
    // There is no memory for the message.
  }
}

}  // namespace nnvk
