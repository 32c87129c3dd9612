// The getters of diagnostics return plain values even for NULL, because they cannot report an error.
#include "api/support_library/diagnostic_info.h"

#include <unistd.h>

#include <chrono>

#include "core/base/log.h"
#include "core/runtime/runtime.h"

namespace nnvk::api::support_library {
namespace {

// Returns the values of getters for NULL, and for an info whose callback has ended (docs/nnapi/support_library.md#diagnostics).
template <class Info>
const Info& nothing() {
  static const Info* const info = [] {
    auto* const made = new Info();
    made->facts = std::make_shared<const CompilationFacts>();
    made->error_code = ANEURALNETWORKS_UNEXPECTED_NULL;
    return made;
  }();
  return *info;
}

// Returns `info` if it is alive, else nothing().
template <class Info>
const Info& checked(const Info* info) {
  if (HandleLife::is_registered(info, kHandleKind<Info>)) return *info;
  log_line(LogLevel::kError, "Telemetry", "a diagnostic info is NULL, or its callback is over: it is empty");
  return nothing<Info>();
}

template <class Info>
int32_t session(const Info*) {
  return session_id();
}

template <class Info>
int64_t version(const Info*) {
  return kRuntimeFeatureLevel;
}

// Serves as a getter of a member of CompilationFacts, for infos of both kinds.
template <class Info, auto kMember>
auto fact(const Info* info) {
  return (*checked(info).facts).*kMember;
}

template <class Info, auto kMember>
auto own(const Info* info) {
  return checked(info).*kMember;
}

template <class Info>
const uint8_t* hash(const Info* info) {
  return checked(info).facts->architecture.data();
}

template <class Info>
const char* devices(const Info* info) {
  return checked(info).facts->devices.c_str();
}

}  // namespace

int32_t session_id() {
  static const auto id = [] {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    return static_cast<int32_t>((int64_t{::getpid()} * 123 + milliseconds) % 999983);
  }();
  return id;
}

void fill_getters(NnApiSLDriverImplFL5& table) {
  using Compiled = ANeuralNetworksDiagnosticCompilationInfo;
  using Executed = ANeuralNetworksDiagnosticExecutionInfo;
  using Facts = CompilationFacts;
  nothing<Compiled>();  // makes it now, because getters cannot report a lack of memory
  nothing<Executed>();
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId = session<Compiled>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion = version<Compiled>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash = hash<Compiled>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds = devices<Compiled>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode = own<Compiled, &Compiled::error_code>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass = fact<Compiled, &Facts::inputs>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass = fact<Compiled, &Facts::outputs>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos = own<Compiled, &Compiled::nanoseconds>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled = fact<Compiled, &Facts::caching>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed = fact<Compiled, &Facts::control_flow>;
  table.SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed = fact<Compiled, &Facts::dynamic_tensors>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId = session<Executed>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion = version<Executed>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash = hash<Executed>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds = devices<Executed>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode = own<Executed, &Executed::mode>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass = fact<Executed, &Facts::inputs>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass = fact<Executed, &Facts::outputs>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode = own<Executed, &Executed::error_code>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos = own<Executed, &Executed::runtime_nanoseconds>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos = own<Executed, &Executed::driver_nanoseconds>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos = own<Executed, &Executed::hardware_nanoseconds>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled = fact<Executed, &Facts::caching>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed = fact<Executed, &Facts::control_flow>;
  table.SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed = fact<Executed, &Facts::dynamic_tensors>;
}

}  // namespace nnvk::api::support_library
