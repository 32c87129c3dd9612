// Copies by MAXIMUM(x, x) and the like, because no rewrite of a plan removes these operations.
#include "tools/conformance/generators/copies.h"

#include <android/NeuralNetworks.h>

#include <algorithm>

#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {

bool can_be_copied(const VectorOperand& operand) { return is_tensor(operand.type) && operand.channel_scales.empty(); }

uint32_t add_copy(VectorGraph& graph, uint32_t operand) {
  VectorOperand copy;
  const VectorOperand& source = graph.operands[operand];
  copy.type = source.type;
  copy.dimensions = source.dimensions;
  copy.scale = source.scale;
  copy.zero_point = source.zero_point;
  const auto index = static_cast<uint32_t>(graph.operands.size());
  graph.operands.push_back(std::move(copy));
  switch (graph.operands[operand].type) {
    case ANEURALNETWORKS_TENSOR_BOOL8:
      graph.operations.push_back({ANEURALNETWORKS_LOGICAL_OR, {operand, operand}, {index}});
      break;
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
      graph.operations.push_back({ANEURALNETWORKS_CAST, {operand}, {index}});
      break;
    default:
      graph.operations.push_back({ANEURALNETWORKS_MAXIMUM, {operand, operand}, {index}});
  }
  return index;
}

void compute_inputs(VectorGraph& graph) {
  std::vector<VectorOperation> readers;
  readers.swap(graph.operations);
  for (const uint32_t input : graph.inputs) {
    // Omitted operands cannot be copied.
    if (!can_be_copied(graph.operands[input]) || graph.operands[input].data.empty()) continue;
    const uint32_t copy = add_copy(graph, input);
    for (auto& reader : readers) std::ranges::replace(reader.inputs, input, copy);
  }
  std::ranges::copy(readers, std::back_inserter(graph.operations));
}

}  // namespace nnvk::tools::conformance
