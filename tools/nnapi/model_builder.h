// Builds an NNAPI model through the C API and keeps the bytes of its constants alive.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "tools/nnapi/handles.h"

namespace nnvk::tools {

// The type of an operand, its shape (0: an unknown dimension; empty for scalars) and its quantization.
struct OperandInfo {
  int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;
  std::vector<uint32_t> dimensions;
  float scale = 0;
  int32_t zero_point = 0;

  // Returns the number of elements: 1 for scalars, 0 when a dimension is unknown.
  uint64_t elements() const;
  uint64_t bytes() const;
  bool same_quantization(const OperandInfo& other) const {
    return type == other.type && scale == other.scale && zero_point == other.zero_point;
  }
};

// Describes an operand: "TENSOR_QUANT8_ASYMM [1,224,224,3] scale 0.0078 zero point 128".
std::string to_string(const OperandInfo& info);

// An operation as it was added to the model; lists are operand indexes.
struct BuiltOperation {
  int32_t code = 0;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
};

class ModelBuilder {
 public:
  static Result<ModelBuilder> create();

  Result<uint32_t> add_operand(const OperandInfo& info);
  // Adds an operand with scales, one per element of dimension `channel_dimension`. info.type must be
  // TENSOR_QUANT8_SYMM_PER_CHANNEL.
  Result<uint32_t> add_per_channel_operand(const OperandInfo& info, uint32_t channel_dimension, std::span<const float> scales);

  // Sets the value of an operand by NNAPI's own function, which copies it in finish(): until then, `bytes` must stay unchanged.
  // If they are empty, the operand is omitted.
  Status set_value(uint32_t operand, std::span<const uint8_t> bytes);
  // Sets the value of an operand without a copy: `bytes` must outlive the model and its compilations.
  Status set_value_in_place(uint32_t operand, std::span<const uint8_t> bytes);
  // Does the same for bytes in another order: dimension d of the operand is dimension order[d] of the bytes.
  Status set_transposed_value(uint32_t operand, std::span<const uint8_t> bytes, std::span<const uint32_t> order);
  // Keeps bytes as long as the model; the result points to them.
  std::span<const uint8_t> keep(std::vector<uint8_t> bytes) { return storage_.emplace_back(std::move(bytes)); }
  // Sets the value of an operand. The builder keeps the bytes, so it must outlive the model's compilations.
  Status set_owned_value(uint32_t operand, std::vector<uint8_t> bytes);
  Status set_model(uint32_t operand, const ANeuralNetworksModel* value);
  Status set_memory(uint32_t operand, const ANeuralNetworksMemory* memory, size_t offset, size_t length);

  Result<uint32_t> add_int32(int32_t value);
  Result<uint32_t> add_float32(float value);
  Result<uint32_t> add_bool(bool value);
  Result<uint32_t> add_omitted(const OperandInfo& info);
  // Adds a constant TENSOR_INT32 of rank 1.
  Result<uint32_t> add_int32_tensor(std::span<const int32_t> values);

  // Adds an operation. `where` names it in an error, for example "operator 12 (CONV_2D)".
  Status add_operation(int32_t code, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs, std::string_view where);
  Status relax(bool allow);
  Status finish(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs);

  const OperandInfo& operand(uint32_t index) const { return operands_[index]; }
  // Returns the bytes of a constant; empty for other operands, and for constants in memories or in another order.
  std::span<const uint8_t> value(uint32_t index) const { return values_[index]; }
  uint32_t operand_count() const { return static_cast<uint32_t>(operands_.size()); }
  // Returns the operations in the order of addOperation.
  const std::vector<BuiltOperation>& operations() const { return operations_; }
  // Returns the operands given to finish().
  const std::vector<uint32_t>& inputs() const { return inputs_; }
  const std::vector<uint32_t>& outputs() const { return outputs_; }
  // Returns the type of the operation's first input; -1 if it has no inputs.
  int32_t data_type(size_t operation) const;
  ANeuralNetworksModel* model() const { return model_.get(); }

 private:
  using SetValue = decltype(&ANeuralNetworksModel_setOperandValue);
  Status set_value_by(SetValue set, uint32_t operand, std::span<const uint8_t> bytes);
  Status check_value(int result, uint32_t operand, std::span<const uint8_t> bytes) const;

  std::deque<std::vector<uint8_t>> storage_;  // before model_: freed after it
  ModelHandle model_;
  std::vector<OperandInfo> operands_;
  std::vector<std::span<const uint8_t>> values_;  // one per operand
  std::vector<BuiltOperation> operations_;
  std::vector<uint32_t> inputs_;
  std::vector<uint32_t> outputs_;
};

// Returns, for each operation of a finished model, whether one of the devices runs it.
Result<std::vector<bool>> supported_operations(const ModelBuilder& model, std::span<const ANeuralNetworksDevice* const> devices);

}  // namespace nnvk::tools
