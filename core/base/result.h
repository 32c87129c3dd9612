// Errors as values: what failed, where, and which NNAPI result code the C API returns for it.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace nnvk {

// The NNAPI result codes: their values equal ANEURALNETWORKS_*, which the api folder asserts.
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
  kNotRecordable = 0x10000,  // these two are of nnvk's own functions (nnvk/vulkan_interop.h)
  kNotPrepared = 0x10001,
};

// Returns "OP_FAILED" and so on; never null.
const char* code_name(Code code);

// The operation of the client's model that an error is about.
struct OperationPlace {
  uint32_t index = 0;  // in the order of addOperation
  int32_t code = 0;    // ANEURALNETWORKS_*, or an extension's
  std::string name;

  std::string text() const;  // "CONV_2D (operation 12)"
};

// The operand of the client's model, or the argument of its execution, that an error is about.
struct OperandPlace {
  const char* kind = "operand";  // "operand", "constant operand", "input" or "output"; a literal
  uint32_t index = 0;
  std::string type = {};  // empty if it adds nothing

  std::string text() const;  // "input 3", "TENSOR_FLOAT32 (operand 7)"
};

// A problem and its place; each layer of the library sets the fields that it knows. text() makes the whole message. Copies never
// fail: if memory runs out, a copy keeps the code alone, with the message "memory ran out", which needs no memory.
struct Error {
  Error();
  Error(Code code, std::string message, std::source_location raised_at = std::source_location::current());
  Error(const Error& other) noexcept;
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other) noexcept;
  Error& operator=(Error&& other) noexcept;
  ~Error();

  Code code = Code::kOpFailed;
  bool is_of_dependency = false;  // this work was not run: the work it depends on failed, for the reason in the other fields
  bool is_refused_early = false;  // the model's own numbers contradict each other: its compilation already fails
  std::string message;            // problem and remedy, without the place: "perm[2] = 5 is outside [-4, 4)"
  std::string device;             // name; empty if no device is involved
  std::optional<OperationPlace> operation;
  std::optional<OperandPlace> operand;
  int vk_result = 0;  // VkResult of the call that failed; 0: none did
  std::source_location raised_at;

  // These functions return the error with a place added. text() lists the outermost place first (device, operation, operand). If
  // the error already has a place of this kind (an operation in the body of a WHILE), that place moves into the message.
  Error on_device(std::string name) const;
  Error at(OperationPlace place) const;
  Error at(OperandPlace place) const;
  Error at(std::string_view where) const;  // for a place that has no field
  // Returns the error of work that depends on the failed work: OP_FAILED with the first cause, also at the end of a chain.
  Error of_dependency() const noexcept;

  // Returns the whole message: "nnapi-reference: TRANSPOSE (operation 12): input 1: perm[2] = 5 is outside [-4, 4)".
  std::string text() const;
  // Returns the place in the source, for developers: "core/plan/resolve.cpp:173".
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
// Returns OUT_OF_MEMORY, and allocates nothing.
inline tl::unexpected<Error> fail_out_of_memory(std::source_location raised_at = std::source_location::current()) {
  return fail(Code::kOutOfMemory, "memory ran out", raised_at);
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace nnvk

// If `expression` (a Result or Status) has an error, returns that error from the enclosing function.
#define NNVK_TRY(expression)                                                  \
  do {                                                                        \
    if (auto nnvk_status = (expression); !nnvk_status) {                      \
      return ::tl::unexpected<::nnvk::Error>(std::move(nnvk_status).error()); \
    }                                                                         \
  } while (false)

#define NNVK_CONCAT_INNER(a, b) a##b
#define NNVK_CONCAT(a, b) NNVK_CONCAT_INNER(a, b)
// NNVK_ASSIGN(auto x, make_x()): declares x with the value of make_x(), or returns its error from the enclosing function.
#define NNVK_ASSIGN(declaration, expression) NNVK_ASSIGN_INNER(NNVK_CONCAT(nnvk_result_, __LINE__), declaration, expression)
#define NNVK_ASSIGN_INNER(result, declaration, expression)                        \
  auto result = (expression);                                                     \
  if (!result) return ::tl::unexpected<::nnvk::Error>(std::move(result).error()); \
  declaration = std::move(*result)
