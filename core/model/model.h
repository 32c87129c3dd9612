// A model under construction or finished: operands, operations, constants and references to other models. Every method returns
// the result code that docs/nnapi/model.md gives for the case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/transposed_bytes.h"
#include "core/model/constant_memory.h"
#include "core/model/extension_registry.h"
#include "core/model/operand.h"
#include "core/model/operand_rules.h"
#include "core/operations/operation_code.h"

namespace nnvk {

struct Operand {
  OperandInfo info;
  TensorRole role = TensorRole::kTemporary;
  // The bytes of a constant, kept alive by `owner` (a copied block) or, without an owner, by the client; empty for constants in
  // memory objects, for those of `transposed` and for other operands.
  std::span<const std::byte> value;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const TransposedBytes> transposed;  // constant that a device puts in order when it needs it; else null
  const ConstantMemory* memory = nullptr;  // constant in client memory; the client keeps it alive (docs/nnapi/model.md#lifetimes)
  size_t memory_offset = 0;
  size_t memory_length = 0;
  const class Model* model = nullptr;  // kSubgraph: not owned, outlives this model
};

// Returns the place of an operand for messages: "TENSOR_FLOAT32 (operand 7)".
OperandPlace operand_place(const Operand& operand, size_t index);

struct Operation {
  OperationCode code{};
  std::vector<uint32_t> inputs;   // operand indexes
  std::vector<uint32_t> outputs;  // operand indexes
};

class Model {
 public:
  enum class State : uint8_t { kBuilding, kFinished, kInvalid };
  // Whether finish() copies a value of more than 128 bytes, or the model refers to the client's bytes (nnvk/constants.h).
  enum class LongValue : uint8_t { kCopied, kInPlace };

  // `extensions` outlives the model.
  explicit Model(ExtensionRegistry& extensions) : extensions_(&extensions) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // These functions build the model. They return BAD_STATE once the model is finished or invalid. A failing call changes nothing,
  // except identify_inputs_and_outputs() (docs/nnapi/model.md#building). Indexes are operand indexes. Callers have checked for
  // NULL.
  Status add_operand(const OperandTypeDescription& description);
  // Sets the value of a constant; if `data` is null, the operand is omitted. Copies up to 128 bytes now, and longer values at
  // finish() or never.
  Status set_operand_value(uint32_t index, const void* data, size_t length, LongValue long_value = LongValue::kCopied);
  // Sets the value of a constant whose dimension d is dimension order[d] of `bytes` (nnvk/constants.h). Copies up to 128 bytes,
  // and refers to longer ones.
  Status set_transposed_value(uint32_t index, std::span<const std::byte> bytes, std::span<const uint32_t> order);
  Status set_operand_value_from_memory(uint32_t index, const ConstantMemory& memory, size_t offset, size_t length);
  Status set_operand_value_from_model(uint32_t index, const Model& value);
  Status set_channel_quant(uint32_t index, uint32_t channel_dim, const float* scales, uint32_t scale_count);
  Status set_extension_data(uint32_t index, const void* data, size_t length);
  Status add_operation(int32_t code, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs);
  Status identify_inputs_and_outputs(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs);
  Status set_relaxed(bool relaxed);
  // Copies long constants, sorts the operations and validates everything. BAD_DATA makes the model invalid for ever.
  Status finish();

  State state() const { return state_; }
  bool finished() const { return state_ == State::kFinished; }
  // Returns BAD_STATE unless the model is finished; the message gives the model's state.
  Status require_finished() const;

  const std::vector<Operand>& operands() const { return operands_; }
  const std::vector<Operation>& operations() const { return operations_; }  // in the order of addOperation
  const std::vector<uint32_t>& inputs() const { return inputs_; }           // operand indexes
  const std::vector<uint32_t>& outputs() const { return outputs_; }         // operand indexes
  // Returns indexes into operations(), in an order in which every operand is written before it is read. Filled by finish().
  const std::vector<uint32_t>& run_order() const { return run_order_; }
  // Returns which operation of which extension this is; nothing for NNAPI's own operations.
  std::optional<ExtensionOperation> extension_of(const Operation& operation) const;
  // Returns "CONV_2D", or "vendor.name:3" for an operation of an extension.
  std::string name_of(const Operation& operation) const;
  bool relaxed() const { return relaxed_; }
  // Returns the NNAPI feature level (1..8) that the model needs. This and the facts below are final after finish().
  int feature_level() const { return feature_level_; }
  // Returns true if this model or one that it references has an extension operation or OEM_OPERATION: it then never falls back to
  // the CPU.
  bool has_vendor_operations() const { return has_vendor_operations_; }
  ExtensionRegistry& extensions() const { return *extensions_; }
  // nesting() counts the levels of models that reference each other, this one included. nested_operations() counts the operations
  // of all levels; those of a model count once for each reference to it.
  uint32_t nesting() const { return nesting_; }
  uint64_t nested_operations() const { return nested_operations_; }

  // The limits of nesting() and nested_operations(). nnvk compiles and runs models recursively, so the first limit bounds the
  // stack. The second bounds time and memory: models that each reference the next one twice double them with every level.
  static constexpr uint32_t kMostNesting = 200;
  static constexpr uint64_t kMostNestedOperations = 1'000'000;

 private:
  Status require_building() const;
  Result<Operand*> operand_at(uint32_t index);
  Status check_indexes(std::span<const uint32_t> indexes, const char* what) const;
  Status check_signature(const Operation& operation);
  OperationPlace place_of(const Operation& operation, size_t index) const;
  std::string describe(const Operation& operation, size_t index) const { return place_of(operation, index).text(); }
  Status copy_long_constants();
  Status sort_operations();
  Status validate() const;
  Status measure_nesting();
  void reset_value(Operand& operand);

  ExtensionRegistry* extensions_;
  State state_ = State::kBuilding;
  std::vector<Operand> operands_;
  std::vector<Operation> operations_;
  std::vector<uint32_t> inputs_;
  std::vector<uint32_t> outputs_;
  std::vector<uint32_t> run_order_;
  std::vector<const std::byte*> long_constants_;  // per operand: client bytes to copy at finish(), or null
  bool relaxed_ = false;
  int feature_level_ = 1;
  bool has_vendor_operations_ = false;
  uint32_t nesting_ = 1;
  uint64_t nested_operations_ = 0;
};

}  // namespace nnvk
