// Entry points of a Support Library's table: a loader's queries about devices, and caching by file descriptors.
#include <optional>
#include <string>

#include "api/arguments.h"
#include "api/call.h"
#include "api/instance.h"
#include "api/support_library/functions.h"
#include "core/operations/operation_enumerators.h"
#include "core/plan/added_tensors.h"
#include "core/runtime/placement.h"

namespace nnvk::api::support_library {
namespace {

// --- Times relative to nnvk-cpu's -------------------------------------------------------------------------------------------

TensorId number(Plan& plan, int32_t value) { return add_int_constant(plan, {}, std::span(&value, 1)); }

// These functions return the plan of one operation, whose tensors are all inputs.
std::shared_ptr<const Plan> convolution(OperandType type) {
  constexpr float kScale = 0.5F;
  const bool quantized = is_quant8_asymm(type);
  const float scale = quantized ? kScale : 0.0F;
  const OperandInfo image = operand_info(type, {1, 56, 56, 64}, scale);
  const OperandInfo biases = operand_info(quantized ? OperandType::kTensorInt32 : type, {64}, scale * scale);
  auto plan = std::make_shared<Plan>();
  const TensorId x = add_tensor(*plan, image, TensorRole::kInput);
  const TensorId weights = add_tensor(*plan, operand_info(type, {64, 3, 3, 64}, scale), TensorRole::kInput);
  const TensorId bias = add_tensor(*plan, biases, TensorRole::kInput);
  const TensorId same_padding = number(*plan, 1);
  const TensorId one = number(*plan, 1);
  const TensorId no_activation = number(*plan, 0);
  const TensorId y = add_tensor(*plan, image, TensorRole::kOutput);
  add_node(*plan, OperationCode::kConv2d, {x, weights, bias, same_padding, one, one, no_activation}, {y});
  return plan;
}

std::shared_ptr<const Plan> pairwise(OperandType type) {
  const bool is_logical = type == OperandType::kTensorBool8;
  const OperandInfo tensor = operand_info(type, {1, 56, 56, 64});
  auto plan = std::make_shared<Plan>();
  std::vector<TensorId> inputs{add_tensor(*plan, tensor, TensorRole::kInput), add_tensor(*plan, tensor, TensorRole::kInput)};
  if (!is_logical) inputs.push_back(number(*plan, 0));  // no activation
  const TensorId y = add_tensor(*plan, tensor, TensorRole::kOutput);
  add_node(*plan, is_logical ? OperationCode::kLogicalAnd : OperationCode::kAdd, std::move(inputs), {y});
  return plan;
}

std::shared_ptr<const Plan> layer_of(OperandType type) {
  switch (type) {
    case OperandType::kTensorFloat32:
    case OperandType::kTensorFloat16:
    case OperandType::kTensorQuant8Asymm:
    case OperandType::kTensorQuant8AsymmSigned:
      return convolution(type);
    case OperandType::kTensorInt32:
    case OperandType::kTensorBool8:
      return pairwise(type);
    default:
      return nullptr;
  }
}

std::optional<double> seconds_on(const Device& device, const Plan& plan) {
  double seconds = 0.0;
  for (const Placement& placement : place_on(device, plan)) {
    if (!placement.supported) return std::nullopt;
    seconds += placement.predicted_seconds;
  }
  return seconds > 0.0 ? std::optional(seconds) : std::nullopt;
}

// Returns the predicted time of `device` for a layer of operand type `type`, divided by nnvk-cpu's: less than 1 is faster than
// the CPU. The layer is a 3x3 convolution for float and 8-bit tensors, an addition for TENSOR_INT32, a logical AND for
// TENSOR_BOOL8. Returns nullopt for other types, and if a device does not run the layer.
std::optional<float> relative_time(const Runtime& runtime, const Device& device, OperandType type) {
  const auto plan = layer_of(type);
  if (plan == nullptr) return std::nullopt;
  const auto own = seconds_on(device, *plan);
  const auto cpu = seconds_on(runtime.fallback(), *plan);
  if (!own || !cpu) return std::nullopt;
  return static_cast<float>(*own / *cpu);
}

// --- Queries ----------------------------------------------------------------------------------------------------------------

Result<const ExtensionDescription*> extension_at(const ANeuralNetworksDevice& device, uint32_t index) {
  const auto& extensions = device.device->info().extensions;
  if (index < extensions.size()) return &extensions[index];
  return fail(Code::kBadData, "vendor extension " + std::to_string(index) + " does not exist: the device has " +
                                  std::to_string(extensions.size()));
}

int SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(const ANeuralNetworksDevice* device, uint32_t* numModelCacheFiles,
                                                         uint32_t* numDataCacheFiles) {
  if (numModelCacheFiles != nullptr) *numModelCacheFiles = 0;
  if (numDataCacheFiles != nullptr) *numDataCacheFiles = 0;
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(numModelCacheFiles), NNVK_ARGUMENT(numDataCacheFiles)},
              [&]() -> Status {
                *numModelCacheFiles = device->device->info().caches ? 1 : 0;
                return {};
              });
}

