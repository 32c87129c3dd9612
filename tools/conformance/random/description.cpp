#include "tools/conformance/random/description.h"

#include <android/NeuralNetworks.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "tools/conformance/comparison.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

std::string dimensions_text(const std::vector<uint32_t>& dimensions) {
  if (dimensions.empty()) return "[*]";
  std::string text = "[";
  for (const uint32_t d : dimensions) text += (text.size() > 1 ? "," : "") + (d == 0 ? std::string("?") : std::to_string(d));
  return text + "]";
}

std::string type_text(const VectorOperand& operand) {
  if (!is_tensor(operand.type)) return operand_type_name(operand.type);
  auto text = operand_type_name(operand.type).substr(std::strlen("TENSOR_")) + " " + dimensions_text(operand.dimensions);
  if (operand.actual_dimensions) text += " given as " + dimensions_text(*operand.actual_dimensions);
  if (operand.scale != 0) text += fmt::format(" scale {:g} zero point {}", operand.scale, operand.zero_point);
  return text;
}

// Writes the first numbers of a constant or an input.
std::string values_text(const VectorOperand& operand) {
  constexpr size_t kMost = 8;
  const size_t size = element_size(operand.type);
  const size_t count = size == 0 ? 0 : operand.data.size() / size;
  std::vector<double> numbers;
  for (size_t i = 0; i < std::min(count, kMost); ++i) numbers.push_back(stored_number(operand.type, operand.data, i));
  return fmt::format("{}{}", fmt::join(numbers, " "), count > kMost ? " ..." : "");
}

std::string argument_text(const VectorGraph& graph, uint32_t index) {
  const VectorOperand& operand = graph.operands[index];
  switch (operand.lifetime) {
    case Lifetime::kSubgraph:
      return fmt::format("graph {}", operand.subgraph);
    case Lifetime::kNoValue:
      return "omitted";
    case Lifetime::kModelInput:
      if (operand.data.empty()) return fmt::format("%{} input {}", index, type_text(operand));
      return fmt::format("%{} input {} = {}", index, type_text(operand), values_text(operand));
    case Lifetime::kConstantCopy:
    case Lifetime::kConstantReference:
      return is_tensor(operand.type) ? fmt::format("{} = {}", type_text(operand), values_text(operand)) : values_text(operand);
    default:
      return fmt::format("%{}", index);
  }
}

std::string graph_text(const VectorGraph& graph) {
  std::string text;
  for (const auto& operation : graph.operations) {
    std::vector<std::string> outputs;
    std::vector<std::string> inputs;
    for (const uint32_t index : operation.outputs)
      outputs.push_back(fmt::format("%{} {}", index, type_text(graph.operands[index])));
    for (const uint32_t index : operation.inputs) inputs.push_back(argument_text(graph, index));
    text += fmt::format("  {} = {}({})\n", fmt::join(outputs, ", "), operation_name(operation.code), fmt::join(inputs, "; "));
  }
  return text + fmt::format("  outputs %{}\n", fmt::join(graph.outputs, ", %"));
}

}  // namespace

std::string describe(const VectorCase& c) {
  std::string text = c.relaxed ? "  relaxed\n" : "";
  text += graph_text(c.main);
  for (size_t i = 0; i < c.referenced.size(); ++i) {
    text += fmt::format("  graph {}, inputs %{}:\n{}", i, fmt::join(c.referenced[i].inputs, ", %"), graph_text(c.referenced[i]));
  }
  return text;
}

}  // namespace nnvk::tools::conformance
