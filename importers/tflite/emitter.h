// Operands for the tensors of a graph, and extra operations for everything that TensorFlow Lite allows but NNAPI does not.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "importers/client_names.h"
#include "importers/import_budget.h"
#include "importers/import_options.h"
#include "importers/tflite/graph.h"

namespace nnvk::importers::tflite {

// The parts that all graphs of one model share while they are translated.
struct Translation {
  const Graph& model;  // its first subgraph; the others are in it
  const ImportOptions& options;
  ImportBudget budget;                                // the caller must have taken the graphs' tensors from it before
  std::vector<std::unique_ptr<ModelBuilder>> bodies;  // finished models of subgraphs that control flow refers to
  std::vector<int> open;                              // the subgraphs whose translation is not finished, the outermost first
};

// The weights of a convolution or dense layer, as they were added to the NNAPI model.
struct Weights {
  uint32_t operand = 0;
  std::vector<float> scales;  // empty for float
  bool per_channel = false;
};

// A state of a recurrent operator: an operand to read, and a variable of the file that the operator's new state goes to, if any.
struct State {
  uint32_t operand = 0;
  std::optional<int> variable;  // with ImportOptions::keep_states only
};

class Emitter {
 public:
  // `alone`: each operator is translated for itself; tensors that nobody wrote become operands without values.
  Emitter(const Graph& graph, ModelBuilder& builder, Translation& translation, bool alone = false)
      : graph_(graph), builder_(builder), translation_(translation), operands_(graph.tensors.size()), alone_(alone) {}

  const Graph& graph() const { return graph_; }
  ModelBuilder& builder() { return builder_; }
  Translation& translation() { return translation_; }
  const Tensor& tensor(int index) const { return graph_.tensors[static_cast<size_t>(index)]; }
  // Returns the tensor of an operator's input or output. It must exist (see Row::inputs in operator_parts.h, has_input()).
  const Tensor& input_tensor(const Operator& op, size_t position) const { return tensor(op.inputs[position]); }
  const Tensor& output_tensor(const Operator& op, size_t position = 0) const { return tensor(op.outputs[position]); }
  static bool has_input(const Operator& op, size_t position) { return position < op.inputs.size() && op.inputs[position] >= 0; }

  // Returns NNAPI's type for a tensor; scalars get one element, and dimensions that stay open are 0. Per-channel tensors have
  // type TENSOR_QUANT8_SYMM_PER_CHANNEL.
  Result<OperandInfo> operand_info(int tensor) const;
  // Returns the operand for a tensor that an operator reads: a constant, a model input or an earlier operator's output.
  Result<uint32_t> input(const Operator& op, size_t position);
  // Returns all inputs of an operator from `first` on.
  Result<std::vector<uint32_t>> inputs_from(const Operator& op, size_t first);
  // Adds an operand for a tensor that an operator writes. `dimensions`: its shape if the file does not give one.
  Result<uint32_t> output(const Operator& op, size_t position = 0, const std::vector<uint32_t>& dimensions = {});
  // Adds an input of the model. The second one for the same tensor is an operand that nothing reads.
  Result<uint32_t> model_input(int tensor);
  // Returns the operand of a tensor that a graph returns: the result of an operator, an input, or a constant.
  Result<uint32_t> returned(int tensor);
  // Returns whether the operand of a returned tensor is a constant, which may not be an output of a model.
  bool is_constant(int tensor) const { return this->tensor(tensor).constant() || known_.contains(tensor); }
  // Adds an operand without a tensor in the file. Like the next function, it fails if that exceeds the budget.
  Result<uint32_t> temporary(const OperandInfo& info);
  // Adds a constant of zeros.
  Result<uint32_t> zeros(const OperandInfo& info);

  // Does the same as input(), but returns a TENSOR_FLOAT32. It dequantizes and widens constants here, so that weights stay
  // constant, and because NNAPI has no operation on 8-bit weights and real data. It converts other quantized tensors by an
  // operation.
  Result<uint32_t> real_input(const Operator& op, size_t position);
  // Returns an operand as TENSOR_FLOAT32; adds an operation if the operand is quantized.
  Result<uint32_t> dequantized(const Operator& op, uint32_t operand);

