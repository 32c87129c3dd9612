// Diagnostics of a Support Library (docs/nnapi/support_library.md#diagnostics): entry points that end a compilation or
// computation and then call a callback. Signatures, results and errors are those of the same function in the C API.
#pragma once

#include "api/support_library/functions.h"

namespace nnvk::api::support_library::telemetry {

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices,
                                                uint32_t numDevices, ANeuralNetworksCompilation** compilation);
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation, const char* cacheDir, const uint8_t* token);
int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation* compilation, const int* modelCacheFds,
                                                    uint32_t numModelCacheFiles, const int* dataCacheFds,
                                                    uint32_t numDataCacheFiles, const uint8_t* token);
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation);
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation);
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution);
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst);
int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution* execution,
                                                          const ANeuralNetworksEvent* const* dependencies,
                                                          uint32_t num_dependencies, uint64_t duration,
                                                          ANeuralNetworksEvent** event);
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event);
void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event);

// Sets the callbacks of the process. Each registration replaces the one before. nnvk does not call NULL callbacks.
void SL_ANeuralNetworksDiagnostic_registerCallbacks(ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
                                                    ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback,
                                                    void* callbackContext);

}  // namespace nnvk::api::support_library::telemetry
