// The exported functions, the trace section of each (docs/nnapi/log_and_trace.md#sections), and a Support Library's entry.
#pragma once

#include <algorithm>
#include <string_view>

// Lists the entry points, sorted by name. SAME: the table has the function itself. WATCHED: the table has a wrapper with
// diagnostics. ABSENT: the table has no entry, or none in its part of feature level 5.
#define NNVK_ENTRY_POINTS(X)                                                             \
  X(ANeuralNetworksBurst_create, kPreparation, SAME)                                     \
  X(ANeuralNetworksBurst_free, kTermination, SAME)                                       \
  X(ANeuralNetworksCompilation_addExtensionAttribute, kCompilation, ABSENT)              \
  X(ANeuralNetworksCompilation_create, kCompilation, ABSENT)                             \
  X(ANeuralNetworksCompilation_createForDevices, kCompilation, WATCHED)                  \
  X(ANeuralNetworksCompilation_finish, kCompilation, WATCHED)                            \
  X(ANeuralNetworksCompilation_free, kTermination, WATCHED)                              \
  X(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput, kCompilation, SAME)  \
  X(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput, kCompilation, SAME) \
  X(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput, kCompilation, SAME)    \
  X(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput, kCompilation, SAME)   \
  X(ANeuralNetworksCompilation_setCaching, kCompilation, WATCHED)                        \
  X(ANeuralNetworksCompilation_setPreference, kCompilation, SAME)                        \
  X(ANeuralNetworksCompilation_setPriority, kCompilation, SAME)                          \
  X(ANeuralNetworksCompilation_setTimeout, kCompilation, SAME)                           \
  X(ANeuralNetworksDevice_getExtensionSupport, kNone, SAME)                              \
  X(ANeuralNetworksDevice_getFeatureLevel, kNone, SAME)                                  \
  X(ANeuralNetworksDevice_getName, kNone, SAME)                                          \
  X(ANeuralNetworksDevice_getType, kNone, SAME)                                          \
  X(ANeuralNetworksDevice_getVersion, kNone, SAME)                                       \
  X(ANeuralNetworksDevice_wait, kNone, SAME)                                             \
  X(ANeuralNetworksEvent_createFromSyncFenceFd, kNone, SAME)                             \
  X(ANeuralNetworksEvent_free, kExecution, WATCHED)                                      \
  X(ANeuralNetworksEvent_getSyncFenceFd, kNone, SAME)                                    \
  X(ANeuralNetworksEvent_wait, kExecution, WATCHED)                                      \
  X(ANeuralNetworksExecution_addExtensionAttribute, kExecution, ABSENT)                  \
  X(ANeuralNetworksExecution_burstCompute, kExecution, WATCHED)                          \
  X(ANeuralNetworksExecution_compute, kExecution, WATCHED)                               \
  X(ANeuralNetworksExecution_create, kExecution, SAME)                                   \
  X(ANeuralNetworksExecution_enableInputAndOutputPadding, kExecution, SAME)              \
  X(ANeuralNetworksExecution_free, kExecution, SAME)                                     \
  X(ANeuralNetworksExecution_getDuration, kExecution, SAME)                              \
  X(ANeuralNetworksExecution_getOutputOperandDimensions, kExecution, SAME)               \
  X(ANeuralNetworksExecution_getOutputOperandRank, kExecution, SAME)                     \
  X(ANeuralNetworksExecution_setInput, kInputsAndOutputs, SAME)                          \
  X(ANeuralNetworksExecution_setInputFromMemory, kInputsAndOutputs, SAME)                \
  X(ANeuralNetworksExecution_setLoopTimeout, kExecution, SAME)                           \
  X(ANeuralNetworksExecution_setMeasureTiming, kExecution, SAME)                         \
  X(ANeuralNetworksExecution_setOutput, kInputsAndOutputs, SAME)                         \
  X(ANeuralNetworksExecution_setOutputFromMemory, kInputsAndOutputs, SAME)               \
  X(ANeuralNetworksExecution_setReusable, kExecution, SAME)                              \
  X(ANeuralNetworksExecution_setTimeout, kExecution, SAME)                               \
  X(ANeuralNetworksExecution_startCompute, kExecution, ABSENT)                           \
  X(ANeuralNetworksExecution_startComputeWithDependencies, kExecution, WATCHED)          \
  X(ANeuralNetworksMemoryDesc_addInputRole, kCompilation, SAME)                          \
  X(ANeuralNetworksMemoryDesc_addOutputRole, kCompilation, SAME)                         \
  X(ANeuralNetworksMemoryDesc_create, kCompilation, SAME)                                \
  X(ANeuralNetworksMemoryDesc_finish, kCompilation, SAME)                                \
  X(ANeuralNetworksMemoryDesc_free, kTermination, SAME)                                  \
  X(ANeuralNetworksMemoryDesc_setDimensions, kCompilation, SAME)                         \
  X(ANeuralNetworksMemory_copy, kExecution, SAME)                                        \
  X(ANeuralNetworksMemory_createFromAHardwareBuffer, kPreparation, SAME)                 \
  X(ANeuralNetworksMemory_createFromDesc, kCompilation, SAME)                            \
  X(ANeuralNetworksMemory_createFromFd, kPreparation, SAME)                              \
  X(ANeuralNetworksMemory_free, kTermination, SAME)                                      \
  X(ANeuralNetworksModel_addOperand, kPreparation, SAME)                                 \
  X(ANeuralNetworksModel_addOperation, kPreparation, SAME)                               \
  X(ANeuralNetworksModel_create, kPreparation, SAME)                                     \
  X(ANeuralNetworksModel_finish, kPreparation, SAME)                                     \
  X(ANeuralNetworksModel_free, kTermination, SAME)                                       \
  X(ANeuralNetworksModel_getExtensionOperandType, kPreparation, SAME)                    \
  X(ANeuralNetworksModel_getExtensionOperationType, kPreparation, SAME)                  \
  X(ANeuralNetworksModel_getSupportedOperationsForDevices, kCompilation, SAME)           \
  X(ANeuralNetworksModel_identifyInputsAndOutputs, kPreparation, SAME)                   \
  X(ANeuralNetworksModel_relaxComputationFloat32toFloat16, kPreparation, SAME)           \
  X(ANeuralNetworksModel_setOperandExtensionData, kPreparation, SAME)                    \
  X(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams, kPreparation, SAME)        \
  X(ANeuralNetworksModel_setOperandValue, kPreparation, SAME)                            \
  X(ANeuralNetworksModel_setOperandValueFromMemory, kPreparation, SAME)                  \
  X(ANeuralNetworksModel_setOperandValueFromModel, kPreparation, SAME)                   \
  X(ANeuralNetworks_getDefaultLoopTimeout, kNone, SAME)                                  \
  X(ANeuralNetworks_getDevice, kNone, SAME)                                              \
  X(ANeuralNetworks_getDeviceCount, kNone, SAME)                                         \
  X(ANeuralNetworks_getMaximumLoopTimeout, kNone, SAME)                                  \
  X(ANeuralNetworks_getRuntimeFeatureLevel, kNone, SAME)                                 \
  X(nnvk_Compilation_addInputShapes, kNone, ABSENT)                                      \
  X(nnvk_Execution_setInputPicture, kNone, ABSENT)                                       \
  X(nnvk_Execution_setInputPictureCrops, kNone, ABSENT)                                  \
  X(nnvk_Memory_createFromFds, kNone, ABSENT)                                            \
  X(nnvk_Model_setOperandValueInPlace, kNone, ABSENT)                                    \
  X(nnvk_Model_setOperandValueTransposed, kNone, ABSENT)                                 \
  X(nnvk_calibrateDevices, kNone, ABSENT)                                                \
  X(nnvk_describeCompilation, kNone, ABSENT)                                             \
  X(nnvk_describeDevices, kNone, ABSENT)                                                 \
  X(nnvk_describeExecution, kNone, ABSENT)                                               \
  X(nnvk_enableProfiling, kNone, ABSENT)                                                 \
  X(nnvk_explainModel, kNone, ABSENT)                                                    \
  X(nnvk_findDevice, kNone, ABSENT)                                                      \
  X(nnvk_freeString, kNone, ABSENT)                                                      \
  X(nnvk_getInterface, kNone, ABSENT)                                                    \
  X(nnvk_lastError, kNone, ABSENT)                                                       \
  X(nnvk_listKernels, kNone, ABSENT)                                                     \
  X(nnvk_muteFailedCalls, kNone, ABSENT)                                                 \
  X(nnvk_traceBegin, kNone, ABSENT)                                                      \
  X(nnvk_traceEnd, kNone, ABSENT)                                                        \
  X(nnvk_vkBufferNeeds, kNone, ABSENT)                                                   \
  X(nnvk_vkCreateRecording, kNone, ABSENT)                                               \
  X(nnvk_vkCreateRecordingIfPrepared, kNone, ABSENT)                                     \
  X(nnvk_vkFreeRecording, kNone, ABSENT)                                                 \
  X(nnvk_vkGetRecordInfo, kNone, ABSENT)                                                 \
  X(nnvk_vkGetRequirements, kNone, ABSENT)                                               \
  X(nnvk_vkImportDevice, kNone, ABSENT)                                                  \
  X(nnvk_vkMemoryFromBuffer, kNone, ABSENT)                                              \
  X(nnvk_vkMemoryFromDeviceMemory, kNone, ABSENT)                                        \
  X(nnvk_vkMemoryFromImage, kNone, ABSENT)                                               \
  X(nnvk_vkMemoryFromImages, kNone, ABSENT)                                              \
  X(nnvk_vkPatchFeatures, kNone, ABSENT)                                                 \
  X(nnvk_vkPreparationDone, kNone, ABSENT)                                               \
  X(nnvk_vkPrepareRecording, kNone, ABSENT)                                              \
  X(nnvk_vkRecord, kNone, ABSENT)                                                        \
  X(nnvk_vkRecordPreparation, kNone, ABSENT)                                             \
  X(nnvk_vkRecordSlice, kNone, ABSENT)                                                   \
  X(nnvk_vkReleaseDevice, kNone, ABSENT)                                                 \
  X(nnvk_vkResetRecording, kNone, ABSENT)                                                \
  X(nnvk_vkStartCompute, kNone, ABSENT)

