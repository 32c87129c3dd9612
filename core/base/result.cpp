// Names of result codes, and errors as text. Error's special members are not inline: functions that pass errors on stay small.
#include "core/base/result.h"

#include <iterator>
#include <new>

#include "core/base/result_code_list.h"

namespace nnvk {
Error::Error() = default;
Error::Error(Code error_code, std::string what, std::source_location where)
    : code(error_code), message(std::move(what)), raised_at(where) {}
Error::Error(const Error& other) noexcept : code(other.code), vk_result(other.vk_result), raised_at(other.raised_at) {
  is_of_dependency = other.is_of_dependency;
  is_refused_early = other.is_refused_early;
  try {
    message = other.message;
    device = other.device;
    operation = other.operation;
    operand = other.operand;
  } catch (const std::bad_alloc&) {
    forget_words();
  }
}
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) noexcept {
  if (this != &other) *this = Error(other);
  return *this;
}
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

void Error::forget_words() noexcept {
  message = "memory ran out";  // fits in the string itself
  device.clear();
  operation.reset();
  operand.reset();
}

std::string OperationPlace::text() const { return name + " (operation " + std::to_string(index) + ")"; }

std::string OperandPlace::text() const {
  const std::string name = std::string(kind) + " " + std::to_string(index);
  return type.empty() ? name : type + " (" + name + ")";
}

Error Error::on_device(std::string name) const {
  Error placed = device.empty() ? *this : at(std::string_view());
  placed.device = std::move(name);
  return placed;
}

Error Error::at(OperationPlace place) const {
  Error placed = device.empty() && !operation ? *this : at(std::string_view());
  placed.operation = std::move(place);
  return placed;
}

Error Error::at(OperandPlace place) const {
  Error placed = device.empty() && !operation && !operand ? *this : at(std::string_view());
  placed.operand = std::move(place);
  return placed;
}

Error Error::at(std::string_view where) const {
  Error placed(code, where.empty() ? text() : std::string(where) + ": " + text(), raised_at);
  placed.vk_result = vk_result;
  return placed;
}

Error Error::of_dependency() const noexcept {
  Error consequence = *this;
  consequence.code = Code::kOpFailed;
  consequence.is_of_dependency = true;
  return consequence;
}

std::string Error::text() const {
  std::string all = is_of_dependency ? "not run because a dependency failed: " : "";
  if (!device.empty()) all += device + ": ";
  if (operation) all += operation->text() + ": ";
  if (operand) all += operand->text() + ": ";
  return all + message;
}

std::string Error::raised_where() const {
  std::string_view path = raised_at.file_name();          // CMakeLists.txt has the compiler take off the project's folder
  while (path.starts_with("../")) path.remove_prefix(3);  // compiler caches may add these
  return std::string(path) + ":" + std::to_string(raised_at.line());
}

const char* code_name(Code code) {
#define NNVK_NAME(enumerator, name) #name,
  static constexpr const char* kNames[] = {NNVK_RESULT_CODES(NNVK_NAME)};
#undef NNVK_NAME
  if (code == Code::kNotRecordable) return "NOT_RECORDABLE";
  if (code == Code::kNotPrepared) return "NOT_PREPARED";
  const auto index = static_cast<size_t>(code);
  return index < std::size(kNames) ? kNames[index] : "UNKNOWN_RESULT";
}

}  // namespace nnvk
