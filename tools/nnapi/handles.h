// Handles that own objects of the C API, and result codes of that API as errors.
#pragma once

#include <android/NeuralNetworks.h>
#include <nnvk/devices.h>
#include <nnvk/diagnostics.h>

#include <memory>
#include <string>
#include <string_view>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

template <auto Free>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using ModelHandle = std::unique_ptr<ANeuralNetworksModel, Freer<ANeuralNetworksModel_free>>;
using CompilationHandle = std::unique_ptr<ANeuralNetworksCompilation, Freer<ANeuralNetworksCompilation_free>>;
using ExecutionHandle = std::unique_ptr<ANeuralNetworksExecution, Freer<ANeuralNetworksExecution_free>>;
using BurstHandle = std::unique_ptr<ANeuralNetworksBurst, Freer<ANeuralNetworksBurst_free>>;
using EventHandle = std::unique_ptr<ANeuralNetworksEvent, Freer<ANeuralNetworksEvent_free>>;
using MemoryHandle = std::unique_ptr<ANeuralNetworksMemory, Freer<ANeuralNetworksMemory_free>>;

// Turns a result code into a Status: "`what` failed with BAD_DATA: the library's own text".
Status check(int result, std::string_view what);

// Takes ownership of a JSON text from the library: copies it and frees it.
std::string take_json(char* json);

}  // namespace nnvk::tools
