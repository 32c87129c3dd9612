// Asking, and writing the document.
#include "tools/conformance/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tools/conformance/compiled_case.h"
#include "tools/conformance/families.h"
#include "tools/conformance/generators/rows.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

std::string side(const std::vector<int32_t>& types) {
  const bool tensors = std::ranges::any_of(types, is_tensor);
  std::vector<int32_t> seen;
  std::string text;
  for (const int32_t type : types) {
    if ((tensors && !is_tensor(type)) || std::ranges::find(seen, type) != seen.end()) continue;
    seen.push_back(type);
    text += (text.empty() ? "" : ", ") + operand_type_name(type);
  }
  return text;
}

std::string cell(const SupportTable& table, const TypeCombination& combination) {
  const auto found = table.find(combination);
  if (found == table.end() || found->second.supported == 0) return "no";
  const auto& support = found->second;
  return support.supported == support.cases ? "yes" : fmt::format("{} of {} cases", support.supported, support.cases);
}

constexpr const char* kIntroduction =
    "# Which operations run where\n\n"
    "This table lists every operation with every combination of operand types that the specification allows. It says which\n"
    "devices of this library support the combination. Each answer comes from "
    "ANeuralNetworksModel_getSupportedOperationsForDevices,\n"
    "for models of that operation in many shapes, layouts and parameters. Types are listed once each, inputs before the "
    "arrow.\n\n"
    "Every Vulkan kernel has two variants. `texel` reads inputs through texel buffers. `words` reads them through storage "
    "buffers of\n"
    "32-bit words, for devices with small texel buffers or without 8- and 16-bit storage.\n\n"
    "`nnvk operations --output docs/support.md` writes this file, and a test compares it.\n\n"
    "The importers translate operators of other dialects into these operations: [ONNX](onnx_operators.md) and\n"
    "[TensorFlow Lite](tflite_operators.md).\n";

}  // namespace

std::string combination_label(const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs) {
  return side(inputs) + " -> " + side(outputs);
}

TypeCombination combination_of(const VectorCase& c, int32_t operation) {
  for (const auto& candidate : c.main.operations) {
    if (candidate.code != operation) continue;
    std::vector<int32_t> inputs;
    std::vector<int32_t> outputs;
    for (const uint32_t index : candidate.inputs) inputs.push_back(c.main.operands[index].type);
    for (const uint32_t index : candidate.outputs) outputs.push_back(c.main.operands[index].type);
    return {operation, combination_label(inputs, outputs)};
  }
  return {operation, ""};
}

Result<SupportTable> ask_support(const DeviceEntry& device) {
  SupportTable table;
  for (const auto& row : generated_rows().all()) {
    if (row.must_be_refused) continue;
    const auto c = row.make(0);
    const auto supported = supported_operations(c, device);
    if (!supported) return fail(row.dotted + ": " + supported.error().message);
    auto& entry = table[combination_of(c, row.operation)];
    ++entry.cases;
    bool all = true;
    for (size_t i = 0; i < supported->size(); ++i) all = all && ((*supported)[i] || c.main.operations[i].code != row.operation);
    if (all) ++entry.supported;
  }
  return table;
}

std::string to_lines(const SupportTable& table) {
  std::string text;
  for (const auto& [combination, support] : table) {
    text += fmt::format("{} {} {} {}\n", combination.operation, support.supported, support.cases, combination.types);
  }
  return text;
}

Result<SupportTable> from_lines(const std::string& text) {
  SupportTable table;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    TypeCombination combination;
    Support support;
    if (!(fields >> combination.operation >> support.supported >> support.cases)) return fail("malformed line: " + line);
    std::getline(fields >> std::ws, combination.types);
    table.emplace(std::move(combination), support);
  }
  return table;
}

std::string support_markdown(const std::vector<SupportColumn>& columns) {
  std::set<TypeCombination> combinations;
  for (const auto& column : columns) {
    for (const auto& [combination, support] : column.table) combinations.insert(combination);
  }
  std::string text = kIntroduction;
  for (const auto& family : families()) {
    text += fmt::format("\n## {}\n\n| operation | types |", family.name);
    std::string rule = "|---|---|";
    for (const auto& column : columns) {
      text += fmt::format(" {} |", column.title);
      rule += "---|";
    }
    text += "\n" + rule + "\n";
    for (const auto name : family.operations) {
      const auto code = operation_code(name);
      auto found = combinations.lower_bound({code.value_or(-1), ""});
      if (found == combinations.end() || found->operation != code) text += fmt::format("| {} | no generated cases |\n", name);
      for (; found != combinations.end() && found->operation == code; ++found) {
        text += fmt::format("| {} | {} |", name, found->types);
        for (const auto& column : columns) text += fmt::format(" {} |", cell(column.table, *found));
        text += "\n";
      }
    }
  }
  return text;
}

}  // namespace nnvk::tools::conformance
