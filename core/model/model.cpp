// Implements the functions that build a model, with the order of checks that docs/nnapi/model.md#building gives.
#include "core/model/model.h"

#include <utility>

#include "core/model/control_flow_rules.h"
#include "core/operations/operation_definition.h"
#include "core/operations/operation_enumerators.h"

namespace nnvk {
namespace {

constexpr size_t kCopiedAtOnce = 128;      // ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES
constexpr size_t kMaxCount = 0xFFFFFFFEU;  // of operands and of operations
constexpr uint64_t kMaxLength = 0xFFFFFFFFU;

// Returns BAD_DATA unless the operand can be a constant of `length` bytes; `what` names the source of the bytes in the message.
Status check_constant(const Operand& operand, size_t index, size_t length, const char* what) {
  const bool is_specified = is_fully_specified(operand.info);
  const uint64_t size = operand.info.byte_size().value_or(0);
  if (is_specified && length == size) return {};
  const std::string place = operand_place(operand, index).text();
  if (!is_specified) {
    return fail(Code::kBadData, place + ": a constant needs a fully specified shape, not " + operand.info.shape.to_string());
  }
  return fail(Code::kBadData,
              place + " has " + std::to_string(size) + " bytes, but the " + what + " has " + std::to_string(length));
}

}  // namespace

OperandPlace operand_place(const Operand& operand, size_t index) {
  return {"operand", static_cast<uint32_t>(index), operand_type_name(operand.info.type)};
}

Status Model::require_building() const {
  if (state_ == State::kBuilding) return {};
  return fail(Code::kBadState, state_ == State::kFinished ? "the model is finished and cannot change any more"
                                                          : "the model is invalid since finish failed; free it");
}

Status Model::require_finished() const {
  if (state_ == State::kFinished) return {};
  return fail(Code::kBadState, state_ == State::kBuilding ? "the model is not finished; call ANeuralNetworksModel_finish first"
                                                          : "the model is invalid since finish failed");
}

Result<Operand*> Model::operand_at(uint32_t index) {
  if (index < operands_.size()) return &operands_[index];
  return fail(Code::kBadData, "operand index " + std::to_string(static_cast<int32_t>(index)) +
                                  " is not below the operand count " + std::to_string(operands_.size()));
}

void Model::reset_value(Operand& operand) {
  Operand without_value;
  without_value.info = std::move(operand.info);
  operand = std::move(without_value);
  long_constants_[static_cast<size_t>(&operand - operands_.data())] = nullptr;
}

Status Model::add_operand(const OperandTypeDescription& description) {
  NNVK_TRY(require_building());
  NNVK_ASSIGN(OperandInfo info, make_operand_info(description, *extensions_));
  if (operands_.size() >= kMaxCount) return fail(Code::kBadData, "the model has 4294967294 operands, no more are possible");
  // Adds this entry first, so that every operand has one. If memory runs out below, the entry stays, and the next call finds it.
  if (long_constants_.size() == operands_.size()) long_constants_.push_back(nullptr);
  Operand operand;
  operand.info = std::move(info);
  operands_.push_back(std::move(operand));
  return {};
}

Status Model::set_operand_value(uint32_t index, const void* data, size_t length, LongValue long_value) {
  NNVK_TRY(require_building());
  NNVK_ASSIGN(Operand * operand, operand_at(index));
  if (data != nullptr && length == 0) return fail(Code::kBadData, "the buffer is not NULL but the length is 0");
  if (data == nullptr) {
    reset_value(*operand);
    operand->role = TensorRole::kOmitted;
    return {};
  }
  if (length > kMaxLength) return fail(Code::kBadData, "a value has at most 4294967295 bytes");
  if (operand->info.type != OperandType::kOemScalar) NNVK_TRY(check_constant(*operand, index, length, "value"));
  const auto* bytes = static_cast<const std::byte*>(data);
  std::shared_ptr<std::vector<std::byte>> copy;
  if (length <= kCopiedAtOnce) copy = std::make_shared<std::vector<std::byte>>(bytes, bytes + length);
  reset_value(*operand);
  operand->role = TensorRole::kConstant;
  if (copy != nullptr) {
    operand->value = *copy;
    operand->owner = std::move(copy);
  } else {
    operand->value = {bytes, length};
    if (long_value == LongValue::kCopied) long_constants_[index] = bytes;
  }
  return {};
}

Status Model::set_transposed_value(uint32_t index, std::span<const std::byte> bytes, std::span<const uint32_t> order) {
  NNVK_TRY(require_building());
  NNVK_ASSIGN(Operand * operand, operand_at(index));
  if (bytes.size() > kMaxLength) return fail(Code::kBadData, "a value has at most 4294967295 bytes");
  NNVK_TRY(check_constant(*operand, index, bytes.size(), "value"));
  const std::vector<uint32_t>& sizes = operand->info.shape.dims;
  const size_t element = element_size(operand->info.type);
  const std::string place = operand_place(*operand, index).text();
  if (!operand->info.is_tensor() || (element != 1 && element != 2 && element != 4)) {
    return fail(Code::kBadData, place + ": only a tensor with elements of 1, 2 or 4 bytes has a value in another order");
  }
  if (order.size() != sizes.size() || !is_permutation(order)) {
    return fail(Code::kBadData, place + " has " + std::to_string(sizes.size()) +
                                    " dimensions, and the order must name each of them once; it has " +
                                    std::to_string(order.size()) + " numbers");
  }
  TransposedBytes transposed{bytes, element, sizes, {order.begin(), order.end()}};
  std::shared_ptr<const std::vector<std::byte>> copy;
  std::shared_ptr<const TransposedBytes> later;
  if (bytes.size() <= kCopiedAtOnce) {
    copy = std::make_shared<const std::vector<std::byte>>(in_order(transposed));
  } else {
    later = std::make_shared<const TransposedBytes>(std::move(transposed));
  }
  reset_value(*operand);
  operand->role = TensorRole::kConstant;
  operand->transposed = std::move(later);
  if (copy != nullptr) {
    operand->value = *copy;
    operand->owner = std::move(copy);
  }
  return {};
}

Status Model::set_operand_value_from_memory(uint32_t index, const ConstantMemory& memory, size_t offset, size_t length) {
  NNVK_TRY(require_building());
  NNVK_ASSIGN(Operand * operand, operand_at(index));
  NNVK_TRY(check_constant(*operand, index, length, "region"));
  NNVK_TRY(memory.check_constant_range(offset, length));
  reset_value(*operand);
  operand->role = TensorRole::kConstant;
  operand->memory = &memory;
  operand->memory_offset = offset;
  operand->memory_length = length;
  return {};
}

Status Model::set_operand_value_from_model(uint32_t index, const Model& value) {
  NNVK_TRY(require_building());
  if (const Status status = value.require_finished(); !status) return fail(status.error().at("the referenced model"));
  NNVK_ASSIGN(Operand * operand, operand_at(index));
  reset_value(*operand);
  operand->role = TensorRole::kSubgraph;
  operand->model = &value;
  return {};
}

Status Model::set_channel_quant(uint32_t index, uint32_t channel_dim, const float* scales, uint32_t scale_count) {
  NNVK_TRY(require_building());
  NNVK_ASSIGN(Operand * operand, operand_at(index));
  auto quant = make_channel_quant(operand->info, channel_dim, scales, scale_count);
  if (!quant) return fail(quant.error().at(OperandPlace{"operand", index}));
  operand->info.channel_quant = std::move(*quant);
  return {};
}

Status Model::set_extension_data(uint32_t index, const void* data, size_t length) {
  NNVK_TRY(require_building());
  NNVK_ASSIGN(Operand * operand, operand_at(index));
  if (operand->info.extension == nullptr) {
    return fail(Code::kBadData, operand_place(*operand, index).text() + " is not of an extension type");
  }
  if (data != nullptr && length == 0) return fail(Code::kBadData, "the data is not NULL but the length is 0");
  auto extension = std::make_shared<ExtensionOperand>(*operand->info.extension);
  const auto* bytes = static_cast<const std::byte*>(data);
  extension->data.assign(bytes, bytes + length);
  operand->info.extension = std::move(extension);
  return {};
}

Status Model::check_indexes(std::span<const uint32_t> indexes, const char* what) const {
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (indexes[i] >= operands_.size()) {
      return fail(Code::kBadData, std::string(what) + "[" + std::to_string(i) + "] = " + std::to_string(indexes[i]) +
                                      " is not below the operand count " + std::to_string(operands_.size()));
    }
  }
  return {};
}

