// The functions that only a Support Library's table has (docs/nnapi/support_library.md), with the table's names and signatures.
#pragma once

#include "api/handles.h"

#pragma GCC visibility push(default)
#include <nnvk/support_library.h>
#pragma GCC visibility pop

namespace nnvk::api::support_library {

int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation* compilation, const int* modelCacheFds,
                                                    uint32_t numModelCacheFiles, const int* dataCacheFds,
                                                    uint32_t numDataCacheFiles, const uint8_t* token);
int SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(const ANeuralNetworksDevice* device, uint32_t* numModelCacheFiles,
                                                         uint32_t* numDataCacheFiles);
int SL_ANeuralNetworksDevice_getPerformanceInfo(const ANeuralNetworksDevice* device, int32_t performanceInfoKind,
                                                SL_ANeuralNetworksPerformanceInfo* performanceInfo);
int SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(const ANeuralNetworksDevice* device, void* context,
                                                           void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void*));
int SL_ANeuralNetworksDevice_getVendorExtensionCount(const ANeuralNetworksDevice* device, uint32_t* vendorExtensionCount);
int SL_ANeuralNetworksDevice_getVendorExtensionName(const ANeuralNetworksDevice* device, uint32_t vendorExtensionIndex,
                                                    const char** extensionName);
int SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
    const ANeuralNetworksDevice* device, uint32_t vendorExtensionIndex, void* context,
    void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void*));

}  // namespace nnvk::api::support_library
