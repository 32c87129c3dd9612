#include "tools/conformance/random/reduction.h"

#include <algorithm>
#include <optional>

#include "tools/conformance/compiled_case.h"
#include "tools/conformance/muted_errors.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

// Returns the graph without one operation: its outputs become inputs with the values that the reference computes.
std::optional<RandomGraph> without_operation(const RandomGraph& graph, size_t index, const DeviceEntry& reference) {
  const std::vector<uint32_t> cut = graph.c.main.operations[index].outputs;
  const MutedErrors muted(true);
  const RandomGraph before = part_of(graph, cut);
  auto compiled = CompiledCase::make(before.c, reference);
  if (!compiled || !compiled->unsupported().empty()) return std::nullopt;
  auto values = compiled->run_with_unknown_sizes(before.c);
  if (!values) return std::nullopt;
  RandomGraph rest = graph;
  VectorGraph& main = rest.c.main;
  main.operations.erase(main.operations.begin() + static_cast<ptrdiff_t>(index));
  for (size_t i = 0; i < cut.size(); ++i) {
    VectorOperand& operand = main.operands[cut[i]];
    CaseOutput& value = (*values)[i];
    if (value.bytes.empty() || operand.lifetime == Lifetime::kModelOutput) return std::nullopt;
    operand.lifetime = Lifetime::kModelInput;
    if (is_tensor(operand.type) && operand.dimensions != value.shape) operand.actual_dimensions = value.shape;
    operand.data = std::move(value.bytes);
    main.inputs.push_back(cut[i]);
    rest.errors[cut[i]] = {};
  }
  return part_of(rest, main.outputs);
}

}  // namespace

RandomGraph part_of(const RandomGraph& graph, const std::vector<uint32_t>& outputs) {
  const VectorGraph& all = graph.c.main;
  std::vector<bool> is_needed(all.operands.size());
  for (const uint32_t output : outputs) is_needed[output] = true;
  std::vector<bool> is_kept(all.operations.size());
  for (bool is_growing = true; is_growing;) {  // operations are in any order
    is_growing = false;
    for (size_t i = 0; i < all.operations.size(); ++i) {
      const auto& operation = all.operations[i];
      if (is_kept[i] || std::ranges::none_of(operation.outputs, [&](uint32_t o) { return is_needed[o]; })) continue;
      is_kept[i] = is_growing = true;
      for (const uint32_t o : operation.outputs) is_needed[o] = true;
      for (const uint32_t o : operation.inputs) is_needed[o] = true;
    }
  }
  RandomGraph part;
  part.c = graph.c;
  part.c.main = {};
  VectorGraph& main = part.c.main;
  std::vector<uint32_t> indexes(all.operands.size());
  for (uint32_t i = 0; i < all.operands.size(); ++i) {
    if (!is_needed[i]) continue;
    indexes[i] = static_cast<uint32_t>(main.operands.size());
    VectorOperand operand = all.operands[i];
    if (operand.lifetime == Lifetime::kModelOutput) operand.lifetime = Lifetime::kTemporary;
    if (operand.lifetime == Lifetime::kModelInput) main.inputs.push_back(indexes[i]);
    main.operands.push_back(std::move(operand));
    part.shapes.push_back(graph.shapes[i]);
    part.errors.push_back(graph.errors[i]);
  }
  for (const uint32_t output : outputs) {
    main.operands[indexes[output]].lifetime = Lifetime::kModelOutput;
    main.outputs.push_back(indexes[output]);
  }
  for (size_t i = 0; i < all.operations.size(); ++i) {
    if (!is_kept[i]) continue;
    VectorOperation operation = all.operations[i];
    for (uint32_t& index : operation.inputs) index = indexes[index];
    for (uint32_t& index : operation.outputs) index = indexes[index];
    main.operations.push_back(std::move(operation));
  }
  ensure_an_input(main);
  return part;
}

RandomGraph reduced(const RandomGraph& graph, const DeviceEntry& reference,
                    const std::function<bool(const RandomGraph&)>& fails) {
  RandomGraph smallest = graph;
  for (const auto& operation : graph.c.main.operations) {
    RandomGraph part = part_of(graph, operation.outputs);
    if (!fails(part)) continue;
    smallest = std::move(part);
    break;
  }
  for (size_t i = smallest.c.main.outputs.size(); i-- > 0 && smallest.c.main.outputs.size() > 1;) {
    std::vector<uint32_t> outputs = smallest.c.main.outputs;
    outputs.erase(outputs.begin() + static_cast<ptrdiff_t>(i));
    RandomGraph part = part_of(smallest, outputs);
    if (fails(part)) smallest = std::move(part);
  }
  for (size_t i = smallest.c.main.operations.size(); i-- > 0;) {
    if (i >= smallest.c.main.operations.size()) continue;
    auto rest = without_operation(smallest, i, reference);
    if (rest && !rest->c.main.operations.empty() && fails(*rest)) smallest = *std::move(rest);
  }
  return smallest;
}

}  // namespace nnvk::tools::conformance
