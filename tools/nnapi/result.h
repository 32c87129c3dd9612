// Errors of the tools: a text that names the fault, its place and the remedy.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace nnvk::tools {

struct Error {
  std::string message;
  int code = 0;  // the result code of the library's call that failed; 0 for other errors
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(std::string message, int code = 0) {
  return tl::unexpected<Error>(Error{std::move(message), code});
}

}  // namespace nnvk::tools

// Returns from the enclosing function with the error of a Result or Status, if it has one.
#define TOOLS_TRY(expression)                                                         \
  do {                                                                                \
    if (auto tools_status = (expression); !tools_status) {                            \
      return ::tl::unexpected<::nnvk::tools::Error>(std::move(tools_status).error()); \
    }                                                                                 \
  } while (false)

#define TOOLS_CONCAT_INNER(a, b) a##b
#define TOOLS_CONCAT(a, b) TOOLS_CONCAT_INNER(a, b)

// TOOLS_ASSIGN(auto x, expression): x is the value, or the enclosing function returns the error.
#define TOOLS_ASSIGN(declaration, expression)                                                                \
  auto TOOLS_CONCAT(tools_result_, __LINE__) = (expression);                                                 \
  if (!TOOLS_CONCAT(tools_result_, __LINE__)) {                                                              \
    return ::tl::unexpected<::nnvk::tools::Error>(std::move(TOOLS_CONCAT(tools_result_, __LINE__)).error()); \
  }                                                                                                          \
  declaration = *std::move(TOOLS_CONCAT(tools_result_, __LINE__))
