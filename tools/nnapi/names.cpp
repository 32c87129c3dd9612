// Tables of names; the index of a name is its number.
#include "tools/nnapi/names.h"

#include <android/NeuralNetworks.h>

#include <algorithm>
#include <array>

#include "core/base/result_code_list.h"
#include "core/model/operand_type_list.h"
#include "core/operations/operation_list.h"

namespace nnvk::tools {
namespace {

#define NNVK_NAME(enumerator, number, name, family) std::string_view(#name),
constexpr auto kOperations = std::to_array({NNVK_OPERATIONS(NNVK_NAME)});
#undef NNVK_NAME
#define NNVK_IS_INDEX(enumerator, number, name, family) static_assert(kOperations[ANEURALNETWORKS_##name] == #name);
NNVK_OPERATIONS(NNVK_IS_INDEX)
#undef NNVK_IS_INDEX

struct OperandTypeRow {
  std::string_view name;
  size_t element_size;
  bool tensor;
};

constexpr auto kOperandTypes = std::to_array<OperandTypeRow>({
#define NNVK_ROW(enumerator, name, bytes, is_tensor, feature_level) {#name, bytes, is_tensor},
    NNVK_OPERAND_TYPES(NNVK_ROW)
#undef NNVK_ROW
});
static_assert(kOperandTypes.size() == ANEURALNETWORKS_MODEL + 1);
static_assert(kOperandTypes[ANEURALNETWORKS_TENSOR_QUANT8_SYMM].name == "TENSOR_QUANT8_SYMM");

#define NNVK_NAME(enumerator, name) std::string_view(#name),
constexpr auto kResults = std::to_array({NNVK_RESULT_CODES(NNVK_NAME)});
#undef NNVK_NAME
#define NNVK_IS_INDEX(enumerator, name) static_assert(kResults[ANEURALNETWORKS_##name] == #name);
NNVK_RESULT_CODES(NNVK_IS_INDEX)
#undef NNVK_IS_INDEX

const OperandTypeRow* operand_type_row(int32_t code) {
  return code >= 0 && static_cast<size_t>(code) < kOperandTypes.size() ? &kOperandTypes[code] : nullptr;
}

}  // namespace

std::string operation_name(int32_t code) {
  if (code >= 0 && static_cast<size_t>(code) < kOperations.size()) return std::string(kOperations[code]);
  return "operation " + std::to_string(code);
}

std::optional<int32_t> operation_code(std::string_view name) {
  const auto found = std::ranges::find(kOperations, name);
  if (found == kOperations.end()) return std::nullopt;
  return static_cast<int32_t>(found - kOperations.begin());
}

std::string operand_type_name(int32_t code) {
  const auto* row = operand_type_row(code);
  return row ? std::string(row->name) : "type " + std::to_string(code);
}

std::optional<int32_t> operand_type_code(std::string_view name) {
  if (name == "SUBGRAPH") return ANEURALNETWORKS_MODEL;
  const auto found = std::ranges::find(kOperandTypes, name, &OperandTypeRow::name);
  if (found == kOperandTypes.end()) return std::nullopt;
  return static_cast<int32_t>(found - kOperandTypes.begin());
}

std::string result_name(int code) {
  if (code >= 0 && static_cast<size_t>(code) < kResults.size()) return std::string(kResults[code]);
  return "result " + std::to_string(code);
}

size_t element_size(int32_t operand_type) {
  const auto* row = operand_type_row(operand_type);
  return row ? row->element_size : 0;
}

bool is_tensor(int32_t operand_type) {
  const auto* row = operand_type_row(operand_type);
  return row && row->tensor;
}

bool is_quant8(int32_t operand_type) {
  return operand_type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM || operand_type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
}

int feature_level_number(int64_t feature_level_code) {
  if (feature_level_code >= ANEURALNETWORKS_FEATURE_LEVEL_1 && feature_level_code <= ANEURALNETWORKS_FEATURE_LEVEL_5) {
    return static_cast<int>(feature_level_code - ANEURALNETWORKS_FEATURE_LEVEL_1) + 1;
  }
  return feature_level_code > 1000000 ? static_cast<int>(feature_level_code - 1000000) : 0;
}

}  // namespace nnvk::tools
