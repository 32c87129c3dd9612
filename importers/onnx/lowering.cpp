// The walk over a graph, and what it knows about every value.
#include "importers/onnx/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "importers/onnx/movement.h"
#include "importers/onnx/quantization.h"

namespace nnvk::importers::onnx {
namespace {

// Returns the nodes that write the values; -1 if no node writes a value.
std::vector<int> writers_of(const Graph& graph) {
  std::vector<int> writers(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const int value : graph.nodes[n].outputs) {
      if (value >= 0) writers[static_cast<size_t>(value)] = static_cast<int>(n);
    }
  }
  return writers;
}

std::vector<std::vector<size_t>> readers_of(const Graph& graph) {
  std::vector<std::vector<size_t>> readers(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const int value : graph.nodes[n].inputs) {
      if (value >= 0) readers[static_cast<size_t>(value)].push_back(n);
    }
  }
  return readers;
}

// Returns the nodes in an order in which each comes after those that it reads from, as near to the given order as possible. Nodes
// of a cycle are missing.
std::vector<size_t> sorted_nodes(const Graph& graph) {
  const auto writers = writers_of(graph);
  const auto readers = readers_of(graph);
  std::vector<size_t> missing(graph.nodes.size(), 0);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const int value : graph.nodes[n].inputs) {
      if (value >= 0 && writers[static_cast<size_t>(value)] >= 0) ++missing[n];
    }
  }
  std::vector<size_t> order;
  std::vector<size_t> ready;  // a heap whose top is the smallest number
  const auto later = std::greater<size_t>();
  for (size_t n = 0; n < missing.size(); ++n) {
    if (missing[n] == 0) ready.push_back(n);
  }
  std::ranges::make_heap(ready, later);
  while (!ready.empty()) {
    std::ranges::pop_heap(ready, later);
    const size_t n = ready.back();
    ready.pop_back();
    order.push_back(n);
    for (const int value : graph.nodes[n].outputs) {
      if (value < 0) continue;
      for (const size_t reader : readers[static_cast<size_t>(value)]) {
        if (--missing[reader] > 0) continue;
        ready.push_back(reader);
        std::ranges::push_heap(ready, later);
      }
    }
  }
  return order;
}

uint64_t source_bytes(const Graph& graph) {
  uint64_t bytes = graph.nodes.size() * 64;
  for (const Value& value : graph.values) bytes += value.data.size();
  return bytes;
}

}  // namespace

Status Lowering::check(const Graph& graph) {
  const auto known = [&](int value) { return value >= 0 && static_cast<size_t>(value) < graph.values.size(); };
  std::vector<bool> written(graph.values.size(), false);
  for (size_t v = 0; v < graph.values.size(); ++v) written[v] = graph.values[v].constant;
  for (const int value : graph.inputs) {
    if (!known(value)) return fail(fmt::format("input {} of the graph does not exist", value));
    if (written[static_cast<size_t>(value)])
      return fail("input " + describe(graph.values[static_cast<size_t>(value)]) + " may not be a constant, nor be listed twice");
    written[static_cast<size_t>(value)] = true;
  }
  for (const Node& node : graph.nodes) {
    for (const int value : node.inputs) {
      if (value != -1 && !known(value)) return fail(fmt::format("{}: value {} does not exist", node.where, value));
    }
    for (const int value : node.outputs) {
      if (value == -1) continue;
      if (!known(value)) return fail(fmt::format("{}: value {} does not exist", node.where, value));
      const auto index = static_cast<size_t>(value);
      if (written[index])
        return fail(fmt::format("{}: it may not write {}, which already has a value", node.where, describe(graph.values[index])));
      written[index] = true;
    }
  }
  for (const Node& node : graph.nodes) {
    for (const int value : node.inputs) {
      if (value < 0 || written[static_cast<size_t>(value)]) continue;
      return fail(fmt::format("{}: nothing writes its input {}", node.where, describe(graph.values[static_cast<size_t>(value)])));
    }
  }
  for (const int value : graph.outputs) {
    if (!known(value)) return fail(fmt::format("output {} of the graph does not exist", value));
    if (!written[static_cast<size_t>(value)])
      return fail("nothing writes the output " + describe(graph.values[static_cast<size_t>(value)]));
  }
  const auto order = sorted_nodes(graph);
  if (order.size() == graph.nodes.size()) return {};
  std::vector<bool> sorted(graph.nodes.size(), false);
  for (const size_t n : order) sorted[n] = true;
  const auto first = static_cast<size_t>(std::ranges::find(sorted, false) - sorted.begin());
  return fail(graph.nodes[first].where + ": it depends on its own result, so the graph has a cycle");
}

Lowering::Lowering(const Graph& graph, const ImportOptions& options, ModelBuilder& builder)
    : graph_(graph),
      budget_(options.memory, source_bytes(graph)),
      emitter_(builder, budget_, options.relaxed),
      order_(sorted_nodes(graph)),
      done_(graph.nodes.size(), false),
      readers_(readers_of(graph)),
      tensors_(graph.values.size()) {}

bool Lowering::is_output(int value) const { return std::ranges::find(graph_.outputs, value) != graph_.outputs.end(); }