int SL_ANeuralNetworksDevice_getPerformanceInfo(const ANeuralNetworksDevice* device, int32_t performanceInfoKind,
                                                SL_ANeuralNetworksPerformanceInfo* performanceInfo) {
  if (performanceInfo != nullptr) *performanceInfo = {0.0F, 0.0F};
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(performanceInfo)}, [&]() -> Status {
    switch (performanceInfoKind) {
      case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR:
      case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF:
      case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE:
        *performanceInfo = {1.0F, 1.0F};  // the host handles scalars and conditions for every device
        return {};
      case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR: {
        const float time = relative_time(instance().runtime(), *device->device, OperandType::kTensorFloat32).value_or(1.0F);
        *performanceInfo = {time, time};  // energy is not measured; it follows the time
        return {};
      }
      default:
        return fail(Code::kBadData, "performanceInfoKind " + std::to_string(performanceInfoKind) + " is not in 0..3");
    }
  });
}

int SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(const ANeuralNetworksDevice* device, void* context,
                                                           void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void*)) {
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(context), NNVK_ARGUMENT(callback)}, [&]() -> Status {
    for (auto type = static_cast<int32_t>(OperandType::kFloat32); type <= static_cast<int32_t>(OperandType::kModel); ++type) {
      const auto time = relative_time(instance().runtime(), *device->device, static_cast<OperandType>(type));
      if (time) callback({type, {*time, *time}}, context);
    }
    return {};
  });
}

int SL_ANeuralNetworksDevice_getVendorExtensionCount(const ANeuralNetworksDevice* device, uint32_t* vendorExtensionCount) {
  if (vendorExtensionCount != nullptr) *vendorExtensionCount = 0;
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(vendorExtensionCount)}, [&]() -> Status {
    *vendorExtensionCount = static_cast<uint32_t>(device->device->info().extensions.size());
    return {};
  });
}

int SL_ANeuralNetworksDevice_getVendorExtensionName(const ANeuralNetworksDevice* device, uint32_t vendorExtensionIndex,
                                                    const char** extensionName) {
  if (extensionName != nullptr) *extensionName = nullptr;
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(extensionName)}, [&]() -> Status {
    NNVK_ASSIGN(const ExtensionDescription* const extension, extension_at(*device, vendorExtensionIndex));
    *extensionName = extension->name.c_str();
    return {};
  });
}

int SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
    const ANeuralNetworksDevice* device, uint32_t vendorExtensionIndex, void* context,
    void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void*)) {
  return call(__func__, {NNVK_ARGUMENT(device), NNVK_ARGUMENT(context), NNVK_ARGUMENT(callback)}, [&]() -> Status {
    NNVK_ASSIGN(const ExtensionDescription* const extension, extension_at(*device, vendorExtensionIndex));
    for (const ExtensionType& type : extension->operand_types) callback({type.byte_size, type.code, type.is_tensor}, context);
    return {};
  });
}

}  // namespace

int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation* compilation, const int* modelCacheFds,
                                                    uint32_t numModelCacheFiles, const int* dataCacheFds,
                                                    uint32_t numDataCacheFiles, const uint8_t* token) {
  return call(__func__, {NNVK_ARGUMENT(compilation), NNVK_ARGUMENT(token)}, [&]() -> Status {
    NNVK_TRY(check_pair(modelCacheFds, numModelCacheFiles, "modelCacheFds"));
    NNVK_TRY(check_pair(dataCacheFds, numDataCacheFiles, "dataCacheFds"));
    return compilation->compilation.set_caching_files({modelCacheFds, numModelCacheFiles}, {dataCacheFds, numDataCacheFiles},
                                                      token);
  });
}

void fill_queries(NnApiSLDriverImplFL5& table) {
  table.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded = SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded;
  table.SL_ANeuralNetworksDevice_getPerformanceInfo = SL_ANeuralNetworksDevice_getPerformanceInfo;
  table.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo = SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo;
  table.SL_ANeuralNetworksDevice_getVendorExtensionCount = SL_ANeuralNetworksDevice_getVendorExtensionCount;
  table.SL_ANeuralNetworksDevice_getVendorExtensionName = SL_ANeuralNetworksDevice_getVendorExtensionName;
  table.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation =
      SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation;
}

}  // namespace nnvk::api::support_library
