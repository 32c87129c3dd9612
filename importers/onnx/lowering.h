// Walks a graph in the order of its data and calls the operator function of each node.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "importers/import_options.h"
#include "importers/imported_model.h"
#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {

class Lowering {
 public:
  // Checks the structure of the graph (indexes, one writer per value, no cycle) and takes its memory from the budget.
  static Status check(const Graph& graph);
  Lowering(const Graph& graph, const ImportOptions& options, ModelBuilder& builder);

  // Adds the graph's inputs. Fails for an input without a type or rank that NNAPI has.
  Status add_inputs();
  // Adds those of the graph's inputs that it can, for judging nodes.
  void add_possible_inputs();
  // Adds a node. The error begins with the node's name.
  Status add_node(size_t node);
  // Returns those of the values that exist only between operations, because NNAPI has no tensor of their shape.
  std::vector<int> values_without_operand(std::span<const int> values) const;
  // Gives the outputs of a node that cannot be added operands of the declared type, so that the nodes that read them can be
  // judged.
  void skip_node(size_t node);

  const std::vector<size_t>& order() const { return order_; }
  bool is_done(size_t node) const { return done_[node]; }
  Emitter& emitter() { return emitter_; }
  const Graph& graph() const { return graph_; }
  const Value& value(int index) const { return graph_.values[static_cast<size_t>(index)]; }

  // Returns the tensor of a value, as reals if it is dequantized. Fails if nothing has written it.
  Result<Tensor> tensor(int value);
  const Quantized* deferred(int value) const;
  // Returns the constant behind a value; null if the value is no constant.
  ConstantPointer constant(int value) const;
  std::optional<Requantization> requantization_of(const Node& node) const;
  void absorb(const Requantization& requantization, Tensor result);
  void defer(int value, Quantized quantized) { deferred_.insert_or_assign(value, std::move(quantized)); }

  // Returns the operands of the graph's outputs, each written by an operation of its own.
  Result<std::vector<Tensor>> outputs();
  const std::vector<Tensor>& inputs() const { return inputs_; }

 private:
  Result<Tensor> described(int value) const;
  Status add_input(int value);
  void describe_quantization(int value, Tensor& tensor) const;
  Status store(const Node& node, Tensors results);
  bool is_output(int value) const;

  const Graph& graph_;
  ImportBudget budget_;
  Emitter emitter_;
  std::vector<size_t> order_;
  std::vector<bool> done_;
  std::vector<std::vector<size_t>> readers_;    // of each value
  std::vector<std::optional<Tensor>> tensors_;  // of each value
  std::map<int, Quantized> deferred_;
  std::vector<Tensor> inputs_;
};

}  // namespace nnvk::importers::onnx