Status Model::check_signature(const Operation& operation) {
  std::vector<OperandView> inputs;
  std::vector<const OperandInfo*> outputs;
  for (const uint32_t i : operation.inputs) {
    inputs.push_back({&operands_[i].info, operands_[i].role != TensorRole::kOmitted, {}});
  }
  for (const uint32_t i : operation.outputs) outputs.push_back(&operands_[i].info);
  NNVK_ASSIGN(const int level, check_operation({operation.code, inputs, outputs}));
  if (operation.code == OperationCode::kIf) NNVK_TRY(check_if(operands_, operation));
  if (operation.code == OperationCode::kWhile) NNVK_TRY(check_while(operands_, operation));
  feature_level_ = std::max(feature_level_, level);
  return {};
}

std::optional<ExtensionOperation> Model::extension_of(const Operation& operation) const {
  if (!is_extension_operation(operation.code)) return std::nullopt;
  const auto code = static_cast<int32_t>(operation.code);
  return ExtensionOperation{extensions_->name_of(code), static_cast<uint16_t>(code)};
}

std::string Model::name_of(const Operation& operation) const {
  const auto extension = extension_of(operation);
  return extension ? nnvk::name_of(*extension) : operation_name(operation.code);
}

OperationPlace Model::place_of(const Operation& operation, size_t index) const {
  return {static_cast<uint32_t>(index), static_cast<int32_t>(operation.code), name_of(operation)};
}

