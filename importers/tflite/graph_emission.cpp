#include "importers/tflite/graph_emission.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nnvk::importers::tflite {
namespace {

// Returns the operators whose results nothing reads but RESHAPE, for the shape of its result.
std::vector<bool> shape_computations(const Graph& graph) {
  std::vector<bool> matters(graph.tensors.size());
  std::vector<bool> read(graph.tensors.size());
  for (const int index : graph.outputs) matters[static_cast<size_t>(index)] = true;
  std::vector<bool> left_out(graph.operators.size());
  for (size_t n = graph.operators.size(); n-- > 0;) {
    const Operator& op = graph.operators[n];
    const auto for_shapes_only = [&](int index) {
      return read[static_cast<size_t>(index)] && !matters[static_cast<size_t>(index)];
    };
    left_out[n] = !op.outputs.empty() && std::ranges::all_of(op.outputs, for_shapes_only);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] < 0) continue;
      const auto index = static_cast<size_t>(op.inputs[i]);
      read[index] = true;
      const bool is_shape = op.code == format::BuiltinOperator_RESHAPE && i == 1;
      if (!left_out[n] && !is_shape) matters[index] = true;
    }
  }
  return left_out;
}

// Returns an operand with the value of `operand` that may be an output of the model.
Result<uint32_t> copied(Emitter& emitter, const std::string& name, uint32_t operand) {
  const Operator copy{
      .code = 0, .name = "", .inputs = {}, .outputs = {}, .options = {}, .custom_options = {}, .where = "output " + name};
  return emitter.emit_temporary(copy, ANEURALNETWORKS_CAST, std::span(&operand, 1),
                                OperandInfo(emitter.builder().operand(operand)));
}

}  // namespace

TensorMemory tensor_memory(const Graph& graph) {
  std::set<int> used(graph.inputs.begin(), graph.inputs.end());
  used.insert(graph.outputs.begin(), graph.outputs.end());
  for (const Operator& op : graph.operators) {
    used.insert(op.inputs.begin(), op.inputs.end());
    used.insert(op.outputs.begin(), op.outputs.end());
  }
  used.erase(-1);       // omitted
  TensorMemory memory;  // the sum cannot overflow: a tensor has at most 2^35 bytes and takes several of the file
  int largest = -1;
  for (const int index : used) {
    const Tensor& tensor = graph.tensors[static_cast<size_t>(index)];
    if (tensor.variable) continue;  // operators count the zeros they make for it, or reject it
    const uint64_t bytes = tensor.elements() * element_size(tensor.type);
    memory.bytes += bytes;
    if (bytes <= memory.largest_bytes) continue;
    memory.largest_bytes = bytes;
    largest = index;
  }
  for (const auto* ports : {&graph.inputs, &graph.outputs}) {
    for (const int index : *ports) memory.bytes += graph.tensors[static_cast<size_t>(index)].elements() * sizeof(float);
  }
  if (largest >= 0) {
    memory.largest = fmt::format("{} {}", describe(graph, largest), shape_text(graph.tensors[static_cast<size_t>(largest)]));
  }
  return memory;
}

uint64_t source_size(const Graph& graph) {
  constexpr uint64_t kBytesPerOperator = 64;
  return graph.file ? graph.file->size() : graph.operators.size() * kBytesPerOperator;
}

Result<EmittedGraph> emit_graph(Emitter& emitter) {
  const Graph& graph = emitter.graph();
  EmittedGraph result;
  for (const int index : graph.inputs) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.model_input(index));
    result.inputs.push_back(operand);
  }
  const std::vector<bool> left_out = shape_computations(graph);
  for (size_t n = 0; n < graph.operators.size(); ++n) {
    if (left_out[n]) continue;
    TOOLS_TRY(emit_operator(emitter, graph.operators[n]));
    result.operation_origins.resize(emitter.builder().operations().size(), graph.operators[n].where);
  }
  std::set<uint32_t> taken(result.inputs.begin(), result.inputs.end());
  for (const int index : graph.outputs) {
    TOOLS_ASSIGN(uint32_t operand, emitter.returned(index));
    const auto& tensor = emitter.tensor(index);
    const bool must_copy = emitter.is_constant(index) || !taken.insert(operand).second;
    if (must_copy) {
      TOOLS_ASSIGN(operand, copied(emitter, fmt::format("'{}'", tensor.name), operand));
    }
    result.operation_origins.resize(emitter.builder().operations().size(), "the graph's outputs");
    result.outputs.push_back(operand);
  }
  return result;
}

}  // namespace nnvk::importers::tflite