Result<Tensor> Lowering::described(int index) const {
  const Value& source = value(index);
  Tensor tensor;
  tensor.type = nnapi_type(source.type);
  if (source.type == ElementType::kUndefined) return fail(describe(source) + " has no tensor type");
  if (tensor.type == kNoType) return fail(describe(source) + " has a type that NNAPI does not have");
  if (!source.has_rank) return fail(describe(source) + " has an unknown number of dimensions");
  if (source.dimensions.size() > kMostDimensions)
    return fail(describe(source) + " has more dimensions than the importer supports");
  tensor.dimensions = source.dimensions;
  tensor.scale = tensor.is_8bit() ? 1.0f : 0.0f;
  return tensor;
}

// Gives an 8-bit input of the graph the quantization that its first reader gives it; other readers convert.
void Lowering::describe_quantization(int index, Tensor& tensor) const {
  if (!tensor.is_8bit()) return;
  for (const size_t reader : readers_[static_cast<size_t>(index)]) {
    const Node& node = graph_.nodes[reader];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const auto places = node.inputs[i] == index ? parameter_places(node, i) : std::nullopt;
      if (!places || places->scale >= node.inputs.size() || node.inputs[places->scale] < 0) continue;
      const auto scale = constant(node.inputs[places->scale]);
      const bool has_zero = places->zero_point < node.inputs.size() && node.inputs[places->zero_point] >= 0;
      const auto zero = has_zero ? constant(node.inputs[places->zero_point]) : nullptr;
      if (!scale || scale->elements() != 1 || (has_zero && (!zero || zero->elements() != 1))) continue;
      const auto scales = reals_of(*scale);
      const auto zeros = zero ? integers_of(*zero) : Result<std::vector<int64_t>>(std::vector<int64_t>{0});
      if (!scales || !zeros || !is_usable_scale(static_cast<float>((*scales)[0]))) continue;
      tensor.scale = static_cast<float>((*scales)[0]);
      tensor.zero_point = static_cast<int32_t>((*zeros)[0]);
      return;
    }
  }
}

Status Lowering::add_input(int index) {
  auto tensor = described(index);
  if (!tensor) return fail("input " + tensor.error().message);
  describe_quantization(index, *tensor);
  auto added = emitter_.input(*tensor);
  if (!added) return fail("input " + describe(value(index)) + ": " + added.error().message);
  TOOLS_TRY(emitter_.take_bytes(added->info().bytes(), "input " + describe(value(index))));
  tensors_[static_cast<size_t>(index)] = *added;
  inputs_.push_back(*std::move(added));
  return {};
}

Status Lowering::add_inputs() {
  for (const int index : graph_.inputs) TOOLS_TRY(add_input(index));
  return {};
}

void Lowering::add_possible_inputs() {
  for (const int index : graph_.inputs) static_cast<void>(add_input(index));  // its readers give the reason
}

ConstantPointer Lowering::constant(int index) const {
  const auto& tensor = tensors_[static_cast<size_t>(index)];
  if (tensor) return tensor->constant;
  if (!value(index).constant) return nullptr;
  auto made = constant_of(value(index));
  return made ? *made : nullptr;
}

const Quantized* Lowering::deferred(int index) const {
  const auto found = deferred_.find(index);
  return found == deferred_.end() ? nullptr : &found->second;
}

Result<Tensor> Lowering::tensor(int index) {
  auto& slot = tensors_[static_cast<size_t>(index)];
  if (slot) return *slot;
  if (value(index).constant) {
    TOOLS_ASSIGN(auto constant, constant_of(value(index)));
    slot = Emitter::constant(std::move(constant));
    return *slot;
  }
  if (const Quantized* quantized = deferred(index)) {
    TOOLS_ASSIGN(slot, dequantized(emitter_, *quantized));
    return *slot;
  }
  return fail("it reads " + describe(value(index)) + ", but the importer does not take the node that writes it");
}

Status Lowering::store(const Node& node, Tensors results) {
  if (results.size() > node.outputs.size()) results.resize(node.outputs.size());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] < 0) continue;
    if (i >= results.size()) return fail(fmt::format("its output {} cannot be computed", i));
    const Value& declared = value(node.outputs[i]);
    Tensor& result = results[i];
    const int32_t type = nnapi_type(declared.type);
    if (declared.type != ElementType::kUndefined && !result.constant && type != result.type) {
      return fail(fmt::format("its output {} is declared as {}, but would be {}", i, describe(declared), describe(result)));
    }
    if (declared.has_rank) {
      bool agrees = declared.dimensions.size() == result.rank();
      for (size_t d = 0; agrees && d < result.rank(); ++d) {
        const int64_t known = declared.dimensions[d];
        agrees = known < 0 || result.dimensions[d] < 0 || known == result.dimensions[d];
      }
      if (!agrees) {
        return fail(fmt::format("its output {} is declared as {}, but would be {}", i, describe(declared), describe(result)));
      }
    }
    tensors_[static_cast<size_t>(node.outputs[i])] = std::move(result);
  }
  return {};
}

