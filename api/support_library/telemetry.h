// Diagnostics of a Support Library (docs/nnapi/support_library.md#diagnostics): entry points that end a compilation or
// computation and then call a callback. Signatures, results and errors are those of the same function in the C API.
#pragma once

#include "api/support_library/functions.h"

namespace nnvk::api::support_library::telemetry {

decltype(::ANeuralNetworksCompilation_createForDevices) ANeuralNetworksCompilation_createForDevices;
decltype(::ANeuralNetworksCompilation_setCaching) ANeuralNetworksCompilation_setCaching;
decltype(support_library::SL_ANeuralNetworksCompilation_setCachingFromFds) SL_ANeuralNetworksCompilation_setCachingFromFds;
decltype(::ANeuralNetworksCompilation_finish) ANeuralNetworksCompilation_finish;
decltype(::ANeuralNetworksCompilation_free) ANeuralNetworksCompilation_free;
decltype(::ANeuralNetworksExecution_compute) ANeuralNetworksExecution_compute;
decltype(::ANeuralNetworksExecution_burstCompute) ANeuralNetworksExecution_burstCompute;
decltype(::ANeuralNetworksExecution_startComputeWithDependencies) ANeuralNetworksExecution_startComputeWithDependencies;
decltype(::ANeuralNetworksEvent_wait) ANeuralNetworksEvent_wait;
decltype(::ANeuralNetworksEvent_free) ANeuralNetworksEvent_free;

// Sets the callbacks of the process. Each registration replaces the one before. nnvk does not call NULL callbacks.
void SL_ANeuralNetworksDiagnostic_registerCallbacks(ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
                                                    ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback,
                                                    void* callbackContext);

}  // namespace nnvk::api::support_library::telemetry