namespace nnvk::api {

// Layer and phase of a section.
namespace trace_phase {
inline constexpr std::string_view kNone = "";
inline constexpr std::string_view kPreparation = "[NN_LR_PP]";
inline constexpr std::string_view kCompilation = "[NN_LR_PC]";
inline constexpr std::string_view kInputsAndOutputs = "[NN_LR_PIO]";
inline constexpr std::string_view kExecution = "[NN_LR_PE]";
inline constexpr std::string_view kTermination = "[NN_LR_PT]";
}  // namespace trace_phase

struct TracedFunction {
  std::string_view name;
  std::string_view prefix;
};

inline constexpr TracedFunction kTracedFunctions[] = {
#define NNVK_TRACED(name, phase, in_table) {#name, trace_phase::phase},
    NNVK_ENTRY_POINTS(NNVK_TRACED)
#undef NNVK_TRACED
};
static_assert(std::ranges::is_sorted(kTracedFunctions, {}, &TracedFunction::name));

// Returns the prefix (layer and phase) of a function's trace section; empty for functions without a section and for unknown ones.
constexpr std::string_view trace_prefix(std::string_view function) {
  const auto* const found = std::ranges::lower_bound(kTracedFunctions, function, {}, &TracedFunction::name);
  return found != std::end(kTracedFunctions) && found->name == function ? found->prefix : std::string_view();
}

}  // namespace nnvk::api
