// Thin calls of the C API.
#include "perf/nnapi_model.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace nnvk::perf {
namespace {

size_t element_count(const std::vector<uint32_t>& dims) {
  size_t count = 1;
  for (const uint32_t d : dims) count *= d;
  return count;
}

}  // namespace

void require(int result, const char* what) {
  if (result == ANEURALNETWORKS_NO_ERROR) return;
  std::fprintf(stderr, "nnvk_benchmarks: %s failed with NNAPI result %d; the library's log says why\n", what, result);
  std::exit(1);
}

void finish_event(ANeuralNetworksEvent* event) {
  require(ANeuralNetworksEvent_wait(event), "Event_wait");
  ANeuralNetworksEvent_free(event);
}

std::vector<Device> devices() {
  uint32_t count = 0;
  require(ANeuralNetworks_getDeviceCount(&count), "getDeviceCount");
  std::vector<Device> result;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* handle = nullptr;
    const char* name = nullptr;
    require(ANeuralNetworks_getDevice(i, &handle), "getDevice");
    require(ANeuralNetworksDevice_getName(handle, &name), "getName");
    result.push_back({handle, name});
  }
  return result;
}

ModelBuilder::ModelBuilder() { require(ANeuralNetworksModel_create(&model_), "Model_create"); }
ModelBuilder::~ModelBuilder() { ANeuralNetworksModel_free(model_); }

uint32_t ModelBuilder::add(int32_t code, const std::vector<uint32_t>& dims, float scale, int32_t zero_point) {
  const ANeuralNetworksOperandType type{code, static_cast<uint32_t>(dims.size()), dims.empty() ? nullptr : dims.data(), scale,
                                        zero_point};
  require(ANeuralNetworksModel_addOperand(model_, &type), "addOperand");
  return operand_count_++;
}

uint32_t ModelBuilder::constant(uint32_t operand, std::vector<std::byte> bytes) {
  constants_.push_back(std::move(bytes));
  require(ANeuralNetworksModel_setOperandValue(model_, static_cast<int32_t>(operand), constants_.back().data(),
                                               constants_.back().size()),
          "setOperandValue");
  return operand;
}

uint32_t ModelBuilder::input(const ElementType& type, std::vector<uint32_t> dims) {
  inputs_.push_back(add(type.tensor_code, dims, type.scale, type.zero_point));
  input_bytes_.push_back(element_count(dims) * type.bytes);
  return inputs_.back();
}

uint32_t ModelBuilder::output(const ElementType& type, std::vector<uint32_t> dims) {
  outputs_.push_back(add(type.tensor_code, dims, type.scale, type.zero_point));
  output_bytes_.push_back(element_count(dims) * type.bytes);
  return outputs_.back();
}

uint32_t ModelBuilder::temporary(const ElementType& type, const std::vector<uint32_t>& dims) {
  return add(type.tensor_code, dims, type.scale, type.zero_point);
}