  // Returns the values of an INT32 or INT64 tensor that are known before an execution: those of a constant or of set_known().
  Result<std::vector<int32_t>> integers(const Operator& op, size_t position) const;
  // Does the same, but returns nothing if the values are not known; never an error.
  std::optional<std::vector<int32_t>> known_integers(const Operator& op, size_t position) const;
  // Returns the one value of such a tensor; `what` names the value in the error.
  Result<int32_t> integer(const Operator& op, size_t position, std::string_view what) const;
  // Makes output 0 a constant of integers.
  Status set_known(const Operator& op, std::vector<int32_t> values);

  // Returns the state that input `position` is: a variable of the file (zeros, or an input of the model), or a tensor.
  Result<State> state(const Operator& op, size_t position);
  // Adds the operand for an operation's new state, with the dimensions and type of `state`. It is an output of the model if the
  // model keeps the state.
  Result<uint32_t> new_state(const State& state);

  // Returns the weights of an operator whose data input is operand `data`. `channel_dimension`: the weights' dimension of
  // channels. `dimensions`: other dimensions for weights with a scale per channel, if not empty.
  Result<Weights> weights(const Operator& op, size_t position, uint32_t data, uint32_t channel_dimension,
                          const std::vector<uint32_t>& dimensions = {});
  // Returns the bias in the type that the data and weights require; zeros if the operator has none.
  Result<uint32_t> bias(const Operator& op, size_t position, uint32_t data, const Weights& weights, uint32_t channels);

  Status emit(const Operator& op, int32_t code, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
    if (const Status within = translation_.budget.take_operation(); !within)
      return fail(op.where + ": " + within.error().message);
    return builder_.add_operation(code, inputs, outputs, op.where);
  }
  // Adds one operation with one result, a temporary of `info`.
  Result<uint32_t> emit_temporary(const Operator& op, int32_t code, std::span<const uint32_t> inputs, const OperandInfo& info);
  // Writes output 0. If NNAPI requires equal quantization of input and output, but the file's differ, computes in float.
  Status emit_same_quantization(const Operator& op, int32_t code, std::vector<uint32_t> inputs);
  // Writes 8-bit output 0: dequantizes the first `data_inputs` inputs, computes in float, quantizes the result.
  Status emit_in_float(const Operator& op, int32_t code, std::vector<uint32_t> inputs, size_t data_inputs);
  // Writes output 0 from real numbers: quantizes them if the output is 8-bit.
  Status real_to_output(const Operator& op, uint32_t real);

  // The states that become inputs and outputs of the model, in the order of their first use.
  struct KeptState {
    std::string name;
    uint32_t input = 0;
    std::optional<uint32_t> output;
  };
  const std::map<int, KeptState>& kept_states() const { return kept_; }

 private:
  Result<std::span<const uint8_t>> constant_bytes(int tensor);
  Result<uint32_t> constant(int tensor, const OperandInfo& info);
  Result<uint32_t> real_constant(int tensor);
  Result<uint32_t> converted_bias(int tensor, const OperandInfo& info, const Weights& weights, float data_scale);
  Result<std::vector<int32_t>> integers_of(int tensor) const;

  const Graph& graph_;
  ModelBuilder& builder_;
  Translation& translation_;
  std::vector<std::optional<uint32_t>> operands_;
  std::map<int, std::span<const uint8_t>> plain_;  // constants that are stored in another form than NNAPI's
  std::map<int, std::vector<int32_t>> known_;      // results that are known without an execution
  std::map<int, KeptState> kept_;                  // by variable
  bool alone_;
};

// The activation after an operator: the code that the operation fuses, or a separate operation if it cannot fuse it.
class Activated {
 public:
  // Begins an activation. `fuses`: whether the operation can fuse an activation at all.
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
