// The infos that callbacks of diagnostics receive, and the getters for them (docs/nnapi/support_library.md#diagnostics).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "api/support_library/functions.h"
#include "api/support_library/model_facts.h"

namespace nnvk::api::support_library {

// The facts that stay the same for all executions of a compilation.
struct CompilationFacts {
  ArchitectureHash architecture{};
  std::string devices;  // "name=version", sorted, joined by commas
  DataClass inputs = ANNDIAG_DATA_CLASS_UNKNOWN;
  DataClass outputs = ANNDIAG_DATA_CLASS_UNKNOWN;
  bool caching = false;
  bool control_flow = false;
  bool dynamic_tensors = false;
};

// Returns a number that all infos of this process share; other processes probably have different numbers.
int32_t session_id();

// Puts the getters into the table.
void fill_getters(NnApiSLDriverImplFL5& table);

}  // namespace nnvk::api::support_library

// Infos are valid only during their callback, but clients keep pointers longer: getters never dereference an unknown pointer.
template <>
inline constexpr nnvk::api::HandleKind nnvk::api::kHandleKind<ANeuralNetworksDiagnosticCompilationInfo>{
    "ANeuralNetworksDiagnosticCompilationInfo"};
template <>
inline constexpr nnvk::api::HandleKind nnvk::api::kHandleKind<ANeuralNetworksDiagnosticExecutionInfo>{
    "ANeuralNetworksDiagnosticExecutionInfo"};

struct ANeuralNetworksDiagnosticCompilationInfo {
  std::shared_ptr<const nnvk::api::support_library::CompilationFacts> facts;
  int32_t error_code = 0;
  uint64_t nanoseconds = UINT64_MAX;
  nnvk::api::HandleLife life{this};
};

struct ANeuralNetworksDiagnosticExecutionInfo {
  std::shared_ptr<const nnvk::api::support_library::CompilationFacts> facts;
  ANeuralNetworksDiagnosticExecutionMode mode = ANNDIAG_EXECUTION_MODE_UNKNOWN;
  uint32_t error_code = 0;
  uint64_t runtime_nanoseconds = UINT64_MAX;
  uint64_t driver_nanoseconds = UINT64_MAX;
  uint64_t hardware_nanoseconds = UINT64_MAX;
  nnvk::api::HandleLife life{this};
};
