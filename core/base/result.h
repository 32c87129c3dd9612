// Errors as values: what failed, where, and which NNAPI result code it becomes at the C API's edge.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace nnvk {

// The NNAPI result codes (same values as ANEURALNETWORKS_*; the api folder asserts the equality).
enum class Code : int {
  kNoError = 0,
  kOutOfMemory = 1,
  kIncomplete = 2,
  kUnexpectedNull = 3,
  kBadData = 4,
  kOpFailed = 5,
  kBadState = 6,
  kUnmappable = 7,
  kOutputInsufficientSize = 8,
  kUnavailableDevice = 9,
  kMissedDeadlineTransient = 10,
  kMissedDeadlinePersistent = 11,
  kResourceExhaustedTransient = 12,
  kResourceExhaustedPersistent = 13,
  kDeadObject = 14,
};

// "OP_FAILED" and so on; never null.
const char* code_name(Code code);

struct Error {
  Code code = Code::kOpFailed;
  std::string message;  // what, where and what to do, for the log; e.g. "perm[2] = 5 is outside [-4, 4)"

  // Prefixes the place: "TRANSPOSE (operation 12): perm[2] = 5 ...".
  Error at(std::string_view where) const& { return Error{code, std::string(where) + ": " + message}; }
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Code code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace nnvk

// Returns the error of `expression` (a Result or Status) from the enclosing function, if it has one.
#define NNVK_TRY(expression)                                                  \
  do {                                                                        \
    if (auto nnvk_status = (expression); !nnvk_status) {                      \
      return ::tl::unexpected<::nnvk::Error>(std::move(nnvk_status).error()); \
    }                                                                         \
  } while (false)

#define NNVK_CONCAT_INNER(a, b) a##b
#define NNVK_CONCAT(a, b) NNVK_CONCAT_INNER(a, b)
// NNVK_ASSIGN(auto x, make_x()): declares x from the value, or returns the error.
#define NNVK_ASSIGN(declaration, expression) NNVK_ASSIGN_INNER(NNVK_CONCAT(nnvk_result_, __LINE__), declaration, expression)
#define NNVK_ASSIGN_INNER(result, declaration, expression)                        \
  auto result = (expression);                                                     \
  if (!result) return ::tl::unexpected<::nnvk::Error>(std::move(result).error()); \
  declaration = std::move(*result)
