// The outermost layer of the C API: turns errors and exceptions into result codes, logs them, remembers them for
// nnvk_lastError(), and makes each call a section of the trace.
#pragma once

#include <exception>
#include <initializer_list>
#include <memory>
#include <new>

#include "api/handle_life.h"
#include "core/base/trace.h"

namespace nnvk::api {

// Logs one ERROR line "function: message", stores it for this thread and returns the code as an int.
int report(const char* function, const Error& error);

// Returns the text that report() has stored on this thread; never null.
const char* last_error();

// If `mute`, report() stores errors without logging them, on all threads.
void mute_failed_calls(bool mute);

// Begins the trace section of an entry point. Returns false if the entry point has none, or if tracing is off.
bool begin_call(const char* function);

// Begins the trace section of the entry point `function`; the returned object's destructor ends it.
inline trace::Section traced_call(const char* function) {
  return trace::Section::ending(trace::may_be_on() && begin_call(function));
}

// Runs `body`, which returns a Status or Result, as the body of the entry point `function`.
template <class Body>
int call(const char* function, Body body) {
  const trace::Section section = traced_call(function);
  try {
    if (const auto result = body(); !result) return report(function, result.error());
    return static_cast<int>(Code::kNoError);
  } catch (const std::bad_alloc&) {
    return report(function, {Code::kOutOfMemory, "memory ran out"});
  } catch (const std::exception& exception) {
    return report(function, {Code::kOpFailed, exception.what()});
  }
}

// Runs `body` like the function above, but first checks the arguments in `required`.
template <class Body>
int call(const char* function, std::initializer_list<Argument> required, Body body) {
  return call(function, [&]() -> Status {
    for (const Argument& argument : required) NNVK_TRY(argument.check());
    return body();
  });
}

// Runs the entry point `function` that makes a handle: `fill` completes it and returns a Status. `*out` is NULL when anything
// fails. The handle exists before `fill` starts work, so a lack of memory cannot lose that work. Do not use this for entry points
// that take handles of the same kind: the new handle's address exists before their check.
template <class Handle, class Fill>
int call_to_make(const char* function, Handle** out, const char* name, Fill fill) {
  return call(function, {{out, name}}, [&]() -> Status {
    *out = nullptr;
    auto handle = std::make_unique<Handle>();
    NNVK_TRY(fill(*handle));
    *out = handle.release();
    return {};
  });
}

// Frees a client's handle; for no live handle, only logs an error. The object lives on for other threads and for objects that
// need it.
template <class Handle>
void free_handle(const char* function, Handle* handle) {
  call(function, [&]() -> Status {
    if (handle == nullptr) return {};
    NNVK_ASSIGN(const bool is_ours, close_handle(handle, kHandleKind<Handle>));
    if (!is_ours) return {};
    if constexpr (requires { handle->on_free(); }) handle->on_free();
    if constexpr (requires { handle->uses; }) {
      for (auto& use : handle->uses) use.close();
    }
    const bool is_needed = handle->life.is_not_to_be_freed();
    handle->life.let_go();
    if (!is_needed) return {};
    return fail(Code::kBadState, "others still use the object: it stays for them until they are freed. Free it after them");
  });
}

}  // namespace nnvk::api

// A required argument of an entry point; error texts name it as the source does.
#define NNVK_ARGUMENT(argument) ::nnvk::api::Argument(argument, #argument)
// Returns the error of the argument (Argument::check()) from the enclosing function; else keeps the object alive to the end of
// the block.
#define NNVK_REQUIRE(argument)                                      \
  const ::nnvk::api::Argument argument##_kept(argument, #argument); \
  NNVK_TRY(argument##_kept.check())
