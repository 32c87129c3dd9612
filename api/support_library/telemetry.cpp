// Records the facts for callbacks of diagnostics and calls them; computes nothing while no callback is registered.
#include "api/support_library/telemetry.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "api/call.h"
#include "api/support_library/diagnostic_info.h"
#include "core/base/deadline.h"
#include "core/base/foreign_call.h"
#include "core/base/process_generation.h"

namespace nnvk::api::support_library::telemetry {
namespace {

using Clock = std::chrono::steady_clock;
using Facts = std::shared_ptr<const CompilationFacts>;

struct Callbacks {
  ANeuralNetworksDiagnosticCompilationFinishedCallback compiled = nullptr;
  ANeuralNetworksDiagnosticExecutionFinishedCallback executed = nullptr;
  void* context = nullptr;
};

struct KnownCompilation {
  std::string devices;
  bool caching = false;
  Facts facts;  // made on first use
};

// A fenced computation that has not been reported: no call has noticed its end yet.
struct Pending {
  Facts facts;
  std::shared_ptr<const Execution> execution;
};

struct Registry {
  std::mutex mutex;
  Callbacks callbacks;
  std::map<const Compilation*, KnownCompilation> compilations;
  std::map<const ANeuralNetworksEvent*, Pending> pending;
};

MutexOfProcess making_registry;
Registry* the_registry = nullptr;
uint32_t generation = 0;  // of the process that made it

// Returns the registry of the process. It is never destroyed, because computations may end while the process exits. A child of
// fork has its own, with the same callbacks.
Registry& registry() {
  const std::lock_guard lock(making_registry);
  if (the_registry == nullptr || generation != process_generation()) {
    auto own = std::make_unique<Registry>();
    if (the_registry != nullptr) own->callbacks = the_registry->callbacks;
    the_registry = own.release();
    generation = process_generation();
  }
  return *the_registry;
}

// Runs `body` for a callback. If memory runs out, gives up without an error: the client's call has its own result.
template <class Note>
void note(const Note& body) {
  try {
    body();
  } catch (const std::bad_alloc&) {
  }
}

Callbacks callbacks() {
  const std::lock_guard lock(registry().mutex);
  return registry().callbacks;
}

std::string device_ids(const ANeuralNetworksDevice* const* devices, uint32_t count) {
  std::vector<std::string> ids;
  for (uint32_t i = 0; i < count; ++i) ids.push_back(devices[i]->device->info().name + "=" + devices[i]->device->info().version);
  std::sort(ids.begin(), ids.end());
  std::string joined;
  for (const std::string& id : ids) joined += (joined.empty() ? "" : ",") + id;
  return joined;
}

// Returns whether temporaries of unknown size pass from one part to another.
bool uses_dynamic_tensors(const Compilation& compilation) {
  if (compilation.parts().size() < 2) return false;
  const auto& operands = compilation.model().operands();
  return std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.role == TensorRole::kTemporary && !operand.info.shape.fully_known();
  });
}

Facts facts_of(const Compilation& compilation) {
  const std::lock_guard lock(registry().mutex);
  KnownCompilation& known = registry().compilations[&compilation];
  if (known.facts == nullptr) {
    const Model& model = compilation.model();
    auto facts = std::make_shared<CompilationFacts>();
    facts->architecture = architecture_hash(model);
    facts->devices = known.devices;
    facts->inputs = data_class(model, model.inputs());
    facts->outputs = data_class(model, model.outputs());
    facts->caching = known.caching;
    facts->control_flow = uses_control_flow(model);
    facts->dynamic_tensors = uses_dynamic_tensors(compilation);
    known.facts = std::move(facts);
  }
  return known.facts;
}

void remember_caching(const ANeuralNetworksCompilation* compilation) {
  note([&] {
    Registry& known = registry();
    const std::lock_guard lock(known.mutex);
    known.compilations[&compilation->compilation].caching = true;
  });
}

// Adds the durations of a computation that was measured, and UINT64_MAX for a computation that was not.
void add_durations(const Execution& execution, bool fenced, ANeuralNetworksDiagnosticExecutionInfo& info) {
  uint64_t value = UINT64_MAX;
  if (execution.duration(fenced ? DurationKind::kFencedOnHardware : DurationKind::kOnHardware, &value)) {
    info.hardware_nanoseconds = value;
  }
  if (execution.duration(fenced ? DurationKind::kFencedInDriver : DurationKind::kInDriver, &value)) {
    info.driver_nanoseconds = value;
  }
}

// Returns whether a computation took place. It did not with these two codes, which mean that the call was refused before.
bool was_computed(int code) { return code != ANEURALNETWORKS_BAD_STATE && code != ANEURALNETWORKS_UNEXPECTED_NULL; }

template <class Call>
int compute(const ANeuralNetworksExecution* execution, ANeuralNetworksDiagnosticExecutionMode mode, Call call) {
  const Callbacks wanted = callbacks();
  if (wanted.executed == nullptr) return call();
  const Argument kept = NNVK_ARGUMENT(execution);
  const bool is_alive = kept.check().has_value();
  const Clock::time_point start = Clock::now();
  const int code = call();
  if (!is_alive || !was_computed(code)) return code;
  note([&] {
    ANeuralNetworksDiagnosticExecutionInfo info;
    info.runtime_nanoseconds = nanoseconds_since(start);
    info.facts = facts_of(execution->execution->compilation());
    info.mode = mode;
    info.error_code = static_cast<uint32_t>(code);
    add_durations(*execution->execution, false, info);
    tell_application("executionCallback", [&] { wanted.executed(wanted.context, &info); });
  });
  return code;
}

