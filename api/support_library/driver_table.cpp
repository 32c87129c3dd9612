// ANeuralNetworks_getSLDriverImpl: the C API behind a table of function pointers.
#include "api/support_library/diagnostic_info.h"
#include "api/support_library/functions.h"
#include "api/support_library/telemetry.h"
#include "core/runtime/runtime.h"

namespace nnvk::api::support_library {
namespace {

NnApiSLDriverImplFL8 make_table() {
  NnApiSLDriverImplFL8 whole{};
  NnApiSLDriverImplFL5& table = whole.base;
  table.base.implFeatureLevel = kRuntimeFeatureLevel;
// The entry point of the C API; the one of this folder that diagnostics watch; a function that only the table has.
#define NNVK_SAME(name) table.name = ::name
#define NNVK_WATCHED(name) table.name = telemetry::name
#define NNVK_TABLE_ONLY(name) table.name = support_library::name
  NNVK_SAME(ANeuralNetworksBurst_create);
  NNVK_SAME(ANeuralNetworksBurst_free);
  NNVK_WATCHED(ANeuralNetworksCompilation_createForDevices);
  NNVK_WATCHED(ANeuralNetworksCompilation_finish);
  NNVK_WATCHED(ANeuralNetworksCompilation_free);
  NNVK_SAME(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput);
  NNVK_SAME(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput);
  NNVK_SAME(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput);
  NNVK_SAME(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput);
  NNVK_WATCHED(ANeuralNetworksCompilation_setCaching);
  NNVK_SAME(ANeuralNetworksCompilation_setPreference);
  NNVK_SAME(ANeuralNetworksCompilation_setPriority);
  NNVK_SAME(ANeuralNetworksCompilation_setTimeout);
  NNVK_SAME(ANeuralNetworksDevice_getExtensionSupport);
  NNVK_SAME(ANeuralNetworksDevice_getFeatureLevel);
  NNVK_SAME(ANeuralNetworksDevice_getName);
  NNVK_SAME(ANeuralNetworksDevice_getType);
  NNVK_SAME(ANeuralNetworksDevice_getVersion);
  NNVK_SAME(ANeuralNetworksDevice_wait);
  NNVK_SAME(ANeuralNetworksEvent_createFromSyncFenceFd);
  NNVK_WATCHED(ANeuralNetworksEvent_free);
  NNVK_SAME(ANeuralNetworksEvent_getSyncFenceFd);
  NNVK_WATCHED(ANeuralNetworksEvent_wait);
  NNVK_WATCHED(ANeuralNetworksExecution_burstCompute);
  NNVK_WATCHED(ANeuralNetworksExecution_compute);
  NNVK_SAME(ANeuralNetworksExecution_create);
  NNVK_SAME(ANeuralNetworksExecution_enableInputAndOutputPadding);
  NNVK_SAME(ANeuralNetworksExecution_free);
  NNVK_SAME(ANeuralNetworksExecution_getDuration);
  NNVK_SAME(ANeuralNetworksExecution_getOutputOperandDimensions);
  NNVK_SAME(ANeuralNetworksExecution_getOutputOperandRank);
  NNVK_SAME(ANeuralNetworksExecution_setInput);
  NNVK_SAME(ANeuralNetworksExecution_setInputFromMemory);
  NNVK_SAME(ANeuralNetworksExecution_setLoopTimeout);
  NNVK_SAME(ANeuralNetworksExecution_setMeasureTiming);
  NNVK_SAME(ANeuralNetworksExecution_setOutput);
  NNVK_SAME(ANeuralNetworksExecution_setOutputFromMemory);
  NNVK_SAME(ANeuralNetworksExecution_setReusable);
  NNVK_SAME(ANeuralNetworksExecution_setTimeout);
  NNVK_WATCHED(ANeuralNetworksExecution_startComputeWithDependencies);
  NNVK_SAME(ANeuralNetworksMemoryDesc_addInputRole);
  NNVK_SAME(ANeuralNetworksMemoryDesc_addOutputRole);
  NNVK_SAME(ANeuralNetworksMemoryDesc_create);
  NNVK_SAME(ANeuralNetworksMemoryDesc_finish);
  NNVK_SAME(ANeuralNetworksMemoryDesc_free);
  NNVK_SAME(ANeuralNetworksMemoryDesc_setDimensions);
  NNVK_SAME(ANeuralNetworksMemory_copy);
  NNVK_SAME(ANeuralNetworksMemory_createFromAHardwareBuffer);
  NNVK_SAME(ANeuralNetworksMemory_createFromDesc);
  NNVK_SAME(ANeuralNetworksMemory_createFromFd);
  NNVK_SAME(ANeuralNetworksMemory_free);
  NNVK_SAME(ANeuralNetworksModel_addOperand);
  NNVK_SAME(ANeuralNetworksModel_addOperation);
  NNVK_SAME(ANeuralNetworksModel_create);
  NNVK_SAME(ANeuralNetworksModel_finish);
  NNVK_SAME(ANeuralNetworksModel_free);
  NNVK_SAME(ANeuralNetworksModel_getExtensionOperandType);
  NNVK_SAME(ANeuralNetworksModel_getExtensionOperationType);
  NNVK_SAME(ANeuralNetworksModel_getSupportedOperationsForDevices);
  NNVK_SAME(ANeuralNetworksModel_identifyInputsAndOutputs);
  NNVK_SAME(ANeuralNetworksModel_relaxComputationFloat32toFloat16);
  NNVK_SAME(ANeuralNetworksModel_setOperandExtensionData);
  NNVK_SAME(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams);
  NNVK_SAME(ANeuralNetworksModel_setOperandValue);
  NNVK_SAME(ANeuralNetworksModel_setOperandValueFromMemory);
  NNVK_SAME(ANeuralNetworksModel_setOperandValueFromModel);
  NNVK_SAME(ANeuralNetworks_getDefaultLoopTimeout);
  NNVK_SAME(ANeuralNetworks_getDevice);
  NNVK_SAME(ANeuralNetworks_getDeviceCount);
  NNVK_SAME(ANeuralNetworks_getMaximumLoopTimeout);
  NNVK_SAME(ANeuralNetworks_getRuntimeFeatureLevel);
  NNVK_WATCHED(SL_ANeuralNetworksCompilation_setCachingFromFds);
  NNVK_TABLE_ONLY(SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded);
  NNVK_TABLE_ONLY(SL_ANeuralNetworksDevice_getPerformanceInfo);
  NNVK_TABLE_ONLY(SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo);
  NNVK_TABLE_ONLY(SL_ANeuralNetworksDevice_getVendorExtensionCount);
  NNVK_TABLE_ONLY(SL_ANeuralNetworksDevice_getVendorExtensionName);
  NNVK_TABLE_ONLY(SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation);
  NNVK_WATCHED(SL_ANeuralNetworksDiagnostic_registerCallbacks);
#undef NNVK_SAME
#undef NNVK_WATCHED
#undef NNVK_TABLE_ONLY
  fill_getters(table);
  whole.ANeuralNetworksCompilation_addExtensionAttribute = ::ANeuralNetworksCompilation_addExtensionAttribute;
  whole.ANeuralNetworksExecution_addExtensionAttribute = ::ANeuralNetworksExecution_addExtensionAttribute;
  return whole;
}

}  // namespace
}  // namespace nnvk::api::support_library

NnApiSLDriverImpl* ANeuralNetworks_getSLDriverImpl() {
  static NnApiSLDriverImplFL8 table = nnvk::api::support_library::make_table();
  return &table.base.base;
}
