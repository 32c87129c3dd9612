// Writes a model as a graph: nodes d<i> are operands, n<i> operations; labels of edges are positions of operands.
#include "core/model/graph_dump.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>

#include "core/base/log.h"
#include "core/base/shortest_text.h"
#include "core/model/model.h"

namespace nnvk {
namespace {

std::string short_type_name(OperandType type) {
  static constexpr const char* kNames[] = {"F32", "I32", "U32", "TF32", "TI32", "TQ8A"};  // of the first types
  const auto index = static_cast<size_t>(type);
  if (index < std::size(kNames)) return kNames[index];
  if (type == OperandType::kOemScalar) return "OEM";
  return type == OperandType::kTensorOemByte ? "TOEMB" : operand_type_name(type);
}

template <class T>
std::string value_text(const Operand& operand) {
  T value{};
  std::memcpy(&value, operand.value.data(), sizeof value);
  if constexpr (std::floating_point<T>) {
    return " = " + shortest_text(value);
  } else {
    return " = " + std::to_string(value);
  }
}

// Returns " = value" for scalars that the model has copied.
std::string scalar_value(const Operand& operand) {
  if (operand.role != TensorRole::kConstant || operand.value.size() != sizeof(int32_t)) return {};
  switch (operand.info.type) {
    case OperandType::kFloat32:
      return value_text<float>(operand);
    case OperandType::kInt32:
      return value_text<int32_t>(operand);
    case OperandType::kUint32:
      return value_text<uint32_t>(operand);
    default:
      return {};
  }
}

std::string dimensions(const Shape& shape) {
  std::string text;
  for (const uint32_t dim : shape.dims) {
    text += (text.empty() ? "(" : "x") + std::to_string(dim == kUnknownDimension ? 0 : dim);  // as the client wrote it
  }
  return text.empty() ? text : text + ")";
}

std::string role_mark(const Operand& operand) {
  constexpr size_t kLargestCopiedValue = 128;
  switch (operand.role) {
    case TensorRole::kConstant:
      return operand.memory != nullptr || operand.transposed != nullptr || operand.value.size() > kLargestCopiedValue ? ": REF"
                                                                                                                      : ": COPY";
    case TensorRole::kOmitted:
      return ": NO";
    case TensorRole::kSubgraph:
      return ": SUBGRAPH";
    default:
      return {};
  }
}

std::string operand_line(const Model& model, size_t index, const std::map<size_t, std::string>& roles) {
  const Operand& operand = model.operands()[index];
  const auto role = roles.find(index);
  std::string line = "    d" + std::to_string(index) + " [";
  if (role != roles.end()) line += "style=filled fillcolor=black fontcolor=white ";
  line += "label=\"" + std::to_string(index) + (role != roles.end() ? role->second : role_mark(operand)) + "\\n" +
          short_type_name(operand.info.type) + scalar_value(operand) + dimensions(operand.info.shape) + "\"]";
  return line;
}

void add_operation(const Model& model, size_t index, std::vector<std::string>& lines) {
  const Operation& operation = model.operations()[index];
  const std::string name = "n" + std::to_string(index);
  const size_t longer = std::max(operation.inputs.size(), operation.outputs.size());
  std::string line = "    " + name + " [shape=box";
  if (longer > 1) line += operation.inputs.size() == longer ? " ordering=in" : " ordering=out";
  lines.push_back(line + " label=\"" + std::to_string(index) + ": " + model.name_of(operation) + "\"]");
  const auto label = [](size_t position, size_t count) {
    return count > 1 ? " [label=" + std::to_string(position) + "]" : std::string();
  };
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    lines.push_back("    d" + std::to_string(operation.inputs[i]) + " -> " + name + label(i, operation.inputs.size()));
  }
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    lines.push_back("    " + name + " -> d" + std::to_string(operation.outputs[i]) + label(i, operation.outputs.size()));
  }
}

}  // namespace

std::vector<std::string> graph_lines(const Model& model, std::string_view title) {
  std::vector<std::string> lines{"// " + std::string(title), "digraph {"};
  std::map<size_t, std::string> roles;
  for (size_t i = 0; i < model.inputs().size(); ++i) roles[model.inputs()[i]] = " = input[" + std::to_string(i) + "]";
  for (size_t i = 0; i < model.outputs().size(); ++i) roles[model.outputs()[i]] = " = output[" + std::to_string(i) + "]";
  size_t referenced = 0;
  for (size_t i = 0; i < model.operands().size(); ++i) {
    lines.push_back(operand_line(model, i, roles));
    if (model.operands()[i].model == nullptr) continue;
    lines.push_back("    // d" + std::to_string(i) + " is the referenced model " + std::to_string(referenced++));
  }
  for (size_t i = 0; i < model.operations().size(); ++i) add_operation(model, i, lines);
  lines.emplace_back("}");
  return lines;
}

void log_graph(const Model& model, std::string_view title) {
  if (!log_enabled(Detail::kModel)) return;
  for (const std::string& line : graph_lines(model, title)) log_line(Detail::kModel, "GraphDump", line);
}

}  // namespace nnvk