Status Lowering::add_node(size_t index) {
  if (done_[index]) return {};
  const Node& node = graph_.nodes[index];
  emitter_.begin(node.where);
  const auto attempt = [&]() -> Status {
    TOOLS_ASSIGN(const OperatorFunction function, find_operator(node));
    OperatorCall call(*this, node);
    TOOLS_ASSIGN(Tensors results, function(call));
    if (results.empty()) return {};
    return store(node, std::move(results));
  };
  if (const Status status = attempt(); !status) return fail(node.where + ": " + status.error().message, status.error().code);
  done_[index] = true;
  return {};
}

std::vector<int> Lowering::values_without_operand(std::span<const int> values) const {
  std::vector<int> found;
  for (const int index : values) {
    if (index < 0) continue;
    const auto& tensor = tensors_[static_cast<size_t>(index)];
    const Quantized* quantized = deferred(index);
    if ((tensor && tensor->stored) || (quantized && quantized->tensor.stored)) found.push_back(index);
  }
  return found;
}

void Lowering::skip_node(size_t index) {
  for (const int output : graph_.nodes[index].outputs) {
    if (output < 0) continue;
    auto tensor = described(output);
    if (!tensor) continue;
    describe_quantization(output, *tensor);
    if (auto added = emitter_.input(*tensor)) tensors_[static_cast<size_t>(output)] = *added;
  }
}

void Lowering::absorb(const Requantization& requantization, Tensor result) {
  tensors_[static_cast<size_t>(requantization.value)] = std::move(result);
  for (const size_t node : requantization.nodes) done_[node] = true;
}

// Returns the QuantizeLinear that follows the node's output: follows the only reader of each value.
std::optional<Requantization> Lowering::requantization_of(const Node& node) const {
  if (node.outputs.empty() || node.outputs[0] < 0) return std::nullopt;
  for (size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i] >= 0) return std::nullopt;
  }
  Requantization result;
  int current = node.outputs[0];
  for (int step = 0; step < 2; ++step) {
    const auto& readers = readers_[static_cast<size_t>(current)];
    if (readers.size() != 1 || is_output(current)) return std::nullopt;
    const Node& reader = graph_.nodes[readers[0]];
    if (done_[readers[0]] || !reader.domain.empty() || reader.outputs.empty() || reader.outputs[0] < 0) return std::nullopt;
    if (reader.inputs[0] != current) return std::nullopt;
    result.nodes.push_back(readers[0]);
    if (reader.op_type == "QuantizeLinear") {
      const auto scale = reader.inputs.size() > 1 && reader.inputs[1] >= 0 ? constant(reader.inputs[1]) : nullptr;
      const bool has_zero = reader.inputs.size() > 2 && reader.inputs[2] >= 0;
      const auto zero = has_zero ? constant(reader.inputs[2]) : nullptr;
      if (!scale || scale->elements() != 1 || (has_zero && (!zero || zero->elements() != 1))) return std::nullopt;
      const auto scales = reals_of(*scale);
      const auto zeros = zero ? integers_of(*zero) : Result<std::vector<int64_t>>(std::vector<int64_t>{0});
      if (!scales || !zeros || !is_usable_scale(static_cast<float>((*scales)[0]))) return std::nullopt;
      result.type = nnapi_type(zero ? zero->type : ElementType::kUint8);
      if (!is_quant8(result.type)) return std::nullopt;
      result.scale = static_cast<float>((*scales)[0]);
      result.zero_point = static_cast<int32_t>((*zeros)[0]);
      result.value = reader.outputs[0];
      return result;
    }
    if (reader.op_type == "Relu") {
      result.activation = ANEURALNETWORKS_FUSED_RELU;
    } else if (reader.op_type == "Clip" && clips_to_six(*this, reader)) {
      result.activation = ANEURALNETWORKS_FUSED_RELU6;
    } else {
      return std::nullopt;
    }
    current = reader.outputs[0];
  }
  return std::nullopt;
}

Result<std::vector<Tensor>> Lowering::outputs() {
  std::vector<Tensor> results;
  std::vector<uint32_t> taken;
  for (const Tensor& input : inputs_) taken.push_back(*input.operand);
  for (const int index : graph_.outputs) {
    auto result = tensor(index);
    if (!result) return fail("the graph's output " + result.error().message);
    emitter_.begin("the output '" + value(index).name + "'");
    if (result->stored) result = reshape(emitter_, *result, result->dimensions);  // dimensions of 1 can be added
    if (!result) return fail("the output " + describe(value(index)) + ": " + result.error().message);
    if (result->stored) {
      return fail("the output " + describe(value(index)) + " has more dimensions than NNAPI's operations give");
    }
    const auto used = [&] { return std::ranges::find(taken, *result->operand) != taken.end(); };
    if (result->constant || used()) {
      auto copied = copy(emitter_, *result);
      if (!copied) return fail("the output " + describe(value(index)) + ": " + copied.error().message);
      *result = *copied;
    }
    taken.push_back(*result->operand);
    TOOLS_TRY(emitter_.take_bytes(result->info().bytes(), "output " + describe(value(index))));
    results.push_back(*result);
  }
  return results;
}

}  // namespace nnvk::importers::onnx