void report_fenced(const Pending& pending, int code) {
  const Callbacks wanted = callbacks();
  if (wanted.executed == nullptr) return;
  ANeuralNetworksDiagnosticExecutionInfo info;
  info.facts = pending.facts;
  info.mode = ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS;
  info.error_code = static_cast<uint32_t>(code);
  if (pending.execution != nullptr) add_durations(*pending.execution, true, info);
  tell_application("executionCallback", [&] { wanted.executed(wanted.context, &info); });
}

// Removes and returns the computation of an event, so that its end is reported once. The result is empty if another call has
// removed it.
Pending take_pending(const ANeuralNetworksEvent* event) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().pending.find(event);
  if (found == registry().pending.end()) return {};
  Pending pending = std::move(found->second);
  registry().pending.erase(found);
  return pending;
}

}  // namespace

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices,
                                                uint32_t numDevices, ANeuralNetworksCompilation** compilation) {
  const int code = ::ANeuralNetworksCompilation_createForDevices(model, devices, numDevices, compilation);
  if (code != ANEURALNETWORKS_NO_ERROR) return code;
  note([&] {
    std::string ids = device_ids(devices, numDevices);
    Registry& known = registry();
    const std::lock_guard lock(known.mutex);
    known.compilations[&(*compilation)->compilation].devices = std::move(ids);
  });
  return code;
}

int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation, const char* cacheDir, const uint8_t* token) {
  const int code = ::ANeuralNetworksCompilation_setCaching(compilation, cacheDir, token);
  if (code == ANEURALNETWORKS_NO_ERROR) remember_caching(compilation);
  return code;
}

int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation* compilation, const int* modelCacheFds,
                                                    uint32_t numModelCacheFiles, const int* dataCacheFds,
                                                    uint32_t numDataCacheFiles, const uint8_t* token) {
  const int code = support_library::SL_ANeuralNetworksCompilation_setCachingFromFds(
      compilation, modelCacheFds, numModelCacheFiles, dataCacheFds, numDataCacheFiles, token);
  if (code == ANEURALNETWORKS_NO_ERROR) remember_caching(compilation);
  return code;
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation) {
  const Callbacks wanted = callbacks();
  if (wanted.compiled == nullptr) return ::ANeuralNetworksCompilation_finish(compilation);
  const Argument kept = NNVK_ARGUMENT(compilation);
  const bool is_alive = kept.check().has_value();
  const Clock::time_point start = Clock::now();
  const int code = ::ANeuralNetworksCompilation_finish(compilation);
  if (!is_alive) return code;
  note([&] {
    ANeuralNetworksDiagnosticCompilationInfo info;
    info.nanoseconds = nanoseconds_since(start);
    info.facts = facts_of(compilation->compilation);
    info.error_code = code;
    tell_application("compilationCallback", [&] { wanted.compiled(wanted.context, &info); });
  });
  return code;
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation) {
  if (compilation != nullptr) {
    const std::lock_guard lock(registry().mutex);
    registry().compilations.erase(&compilation->compilation);
  }
  ::ANeuralNetworksCompilation_free(compilation);
}

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution) {
  return compute(execution, ANNDIAG_EXECUTION_MODE_SYNC, [&] { return ::ANeuralNetworksExecution_compute(execution); });
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst) {
  return compute(execution, ANNDIAG_EXECUTION_MODE_BURST,
                 [&] { return ::ANeuralNetworksExecution_burstCompute(execution, burst); });
}

int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution* execution,
                                                          const ANeuralNetworksEvent* const* dependencies,
                                                          uint32_t num_dependencies, uint64_t duration,
                                                          ANeuralNetworksEvent** event) {
  const int code =
      ::ANeuralNetworksExecution_startComputeWithDependencies(execution, dependencies, num_dependencies, duration, event);
  const Argument kept = NNVK_ARGUMENT(execution);
  if (callbacks().executed == nullptr || !kept.check()) return code;
  note([&] {
    Pending pending{facts_of(execution->execution->compilation()), execution->execution};
    if (code == ANEURALNETWORKS_NO_ERROR) {
      Registry& known = registry();
      const std::lock_guard lock(known.mutex);
      known.pending[*event] = std::move(pending);
    } else if (was_computed(code)) {
      report_fenced(pending, code);
    }
  });
  return code;
}

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event) {
  const int code = ::ANeuralNetworksEvent_wait(event);
  if (const Pending pending = take_pending(event); pending.facts != nullptr) note([&] { report_fenced(pending, code); });
  return code;
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event) {
  if (const Pending pending = take_pending(event); pending.facts != nullptr) {
    const int code = ::ANeuralNetworksEvent_wait(event);
    note([&] { report_fenced(pending, code); });
  }
  ::ANeuralNetworksEvent_free(event);
}

void SL_ANeuralNetworksDiagnostic_registerCallbacks(ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
                                                    ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback,
                                                    void* callbackContext) {
  const std::lock_guard lock(registry().mutex);
  registry().callbacks = {compilationCallback, executionCallback, callbackContext};
}

}  // namespace nnvk::api::support_library::telemetry
