// Names and texts of what a graph holds.
#include "importers/onnx/graph.h"

#include <fmt/format.h>

#include <array>

namespace nnvk::importers::onnx {
namespace {

struct TypeRow {
  const char* name;
  unsigned bits;
};

// The element types, by the number of ElementType.
constexpr std::array<TypeRow, 24> kTypes{{
    {"UNDEFINED", 0},      {"FLOAT", 32},     {"UINT8", 8},          {"INT8", 8},         {"UINT16", 16},   {"INT16", 16},
    {"INT32", 32},         {"INT64", 64},     {"STRING", 0},         {"BOOL", 8},         {"FLOAT16", 16},  {"DOUBLE", 64},
    {"UINT32", 32},        {"UINT64", 64},    {"COMPLEX64", 64},     {"COMPLEX128", 128}, {"BFLOAT16", 16}, {"FLOAT8E4M3FN", 8},
    {"FLOAT8E4M3FNUZ", 8}, {"FLOAT8E5M2", 8}, {"FLOAT8E5M2FNUZ", 8}, {"UINT4", 4},        {"INT4", 4},      {"FLOAT4E2M1", 4},
}};

const TypeRow* row(ElementType type) {
  const auto index = static_cast<size_t>(type);  // negative numbers become huge ones
  return index < kTypes.size() ? &kTypes[index] : nullptr;
}

}  // namespace

std::string type_name(ElementType type) {
  const TypeRow* found = row(type);
  return found ? found->name : fmt::format("element type {}", static_cast<int32_t>(type));
}

unsigned element_bits(ElementType type) {
  const TypeRow* found = row(type);
  return found ? found->bits : 0;
}

std::string shape_text(const std::vector<int64_t>& dimensions) {
  std::string text = "[";
  for (const int64_t dimension : dimensions) {
    if (text.size() > 1) text += ',';
    text += dimension < 0 ? "?" : std::to_string(dimension);
  }
  return text + "]";
}

std::string describe(const Value& value) {
  return fmt::format("'{}' {} {}", value.name, type_name(value.type),
                     value.has_rank ? shape_text(value.dimensions) : std::string("of unknown rank"));
}

}  // namespace nnvk::importers::onnx
