// Which section of the trace each entry point is (docs/nnapi/log_and_trace.md#sections).
#pragma once

#include <algorithm>
#include <string_view>

namespace nnvk::api {

enum class TracePhase { kNone, kPreparation, kCompilation, kInputsAndOutputs, kExecution, kTermination };

struct TracedFunction {
  std::string_view name;
  TracePhase phase;
};

// Every exported function, by name.
inline constexpr TracedFunction kTracedFunctions[] = {
    {"ANeuralNetworksBurst_create", TracePhase::kPreparation},
    {"ANeuralNetworksBurst_free", TracePhase::kTermination},
    {"ANeuralNetworksCompilation_addExtensionAttribute", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_create", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_createForDevices", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_finish", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_free", TracePhase::kTermination},
    {"ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_setCaching", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_setPreference", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_setPriority", TracePhase::kCompilation},
    {"ANeuralNetworksCompilation_setTimeout", TracePhase::kCompilation},
    {"ANeuralNetworksDevice_getExtensionSupport", TracePhase::kNone},
    {"ANeuralNetworksDevice_getFeatureLevel", TracePhase::kNone},
    {"ANeuralNetworksDevice_getName", TracePhase::kNone},
    {"ANeuralNetworksDevice_getType", TracePhase::kNone},
    {"ANeuralNetworksDevice_getVersion", TracePhase::kNone},
    {"ANeuralNetworksDevice_wait", TracePhase::kNone},
    {"ANeuralNetworksEvent_createFromSyncFenceFd", TracePhase::kNone},
    {"ANeuralNetworksEvent_free", TracePhase::kExecution},
    {"ANeuralNetworksEvent_getSyncFenceFd", TracePhase::kNone},
    {"ANeuralNetworksEvent_wait", TracePhase::kExecution},
    {"ANeuralNetworksExecution_addExtensionAttribute", TracePhase::kExecution},
    {"ANeuralNetworksExecution_burstCompute", TracePhase::kExecution},
    {"ANeuralNetworksExecution_compute", TracePhase::kExecution},
    {"ANeuralNetworksExecution_create", TracePhase::kExecution},
    {"ANeuralNetworksExecution_enableInputAndOutputPadding", TracePhase::kExecution},
    {"ANeuralNetworksExecution_free", TracePhase::kExecution},
    {"ANeuralNetworksExecution_getDuration", TracePhase::kExecution},
    {"ANeuralNetworksExecution_getOutputOperandDimensions", TracePhase::kExecution},
    {"ANeuralNetworksExecution_getOutputOperandRank", TracePhase::kExecution},
    {"ANeuralNetworksExecution_setInput", TracePhase::kInputsAndOutputs},
    {"ANeuralNetworksExecution_setInputFromMemory", TracePhase::kInputsAndOutputs},
    {"ANeuralNetworksExecution_setLoopTimeout", TracePhase::kExecution},
    {"ANeuralNetworksExecution_setMeasureTiming", TracePhase::kExecution},
    {"ANeuralNetworksExecution_setOutput", TracePhase::kInputsAndOutputs},
    {"ANeuralNetworksExecution_setOutputFromMemory", TracePhase::kInputsAndOutputs},
    {"ANeuralNetworksExecution_setReusable", TracePhase::kExecution},
    {"ANeuralNetworksExecution_setTimeout", TracePhase::kExecution},
    {"ANeuralNetworksExecution_startCompute", TracePhase::kExecution},
    {"ANeuralNetworksExecution_startComputeWithDependencies", TracePhase::kExecution},
    {"ANeuralNetworksMemoryDesc_addInputRole", TracePhase::kCompilation},
    {"ANeuralNetworksMemoryDesc_addOutputRole", TracePhase::kCompilation},
    {"ANeuralNetworksMemoryDesc_create", TracePhase::kCompilation},
    {"ANeuralNetworksMemoryDesc_finish", TracePhase::kCompilation},
    {"ANeuralNetworksMemoryDesc_free", TracePhase::kTermination},
    {"ANeuralNetworksMemoryDesc_setDimensions", TracePhase::kCompilation},
    {"ANeuralNetworksMemory_copy", TracePhase::kExecution},
    {"ANeuralNetworksMemory_createFromAHardwareBuffer", TracePhase::kPreparation},
    {"ANeuralNetworksMemory_createFromDesc", TracePhase::kCompilation},
    {"ANeuralNetworksMemory_createFromFd", TracePhase::kPreparation},
    {"ANeuralNetworksMemory_free", TracePhase::kTermination},
    {"ANeuralNetworksModel_addOperand", TracePhase::kPreparation},
    {"ANeuralNetworksModel_addOperation", TracePhase::kPreparation},
    {"ANeuralNetworksModel_create", TracePhase::kPreparation},
    {"ANeuralNetworksModel_finish", TracePhase::kPreparation},
    {"ANeuralNetworksModel_free", TracePhase::kTermination},
    {"ANeuralNetworksModel_getExtensionOperandType", TracePhase::kPreparation},
    {"ANeuralNetworksModel_getExtensionOperationType", TracePhase::kPreparation},
    {"ANeuralNetworksModel_getSupportedOperationsForDevices", TracePhase::kCompilation},
    {"ANeuralNetworksModel_identifyInputsAndOutputs", TracePhase::kPreparation},
    {"ANeuralNetworksModel_relaxComputationFloat32toFloat16", TracePhase::kPreparation},
    {"ANeuralNetworksModel_setOperandExtensionData", TracePhase::kPreparation},
    {"ANeuralNetworksModel_setOperandSymmPerChannelQuantParams", TracePhase::kPreparation},
    {"ANeuralNetworksModel_setOperandValue", TracePhase::kPreparation},
    {"ANeuralNetworksModel_setOperandValueFromMemory", TracePhase::kPreparation},
    {"ANeuralNetworksModel_setOperandValueFromModel", TracePhase::kPreparation},
    {"ANeuralNetworks_getDefaultLoopTimeout", TracePhase::kNone},
    {"ANeuralNetworks_getDevice", TracePhase::kNone},
    {"ANeuralNetworks_getDeviceCount", TracePhase::kNone},
    {"ANeuralNetworks_getMaximumLoopTimeout", TracePhase::kNone},
    {"ANeuralNetworks_getRuntimeFeatureLevel", TracePhase::kNone},
    {"nnvk_Execution_setInputPicture", TracePhase::kNone},
    {"nnvk_describeCompilation", TracePhase::kNone},
    {"nnvk_describeDevices", TracePhase::kNone},
    {"nnvk_describeExecution", TracePhase::kNone},
    {"nnvk_enableProfiling", TracePhase::kNone},
    {"nnvk_explainModel", TracePhase::kNone},
    {"nnvk_freeString", TracePhase::kNone},
    {"nnvk_lastError", TracePhase::kNone},
    {"nnvk_muteFailedCalls", TracePhase::kNone},
    {"nnvk_traceBegin", TracePhase::kNone},
    {"nnvk_traceEnd", TracePhase::kNone},
};
static_assert(std::ranges::is_sorted(kTracedFunctions, {}, &TracedFunction::name));

// Layer and phase of the section of a function; empty for functions without one and for unknown ones.
constexpr std::string_view trace_prefix(std::string_view function) {
  const auto* const found = std::ranges::lower_bound(kTracedFunctions, function, {}, &TracedFunction::name);
  if (found == std::end(kTracedFunctions) || found->name != function) return {};
  switch (found->phase) {
    case TracePhase::kNone:
      return {};
    case TracePhase::kPreparation:
      return "[NN_LR_PP]";
    case TracePhase::kCompilation:
      return "[NN_LR_PC]";
    case TracePhase::kInputsAndOutputs:
      return "[NN_LR_PIO]";
    case TracePhase::kExecution:
      return "[NN_LR_PE]";
    case TracePhase::kTermination:
      return "[NN_LR_PT]";
  }
  return {};
}

}  // namespace nnvk::api