Status Model::add_operation(int32_t code, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  NNVK_TRY(require_building());
  const auto operation_code = static_cast<OperationCode>(code);
  const bool is_extension = is_extension_operation(operation_code);
  const bool is_vendor = is_extension || operation_code == OperationCode::kOemOperation;
  if (is_extension && !extensions_->knows_prefix(code)) {
    return fail(Code::kBadData, operation_name(operation_code) +
                                    ": its prefix was never handed out; use "
                                    "ANeuralNetworksModel_getExtensionOperationType");
  }
  if (!is_vendor && (code < 0 || code >= kOperationCount)) {
    return fail(Code::kBadData, "there is no operation with code " + std::to_string(code));
  }
  Operation operation;
  operation.code = operation_code;
  const auto place = [&](const Error& error) { return fail(error.at(place_of(operation, operations_.size()))); };
  if (inputs.empty()) return place({Code::kBadData, "an operation needs at least one input"});
  if (outputs.empty()) return place({Code::kBadData, "an operation needs at least one output"});
  if (const Status status = check_indexes(inputs, "inputs"); !status) return place(status.error());
  if (const Status status = check_indexes(outputs, "outputs"); !status) return place(status.error());
  operation.inputs.assign(inputs.begin(), inputs.end());
  operation.outputs.assign(outputs.begin(), outputs.end());
  if (!is_vendor) {
    if (const Status status = check_signature(operation); !status) return place(status.error());
  }
  if (is_extension) feature_level_ = std::max(feature_level_, kExtensionFeatureLevel);
  if (operations_.size() >= kMaxCount) return fail(Code::kBadData, "the model has 4294967294 operations, no more are possible");
  has_vendor_operations_ = has_vendor_operations_ || is_vendor;
  operations_.push_back(std::move(operation));
  return {};
}

Status Model::identify_inputs_and_outputs(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  NNVK_TRY(require_building());
  if (inputs.empty()) return fail(Code::kBadData, "a model needs at least one input");
  NNVK_TRY(check_indexes(inputs, "inputs"));
  if (outputs.empty()) return fail(Code::kBadData, "a model needs at least one output");
  NNVK_TRY(check_indexes(outputs, "outputs"));
  // Marks one operand after the other, and undoes nothing on failure, because clients rely on that.
  const auto mark = [&](std::span<const uint32_t> indexes, TensorRole role, const char* what) -> Status {
    for (const uint32_t i : indexes) {
      if (operands_[i].role != TensorRole::kTemporary) {
        return fail(Code::kBadData, "operand " + std::to_string(i) + " cannot be a model " + what +
                                        ": it is a constant, omitted, a model, or an input or output already");
      }
      operands_[i].role = role;
    }
    return {};
  };
  NNVK_TRY(mark(inputs, TensorRole::kInput, "input"));
  NNVK_TRY(mark(outputs, TensorRole::kOutput, "output"));
  inputs_.assign(inputs.begin(), inputs.end());
  outputs_.assign(outputs.begin(), outputs.end());
  return {};
}

Status Model::set_relaxed(bool relaxed) {
  NNVK_TRY(require_building());
  relaxed_ = relaxed;
  return {};
}

}  // namespace nnvk