uint32_t ModelBuilder::weights(const ElementType& type, std::vector<uint32_t> dims) {
  const size_t count = element_count(dims);
  std::vector<std::byte> bytes(count * type.bytes);
  for (size_t i = 0; i < count; ++i) {
    const size_t pattern = i * 7 % 13;
    if (type.bytes == 1) {
      bytes[i] = static_cast<std::byte>(122 + pattern);
    } else {
      const float value = (static_cast<float>(pattern) - 6.0F) * 0.02F;
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
  }
  return constant(add(type.tensor_code, dims, type.scale, type.zero_point), std::move(bytes));
}

uint32_t ModelBuilder::values(std::vector<uint32_t> dims, const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return constant(add(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 0.0F, 0), std::move(bytes));
}

uint32_t ModelBuilder::bias(const ElementType& type, uint32_t count, float bias_scale) {
  const bool quantized = type.bytes == 1;
  const int32_t code = quantized ? ANEURALNETWORKS_TENSOR_INT32 : ANEURALNETWORKS_TENSOR_FLOAT32;
  return constant(add(code, {count}, quantized ? bias_scale : 0.0F, 0), std::vector<std::byte>(count * sizeof(int32_t)));
}

uint32_t ModelBuilder::scalar(int32_t value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return constant(add(ANEURALNETWORKS_INT32, {}, 0.0F, 0), std::move(bytes));
}

uint32_t ModelBuilder::number(float value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return constant(add(ANEURALNETWORKS_FLOAT32, {}, 0.0F, 0), std::move(bytes));
}

uint32_t ModelBuilder::indices(const std::vector<int32_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return constant(add(ANEURALNETWORKS_TENSOR_INT32, {static_cast<uint32_t>(values.size())}, 0.0F, 0), std::move(bytes));
}

uint32_t ModelBuilder::omitted(const ElementType& type) {
  const uint32_t operand = add(type.tensor_code, {}, type.scale, type.zero_point);
  require(ANeuralNetworksModel_setOperandValue(model_, static_cast<int32_t>(operand), nullptr, 0), "omit an operand");
  return operand;
}

uint32_t ModelBuilder::flag(bool value) { return constant(add(ANEURALNETWORKS_BOOL, {}, 0.0F, 0), {std::byte{value}}); }

void ModelBuilder::operation(ANeuralNetworksOperationType type, const std::vector<uint32_t>& inputs, uint32_t output) {
  require(ANeuralNetworksModel_addOperation(model_, type, static_cast<uint32_t>(inputs.size()), inputs.data(), 1, &output),
          "addOperation");
  ++operation_count_;
}

CompiledModel::CompiledModel(ModelBuilder& builder, std::span<const Device> devices)
    : model_(std::exchange(builder.model_, nullptr)) {
  std::vector<const ANeuralNetworksDevice*> handles;
  for (const Device& device : devices) handles.push_back(device.handle);
  const auto count = static_cast<uint32_t>(handles.size());
  require(
      ANeuralNetworksModel_identifyInputsAndOutputs(model_, static_cast<uint32_t>(builder.inputs_.size()), builder.inputs_.data(),
                                                    static_cast<uint32_t>(builder.outputs_.size()), builder.outputs_.data()),
      "identifyInputsAndOutputs");
  require(ANeuralNetworksModel_finish(model_), "Model_finish");
  const auto supported = std::make_unique<bool[]>(builder.operation_count_);
  require(ANeuralNetworksModel_getSupportedOperationsForDevices(model_, handles.data(), count, supported.get()),
          "getSupportedOperations");
  if (!std::all_of(supported.get(), supported.get() + builder.operation_count_, [](bool is) { return is; })) return;
  for (const size_t bytes : builder.input_bytes_) inputs_.emplace_back(bytes);
  for (const size_t bytes : builder.output_bytes_) outputs_.emplace_back(bytes);
  require(ANeuralNetworksCompilation_createForDevices(model_, handles.data(), count, &compilation_), "createForDevices");
  require(ANeuralNetworksCompilation_finish(compilation_), "Compilation_finish");
}

CompiledModel::~CompiledModel() {
  ANeuralNetworksCompilation_free(compilation_);
  ANeuralNetworksModel_free(model_);
}

ANeuralNetworksExecution* CompiledModel::unbound_execution(bool reusable) {
  ANeuralNetworksExecution* execution = nullptr;
  require(ANeuralNetworksExecution_create(compilation_, &execution), "Execution_create");
  if (reusable) require(ANeuralNetworksExecution_setReusable(execution, true), "setReusable");
  return execution;
}

ANeuralNetworksExecution* CompiledModel::execution(bool reusable) {
  ANeuralNetworksExecution* execution = unbound_execution(reusable);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    require(ANeuralNetworksExecution_setInput(execution, static_cast<int32_t>(i), nullptr, inputs_[i].data(), inputs_[i].size()),
            "setInput");
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    require(
        ANeuralNetworksExecution_setOutput(execution, static_cast<int32_t>(i), nullptr, outputs_[i].data(), outputs_[i].size()),
        "setOutput");
  }
  return execution;
}

ANeuralNetworksBurst* CompiledModel::burst() {
  ANeuralNetworksBurst* burst = nullptr;
  require(ANeuralNetworksBurst_create(compilation_, &burst), "Burst_create");
  return burst;
}

}  // namespace nnvk::perf
