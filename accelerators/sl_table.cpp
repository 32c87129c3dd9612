#include "accelerators/sl_table.h"

#include <dlfcn.h>

namespace nnvk::accelerators {
namespace {

// The functions of the table that this folder calls. It uses neither diagnostics, bursts, events nor caching by folders.
#define NNVK_NEEDED_FUNCTIONS(F)                                           \
  F(ANeuralNetworks_getDeviceCount)                                        \
  F(ANeuralNetworks_getDevice)                                             \
  F(ANeuralNetworksDevice_getName)                                         \
  F(ANeuralNetworksDevice_getVersion)                                      \
  F(ANeuralNetworksDevice_getType)                                         \
  F(ANeuralNetworksDevice_getFeatureLevel)                                 \
  F(SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded)                  \
  F(SL_ANeuralNetworksDevice_getPerformanceInfo)                           \
  F(SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo)                \
  F(SL_ANeuralNetworksDevice_getVendorExtensionCount)                      \
  F(SL_ANeuralNetworksDevice_getVendorExtensionName)                       \
  F(SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation) \
  F(ANeuralNetworksModel_create)                                           \
  F(ANeuralNetworksModel_free)                                             \
  F(ANeuralNetworksModel_addOperand)                                       \
  F(ANeuralNetworksModel_setOperandValue)                                  \
  F(ANeuralNetworksModel_setOperandValueFromMemory)                        \
  F(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams)              \
  F(ANeuralNetworksModel_setOperandExtensionData)                          \
  F(ANeuralNetworksModel_getExtensionOperandType)                          \
  F(ANeuralNetworksModel_getExtensionOperationType)                        \
  F(ANeuralNetworksModel_addOperation)                                     \
  F(ANeuralNetworksModel_identifyInputsAndOutputs)                         \
  F(ANeuralNetworksModel_relaxComputationFloat32toFloat16)                 \
  F(ANeuralNetworksModel_finish)                                           \
  F(ANeuralNetworksModel_getSupportedOperationsForDevices)                 \
  F(ANeuralNetworksCompilation_createForDevices)                           \
  F(ANeuralNetworksCompilation_free)                                       \
  F(ANeuralNetworksCompilation_setPreference)                              \
  F(ANeuralNetworksCompilation_setPriority)                                \
  F(ANeuralNetworksCompilation_setTimeout)                                 \
  F(SL_ANeuralNetworksCompilation_setCachingFromFds)                       \
  F(ANeuralNetworksCompilation_finish)                                     \
  F(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput)        \
  F(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput)       \
  F(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput)          \
  F(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput)         \
  F(ANeuralNetworksExecution_create)                                       \
  F(ANeuralNetworksExecution_free)                                         \
  F(ANeuralNetworksExecution_setInput)                                     \
  F(ANeuralNetworksExecution_setInputFromMemory)                           \
  F(ANeuralNetworksExecution_setOutput)                                    \
  F(ANeuralNetworksExecution_setOutputFromMemory)                          \
  F(ANeuralNetworksExecution_setMeasureTiming)                             \
  F(ANeuralNetworksExecution_setTimeout)                                   \
  F(ANeuralNetworksExecution_compute)                                      \
  F(ANeuralNetworksExecution_getDuration)                                  \
  F(ANeuralNetworksExecution_getOutputOperandRank)                         \
  F(ANeuralNetworksExecution_getOutputOperandDimensions)                   \
  F(ANeuralNetworksMemory_createFromFd)                                    \
  F(ANeuralNetworksMemory_createFromDesc)                                  \
  F(ANeuralNetworksMemory_copy)                                            \
  F(ANeuralNetworksMemory_free)                                            \
  F(ANeuralNetworksMemoryDesc_create)                                      \
  F(ANeuralNetworksMemoryDesc_free)                                        \
  F(ANeuralNetworksMemoryDesc_addInputRole)                                \
  F(ANeuralNetworksMemoryDesc_addOutputRole)                               \
  F(ANeuralNetworksMemoryDesc_finish)

tl::unexpected<Error> unavailable(std::string message) { return fail(Code::kUnavailableDevice, std::move(message)); }

}  // namespace

Result<SlTable> check_table(const NnApiSLDriverImpl* table) {
  if (table == nullptr) return unavailable("ANeuralNetworks_getSLDriverImpl gave no table");
  if (table->implFeatureLevel < kLowestTableLevel) {
    return unavailable("the table's feature level is " + std::to_string(table->implFeatureLevel) +
                       "; at least 31 (level 5) is needed");
  }
  SlTable checked;
  checked.functions = reinterpret_cast<const NnApiSLDriverImplFL5*>(table);
#define NNVK_CHECK(name) \
  if (checked.functions->name == nullptr) return unavailable("the table has no " #name);
  NNVK_NEEDED_FUNCTIONS(NNVK_CHECK)
#undef NNVK_CHECK
  if (table->implFeatureLevel >= kAttributesTableLevel) {
    checked.attributes = reinterpret_cast<const NnApiSLDriverImplFL8*>(table);
    const bool are_there = checked.attributes->ANeuralNetworksCompilation_addExtensionAttribute != nullptr &&
                           checked.attributes->ANeuralNetworksExecution_addExtensionAttribute != nullptr;
    if (!are_there) return unavailable("the table says feature level 8 but has no functions for attributes of extensions");
  }
  return checked;
}

Result<SlTable> load_table(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    return unavailable("the library cannot be loaded: " + std::string(why != nullptr ? why : library.c_str()));
  }
  using GetTable = NnApiSLDriverImpl* (*)();
  const auto get_table = reinterpret_cast<GetTable>(::dlsym(handle, "ANeuralNetworks_getSLDriverImpl"));
  if (get_table == nullptr) {
    return unavailable(library + " exports no ANeuralNetworks_getSLDriverImpl: it is not an NNAPI Support Library");
  }
  auto table = check_table(get_table());
  if (!table) return fail(table.error().at(library));
  table->explain = reinterpret_cast<decltype(table->explain)>(::dlsym(handle, "nnvk_explainDeclinedOperations"));
  return table;
}

Status status_of(int code, const char* function) {
  if (code == 0) return {};
  const bool is_known = code > 0 && code <= static_cast<int>(Code::kDeadObject);
  return fail(is_known ? static_cast<Code>(code) : Code::kOpFailed,
              std::string(function) + " of the plugin returned " +
                  (is_known ? code_name(static_cast<Code>(code)) : "the unknown code " + std::to_string(code)));
}

}  // namespace nnvk::accelerators
