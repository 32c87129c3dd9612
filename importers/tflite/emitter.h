// Helpers for translating an operator: operands for tensors, scalars, and extra operations for everything that TensorFlow Lite
// allows but NNAPI does not.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "importers/client_names.h"
#include "importers/import_budget.h"
#include "importers/tflite/graph.h"

namespace nnvk::importers::tflite {

// The weights of a convolution or dense layer, as they were added to the NNAPI model.
struct Weights {
  uint32_t operand = 0;
  std::vector<float> scales;  // empty for float
  bool per_channel = false;
};

class Emitter {
 public:
  // The caller must have taken the graph's tensors from the budget before.
  Emitter(const Graph& graph, ModelBuilder& builder, ImportBudget budget)
      : graph_(graph), builder_(builder), operands_(graph.tensors.size()), budget_(std::move(budget)) {}

  const Graph& graph() const { return graph_; }
  ModelBuilder& builder() { return builder_; }
  const Tensor& tensor(int index) const { return graph_.tensors[static_cast<size_t>(index)]; }
  // The tensor of an operator's input or output. It must exist (see Row::inputs in operators.cpp, has_input()).
  const Tensor& input_tensor(const Operator& op, size_t position) const { return tensor(op.inputs[position]); }
  const Tensor& output_tensor(const Operator& op, size_t position = 0) const { return tensor(op.outputs[position]); }
  static bool has_input(const Operator& op, size_t position) { return position < op.inputs.size() && op.inputs[position] >= 0; }

  // NNAPI's type for a tensor; scalars become one element. Per-channel tensors have type TENSOR_QUANT8_SYMM_PER_CHANNEL.
  Result<OperandInfo> operand_info(int tensor) const;
  // The operand for a tensor that an operator reads: a constant, a model input or an earlier operator's output.
  Result<uint32_t> input(const Operator& op, size_t position);
  // Adds an operand for a tensor that an operator writes. `dimensions`: its shape if the file does not give one.
  Result<uint32_t> output(const Operator& op, size_t position = 0, const std::vector<uint32_t>& dimensions = {});
  Result<uint32_t> model_input(int tensor);
  std::optional<uint32_t> produced(int tensor) const { return operands_[static_cast<size_t>(tensor)]; }
  // Adds an operand without a tensor in the file. Like the next function, it fails if that exceeds the budget.
  Result<uint32_t> temporary(const OperandInfo& info);
  // A constant of zeros.
  Result<uint32_t> zeros(const OperandInfo& info);

  // Like input(), but gives a TENSOR_FLOAT32: dequantizes quantized constants here, other quantized tensors by an operation.
  Result<uint32_t> real_input(const Operator& op, size_t position);

  // The values of a constant INT32 or INT64 tensor.
  Result<std::vector<int32_t>> integers(const Operator& op, size_t position) const;

  // The weights of an operator whose data input is operand `data`. `channel_dimension`: the weights' dimension of channels.
  Result<Weights> weights(const Operator& op, size_t position, uint32_t data, uint32_t channel_dimension);
  // The bias in the type that the data and weights require; zeros if the operator has none.
  Result<uint32_t> bias(const Operator& op, size_t position, uint32_t data, const Weights& weights, uint32_t channels);

  Status emit(const Operator& op, int32_t code, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
    if (const Status within = budget_.take_operation(); !within) return fail(op.where + ": " + within.error().message);
    return builder_.add_operation(code, inputs, outputs, op.where);
  }
  // Writes output 0. If NNAPI requires equal quantization of input and output, but the file's differ, computes in float.
  Status emit_same_quantization(const Operator& op, int32_t code, std::vector<uint32_t> inputs);
  // Writes 8-bit output 0: dequantizes the first `data_inputs` inputs, computes in float, quantizes the result.
  Status emit_in_float(const Operator& op, int32_t code, std::vector<uint32_t> inputs, size_t data_inputs);

 private:
  Result<uint32_t> constant(int tensor, const OperandInfo& info);
  Result<uint32_t> dequantized_constant(const Tensor& tensor);

  const Graph& graph_;
  ModelBuilder& builder_;
  std::vector<std::optional<uint32_t>> operands_;
  ImportBudget budget_;
};

// The activation after an operator: the code that the operation fuses, or a separate operation if it cannot fuse it.
class Activated {
 public:
  // `fuses`: whether the operation can fuse an activation at all.
  static Result<Activated> begin(Emitter& emitter, const Operator& op, format::Activation activation, bool fuses = true);

  int32_t fuse_code() const { return fuse_code_; }
  uint32_t target() const { return target_; }  // the output operand of the operation itself
  // Adds the remaining operation, if any.
  Status end(Emitter& emitter, const Operator& op) const;

 private:
  int32_t fuse_code_ = ANEURALNETWORKS_FUSED_NONE;
  std::optional<int32_t> separate_;
  uint32_t target_ = 0;
  uint32_t output_ = 0;
};

// Translates one operator; an error if it is not supported.
Status emit_operator(Emitter& emitter, const Operator& op);

}  // namespace nnvk::importers::tflite
