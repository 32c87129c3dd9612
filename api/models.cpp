
#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"
#include "api/instance.h"
#include "core/base/log.h"

using namespace nnvk;
using namespace nnvk::api;

int ANeuralNetworksModel_create(ANeuralNetworksModel** model) {
  return call(__func__, {NNVK_ARGUMENT(model)}, [&]() -> Status {
    *model = nullptr;
    read_details();
    *model = new ANeuralNetworksModel{{}, {}, Model(instance().runtime().extensions())};
    return {};
  });
}

void ANeuralNetworksModel_free(ANeuralNetworksModel* model) { free_handle(__func__, model); }

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* model, const ANeuralNetworksOperandType* type) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(type)}, [&] { return model->model.add_operand(describe(*type)); });
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* model, int32_t index, const void* buffer, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(model)}, [&]() -> Status {
    NNVK_TRY(check_pair(buffer, length, "buffer"));
    return model->model.set_operand_value(to_index(index), buffer, length, Model::LongValue::kCopied);
  });
}

int nnvk_Model_setOperandValueInPlace(ANeuralNetworksModel* model, int32_t index, const void* buffer, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(model)}, [&]() -> Status {
    NNVK_TRY(check_pair(buffer, length, "buffer"));
    return model->model.set_operand_value(to_index(index), buffer, length, Model::LongValue::kInPlace);
  });
}

int nnvk_Model_setOperandValueTransposed(ANeuralNetworksModel* model, int32_t index, const void* buffer, size_t length,
                                         const uint32_t* order, uint32_t rank) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(buffer), NNVK_ARGUMENT(order)}, [&] {
    return model->model.set_transposed_value(to_index(index), {static_cast<const std::byte*>(buffer), length}, {order, rank});
  });
}

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel* model, int32_t index,
                                                   const ANeuralNetworksMemory* memory, size_t offset, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(memory)}, [&]() -> Status {
    NNVK_TRY(model->model.set_operand_value_from_memory(to_index(index), *memory->memory, offset, length));
    model->memories.emplace_back(memory, WhileKept::kMayBeFreed);
    return {};
  });
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel* model, int32_t index, const ANeuralNetworksModel* value) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(value)}, [&]() -> Status {
    NNVK_TRY(model->model.set_operand_value_from_model(to_index(index), value->model));
    model->models.emplace_back(value, WhileKept::kMayBeFreed);
    return {};
  });
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(ANeuralNetworksModel* model, int32_t index,
                                                             const ANeuralNetworksSymmPerChannelQuantParams* channelQuant) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(channelQuant)}, [&] {
    return model->model.set_channel_quant(to_index(index), channelQuant->channelDim, channelQuant->scales,
                                          channelQuant->scaleCount);
  });
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* model, ANeuralNetworksOperationType type, uint32_t inputCount,
                                      const uint32_t* inputs, uint32_t outputCount, const uint32_t* outputs) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(inputs), NNVK_ARGUMENT(outputs)}, [&] {
    return model->model.add_operation(type, {inputs, inputCount}, {outputs, outputCount});
  });
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* model, uint32_t inputCount, const uint32_t* inputs,
                                                  uint32_t outputCount, const uint32_t* outputs) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(inputs), NNVK_ARGUMENT(outputs)}, [&] {
    return model->model.identify_inputs_and_outputs({inputs, inputCount}, {outputs, outputCount});
  });
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* model, bool allow) {
  return call(__func__, {NNVK_ARGUMENT(model)}, [&] { return model->model.set_relaxed(allow); });
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel* model) {
  return call(__func__, {NNVK_ARGUMENT(model)}, [&] { return model->model.finish(); });
}

int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel* model, const char* extensionName,
                                                 uint16_t operandCodeWithinExtension, int32_t* type) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(extensionName), NNVK_ARGUMENT(type)}, [&]() -> Status {
    instance().complete_runtime();  // because devices declare extensions
    NNVK_ASSIGN(*type, model->model.extensions().code_of(extensionName, operandCodeWithinExtension));
    return {};
  });
}

int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel* model, const char* extensionName,
                                                   uint16_t operationCodeWithinExtension, ANeuralNetworksOperationType* type) {
  return call(__func__, {NNVK_ARGUMENT(model), NNVK_ARGUMENT(extensionName), NNVK_ARGUMENT(type)}, [&]() -> Status {
    instance().complete_runtime();  // because devices declare extensions
    NNVK_ASSIGN(*type, model->model.extensions().code_of(extensionName, operationCodeWithinExtension));
    return {};
  });
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel* model, int32_t index, const void* data, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(model)}, [&]() -> Status {
    NNVK_TRY(check_pair(data, length, "data"));
    return model->model.set_extension_data(to_index(index), data, length);
  });
}
