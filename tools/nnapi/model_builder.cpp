// Thin calls of the model functions.
#include "tools/nnapi/model_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nnvk/constants.h>

#include <cstring>
#include <memory>

#include "tools/nnapi/names.h"

namespace nnvk::tools {
namespace {

template <class T>
std::vector<uint8_t> bytes_of(const T& value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

}  // namespace

uint64_t OperandInfo::elements() const {
  uint64_t count = 1;
  for (const uint32_t d : dimensions) count *= d;
  return count;
}

uint64_t OperandInfo::bytes() const { return elements() * element_size(type); }

std::string to_string(const OperandInfo& info) {
  auto text = operand_type_name(info.type);
  if (is_tensor(info.type)) text += fmt::format(" [{}]", fmt::join(info.dimensions, ","));
  if (info.scale != 0) text += fmt::format(" scale {} zero point {}", info.scale, info.zero_point);
  return text;
}

Result<ModelBuilder> ModelBuilder::create() {
  ModelBuilder builder;
  ANeuralNetworksModel* model = nullptr;
  TOOLS_TRY(check(ANeuralNetworksModel_create(&model), "making a model"));
  builder.model_.reset(model);
  return builder;
}

Result<uint32_t> ModelBuilder::add_operand(const OperandInfo& info) {
  const ANeuralNetworksOperandType type{info.type, static_cast<uint32_t>(info.dimensions.size()),
                                        info.dimensions.empty() ? nullptr : info.dimensions.data(), info.scale, info.zero_point};
  TOOLS_TRY(check(ANeuralNetworksModel_addOperand(model_.get(), &type),
                  fmt::format("adding operand {} ({})", operands_.size(), to_string(info))));
  operands_.push_back(info);
  values_.emplace_back();
  return operand_count() - 1;
}

Result<uint32_t> ModelBuilder::add_per_channel_operand(const OperandInfo& info, uint32_t channel_dimension,
                                                       std::span<const float> scales) {
  TOOLS_ASSIGN(const uint32_t index, add_operand(info));
  const ANeuralNetworksSymmPerChannelQuantParams params{channel_dimension, static_cast<uint32_t>(scales.size()), scales.data()};
  TOOLS_TRY(check(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model_.get(), static_cast<int32_t>(index), &params),
                  fmt::format("setting {} channel scales of operand {} ({})", scales.size(), index, to_string(info))));
  return index;
}

Status ModelBuilder::set_value(uint32_t operand, std::span<const uint8_t> bytes) {
  return set_value_by(ANeuralNetworksModel_setOperandValue, operand, bytes);
}

Status ModelBuilder::set_value_in_place(uint32_t operand, std::span<const uint8_t> bytes) {
  return set_value_by(nnvk_Model_setOperandValueInPlace, operand, bytes);
}

Status ModelBuilder::set_value_by(SetValue set, uint32_t operand, std::span<const uint8_t> bytes) {
  values_[operand] = bytes;
  const uint8_t* const data = bytes.empty() ? nullptr : bytes.data();
  return check_value(set(model_.get(), static_cast<int32_t>(operand), data, bytes.size()), operand, bytes);
}

Status ModelBuilder::set_transposed_value(uint32_t operand, std::span<const uint8_t> bytes, std::span<const uint32_t> order) {
  return check_value(nnvk_Model_setOperandValueTransposed(model_.get(), static_cast<int32_t>(operand), bytes.data(), bytes.size(),
                                                          order.data(), static_cast<uint32_t>(order.size())),
                     operand, bytes);
}

Status ModelBuilder::check_value(int result, uint32_t operand, std::span<const uint8_t> bytes) const {
  return check(result, fmt::format("setting the value of operand {} ({}, {} bytes)", operand, to_string(operands_[operand]),
                                   bytes.size()));
}

Status ModelBuilder::set_owned_value(uint32_t operand, std::vector<uint8_t> bytes) {
  return set_value_in_place(operand, keep(std::move(bytes)));
}

Status ModelBuilder::set_model(uint32_t operand, const ANeuralNetworksModel* value) {
  return check(ANeuralNetworksModel_setOperandValueFromModel(model_.get(), static_cast<int32_t>(operand), value),
               fmt::format("setting operand {} to a referenced model", operand));
}

Status ModelBuilder::set_memory(uint32_t operand, const ANeuralNetworksMemory* memory, size_t offset, size_t length) {
  return check(
      ANeuralNetworksModel_setOperandValueFromMemory(model_.get(), static_cast<int32_t>(operand), memory, offset, length),
      fmt::format("setting operand {} from memory (offset {}, {} bytes)", operand, offset, length));
}

Result<uint32_t> ModelBuilder::add_int32(int32_t value) {
  TOOLS_ASSIGN(const uint32_t index, add_operand({.type = ANEURALNETWORKS_INT32, .dimensions = {}}));
  TOOLS_TRY(set_owned_value(index, bytes_of(value)));
  return index;
}

Result<uint32_t> ModelBuilder::add_float32(float value) {
  TOOLS_ASSIGN(const uint32_t index, add_operand({.type = ANEURALNETWORKS_FLOAT32, .dimensions = {}}));
  TOOLS_TRY(set_owned_value(index, bytes_of(value)));
  return index;
}

Result<uint32_t> ModelBuilder::add_bool(bool value) {
  TOOLS_ASSIGN(const uint32_t index, add_operand({.type = ANEURALNETWORKS_BOOL, .dimensions = {}}));
  TOOLS_TRY(set_owned_value(index, {static_cast<uint8_t>(value)}));
  return index;
}

Result<uint32_t> ModelBuilder::add_omitted(const OperandInfo& info) {
  TOOLS_ASSIGN(const uint32_t index, add_operand(info));
  TOOLS_TRY(set_value(index, {}));
  return index;
}

Result<uint32_t> ModelBuilder::add_int32_tensor(std::span<const int32_t> values) {
  TOOLS_ASSIGN(const uint32_t index,
               add_operand({.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = {static_cast<uint32_t>(values.size())}}));
  std::vector<uint8_t> bytes(values.size_bytes());
  std::memcpy(bytes.data(), values.data(), bytes.size());
  TOOLS_TRY(set_owned_value(index, std::move(bytes)));
  return index;
}

Status ModelBuilder::add_operation(int32_t code, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs,
                                   std::string_view where) {
  TOOLS_TRY(check(ANeuralNetworksModel_addOperation(model_.get(), code, static_cast<uint32_t>(inputs.size()), inputs.data(),
                                                    static_cast<uint32_t>(outputs.size()), outputs.data()),
                  fmt::format("{}: adding {}", where, operation_name(code))));
  operations_.push_back({code, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}});
  return {};
}

