// Facts about operand types and arithmetic on shapes.
#include "core/model/operand.h"

#include <algorithm>
#include <cstdio>

#include "core/model/operand_type_list.h"

namespace nnvk {
namespace {

struct TypeFacts {
  const char* name;
  size_t bytes;
  bool tensor;
  int feature_level;
};

// Indexed by the operand type's value (NNAPI OperandCode).
constexpr TypeFacts kFacts[] = {
#define NNVK_FACTS(enumerator, name, bytes, is_tensor, feature_level) {#name, bytes, is_tensor, feature_level},
    NNVK_OPERAND_TYPES(NNVK_FACTS)
#undef NNVK_FACTS
};
constexpr TypeFacts kOemScalarFacts = {"OEM_SCALAR", 0, false, 1};
constexpr TypeFacts kOemTensorFacts = {"TENSOR_OEM_BYTE", 1, true, 1};
constexpr TypeFacts kOtherFacts = {nullptr, 0, false, kExtensionFeatureLevel};

const TypeFacts& facts_of(OperandType type) {
  const auto value = static_cast<int32_t>(type);
  if (value >= 0 && value < static_cast<int32_t>(std::size(kFacts))) return kFacts[value];
  if (type == OperandType::kOemScalar) return kOemScalarFacts;
  if (type == OperandType::kTensorOemByte) return kOemTensorFacts;
  return kOtherFacts;
}

}  // namespace

std::string operand_type_name(OperandType type) {
  if (is_known_operand_type(type)) return facts_of(type).name;
  if (is_extension_type(type)) {
    char text[40];
    std::snprintf(text, sizeof text, "extension type 0x%08x", static_cast<uint32_t>(type));
    return text;
  }
  return "type " + std::to_string(static_cast<int32_t>(type));
}

bool is_known_operand_type(OperandType type) { return facts_of(type).name != nullptr; }
bool is_extension_type(OperandType type) { return (static_cast<uint32_t>(type) >> 16) != 0; }

bool is_scalar_type(OperandType type) { return is_known_operand_type(type) && !facts_of(type).tensor; }
bool is_tensor_type(OperandType type) { return facts_of(type).tensor; }
size_t element_size(OperandType type) { return facts_of(type).bytes; }
int operand_type_feature_level(OperandType type) { return facts_of(type).feature_level; }

bool is_quant8_asymm(OperandType type) {
  return type == OperandType::kTensorQuant8Asymm || type == OperandType::kTensorQuant8AsymmSigned;
}

bool is_float_tensor(OperandType type) { return type == OperandType::kTensorFloat32 || type == OperandType::kTensorFloat16; }

bool Shape::fully_known() const {
  return rank_known && std::none_of(dims.begin(), dims.end(), [](uint32_t d) { return d == kUnknownDimension; });
}

uint64_t Shape::element_count() const {
  uint64_t count = 1;
  for (const uint32_t d : dims) {
    if (d == 0) return 0;
    if (count > std::numeric_limits<uint64_t>::max() / d) {
      count = std::numeric_limits<uint64_t>::max();
    } else {
      count *= d;
    }
  }
  return count;
}

std::string Shape::to_string() const {
  if (!rank_known) return "[unknown rank]";
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i != 0) text += ", ";
    text += dims[i] == kUnknownDimension ? std::string("?") : std::to_string(dims[i]);
  }
  return text + "]";
}

std::optional<Shape> merge_shapes(const Shape& a, const Shape& b) {
  if (!a.rank_known) return b;
  if (!b.rank_known) return a;
  if (a.rank() != b.rank()) return std::nullopt;
  Shape merged = a;
  for (size_t i = 0; i < merged.dims.size(); ++i) {
    if (merged.dims[i] == kUnknownDimension) {
      merged.dims[i] = b.dims[i];
    } else if (b.dims[i] != kUnknownDimension && b.dims[i] != merged.dims[i]) {
      return std::nullopt;
    }
  }
  return merged;
}

std::optional<uint64_t> OperandInfo::byte_size() const {
  if (!shape.fully_known()) return std::nullopt;
  const uint64_t bytes = extension != nullptr ? extension->type.byte_size : element_size(type);
  const uint64_t count = shape.element_count();
  constexpr uint64_t kLimit = std::numeric_limits<uint32_t>::max();
  if (bytes != 0 && count > kLimit / bytes) return std::nullopt;
  return bytes * count;
}

}  // namespace nnvk
