// Finds out which devices run which operations, from the library's answers for the models of the generated cases.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/conformance/vector_case.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// An operation with one combination of operand types.
struct TypeCombination {
  int32_t operation = 0;
  std::string types;

  auto operator<=>(const TypeCombination&) const = default;
};

// Returns a text such as "TENSOR_QUANT8_ASYMM, TENSOR_INT32 -> TENSOR_QUANT8_ASYMM": the types of inputs and outputs, each once,
// in the order of their first appearance. Scalars are named only on a side without tensors, because their types follow from the
// tensors.
std::string combination_label(const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs);

// Returns the combination of types of the case's first operation with this code, in its main graph.
TypeCombination combination_of(const VectorCase& c, int32_t operation);

struct Support {
  size_t supported = 0;
  size_t cases = 0;
};
using SupportTable = std::map<TypeCombination, Support>;

// Asks `device` about every generated case that must succeed.
Result<SupportTable> ask_support(const DeviceEntry& device);

// Writes one line per combination, and reads the lines back.
std::string to_lines(const SupportTable& table);
Result<SupportTable> from_lines(const std::string& text);

struct SupportColumn {
  std::string title;
  SupportTable table;
};

// Returns the document docs/support.md.
std::string support_markdown(const std::vector<SupportColumn>& columns);

}  // namespace nnvk::tools::conformance