int32_t ModelBuilder::data_type(size_t operation) const {
  const auto& inputs = operations_[operation].inputs;
  return inputs.empty() ? -1 : operands_[inputs[0]].type;
}

Status ModelBuilder::relax(bool allow) {
  return check(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model_.get(), allow), "relaxing float precision");
}

Status ModelBuilder::finish(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  TOOLS_TRY(check(ANeuralNetworksModel_identifyInputsAndOutputs(model_.get(), static_cast<uint32_t>(inputs.size()), inputs.data(),
                                                                static_cast<uint32_t>(outputs.size()), outputs.data()),
                  "identifying the model's inputs and outputs"));
  inputs_.assign(inputs.begin(), inputs.end());
  outputs_.assign(outputs.begin(), outputs.end());
  return check(ANeuralNetworksModel_finish(model_.get()), "finishing the model");
}

Result<std::vector<bool>> supported_operations(const ModelBuilder& model, std::span<const ANeuralNetworksDevice* const> devices) {
  const size_t count = model.operations().size();
  const auto supported = std::make_unique<bool[]>(count);
  TOOLS_TRY(check(ANeuralNetworksModel_getSupportedOperationsForDevices(model.model(), devices.data(),
                                                                        static_cast<uint32_t>(devices.size()), supported.get()),
                  "asking which operations are supported"));
  return std::vector<bool>(supported.get(), supported.get() + count);
}

}  // namespace nnvk::tools
