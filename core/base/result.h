// Errors as values: what failed, where, and which NNAPI result code it becomes at the C API's edge.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
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
  kNotRecordable = 0x10000,  // of nnvk's own functions (nnvk/vulkan_interop.h)
};

// "OP_FAILED" and so on; never null.
const char* code_name(Code code);

// An operation of the client's model.
struct OperationPlace {
  uint32_t index = 0;  // in the order of addOperation
  int32_t code = 0;    // ANEURALNETWORKS_*, or an extension's
  std::string name;

  std::string text() const;  // "CONV_2D (operation 12)"
};

// An operand of the client's model, or an argument of its execution.
struct OperandPlace {
  const char* kind = "operand";  // "operand", "constant operand", "input" or "output"; a literal
  uint32_t index = 0;
  std::string type = {};  // empty where it says nothing new

  std::string text() const;  // "input 3", "TENSOR_FLOAT32 (operand 7)"
};

// What is wrong and, in fields that are set by who knows them, where. Everything a reader sees of it is made by text(). Copies
// never fail: where memory runs out they have the code alone, and "memory ran out" for a message, which takes none.
struct Error {
  Error();
  Error(Code code, std::string message, std::source_location raised_at = std::source_location::current());
  Error(const Error& other) noexcept;
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other) noexcept;
  Error& operator=(Error&& other) noexcept;
  ~Error();

  Code code = Code::kOpFailed;
  bool is_of_dependency = false;  // it was not run; the rest tells why that failed which it depends on
  bool is_refused_early = false;  // the model's own numbers contradict each other: its compilation fails already
  std::string message;            // what and what to do, without the place: "perm[2] = 5 is outside [-4, 4)"
  std::string device;             // name; empty where no device takes part
  std::optional<OperationPlace> operation;
  std::optional<OperandPlace> operand;
  int vk_result = 0;  // VkResult of the call that failed; 0: none did
  std::source_location raised_at;

  // The error with a place added. Places are told from the outside in (device, operation, operand); one that is added around a
  // place of its own kind, such as the WHILE around an operation of its body, leaves the inner one to the message.
  Error on_device(std::string name) const;
  Error at(OperationPlace place) const;
  Error at(OperandPlace place) const;
  Error at(std::string_view where) const;  // what has no field
  // The error of what depends on this one: OP_FAILED, with the first cause however long the chain of dependants is.
  Error of_dependency() const noexcept;

  // "nnapi-reference: TRANSPOSE (operation 12): input 1: perm[2] = 5 is outside [-4, 4)".
  std::string text() const;
  // "core/plan/resolve.cpp:173"; for developers.
  std::string raised_where() const;

 private:
  void forget_words() noexcept;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Code code, std::string message,
                                  std::source_location raised_at = std::source_location::current()) {
  return tl::unexpected<Error>(Error(code, std::move(message), raised_at));
}
// OUT_OF_MEMORY, for which no memory is needed.
inline tl::unexpected<Error> fail_out_of_memory(std::source_location raised_at = std::source_location::current()) {
  return fail(Code::kOutOfMemory, "memory ran out", raised_at);
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
