// Entry points: executions and events.
#include <algorithm>
#include <string>

#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"
#include "core/base/library_pin.h"
#include "core/base/log.h"

using namespace nnvk;
using namespace nnvk::api;

namespace {

// An operand type, which the client may omit.
class OptionalType {
 public:
  explicit OptionalType(const ANeuralNetworksOperandType* type) : given_(type != nullptr) {
    if (given_) description_ = describe(*type);
  }
  const OperandTypeDescription* get() const { return given_ ? &description_ : nullptr; }

 private:
  bool given_;
  OperandTypeDescription description_;
};

// Sets an input or output to `source`, a region of `memory`, which the execution then keeps.
Status set_from_memory(ANeuralNetworksExecution& execution, bool is_input, uint32_t index, const IoSource& source,
                       const ANeuralNetworksMemory* memory) {
  execution.memories.reserve(execution.memories.size() + 1);  // now, because nothing may fail once the operand is set
  NNVK_TRY(execution.execution->set(is_input, index, source));
  execution.memories.emplace_back(memory, WhileKept::kMayBeFreed);
  return {};
}

uint32_t to_nnapi_dimension(uint32_t dimension) { return dimension == kUnknownDimension ? 0 : dimension; }

Status report_sufficiency(int32_t index, bool sufficient) {
  if (sufficient) return {};
  return fail(Code::kOutputInsufficientSize, "the buffer of output " + std::to_string(index) + " was too small for the result");
}

}  // namespace

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksExecution** execution) {
  return call(__func__, {NNVK_ARGUMENT(compilation), NNVK_ARGUMENT(execution)}, [&]() -> Status {
    *execution = nullptr;
    NNVK_TRY(compilation->compilation.require_ready());
    auto made = std::make_unique<ANeuralNetworksExecution>(uses_as(compilation->uses, Imported::kExecution), Kept(compilation),
                                                           Execution::create(compilation->compilation));
    made->execution->prepare_end([own = made.get()] {
      const OnLibraryThread here;
      delete own;
    });
    *execution = made.release();
    return {};
  });
}

void ANeuralNetworksExecution_free(ANeuralNetworksExecution* execution) { free_handle(__func__, execution); }

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* execution, int32_t index, const ANeuralNetworksOperandType* type,
                                      const void* buffer, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(execution)}, [&]() -> Status {
    NNVK_TRY(check_pair(buffer, length, "buffer"));
    return execution->execution->set(true, to_index(index), {.type = OptionalType(type).get(), .data = buffer, .length = length});
  });
}

int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                const ANeuralNetworksOperandType* type, const ANeuralNetworksMemory* memory,
                                                size_t offset, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(memory)}, [&] {
    return set_from_memory(*execution, true, to_index(index),
                           {.type = OptionalType(type).get(), .memory = memory->memory.get(), .offset = offset, .length = length},
                           memory);
  });
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* execution, int32_t index, const ANeuralNetworksOperandType* type,
                                       void* buffer, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(execution)}, [&]() -> Status {
    NNVK_TRY(check_pair(buffer, length, "buffer"));
    return execution->execution->set(false, to_index(index),
                                     {.type = OptionalType(type).get(), .data = buffer, .length = length});
  });
}

int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                 const ANeuralNetworksOperandType* type, const ANeuralNetworksMemory* memory,
                                                 size_t offset, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(memory)}, [&] {
    return set_from_memory(*execution, false, to_index(index),
                           {.type = OptionalType(type).get(), .memory = memory->memory.get(), .offset = offset, .length = length},
                           memory);
  });
}

int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution* execution, bool enable) {
  return call(__func__, {NNVK_ARGUMENT(execution)}, [&] { return execution->execution->enable_padding(enable); });
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution* execution, bool reusable) {
  return call(__func__, {NNVK_ARGUMENT(execution)}, [&] { return execution->execution->set_reusable(reusable); });
}

int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution* execution, bool measure) {
  return call(__func__, {NNVK_ARGUMENT(execution)}, [&] { return execution->execution->set_measure_timing(measure); });
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution* execution, uint64_t duration) {
  return call(__func__, {NNVK_ARGUMENT(execution)}, [&] { return execution->execution->set_timeout(duration); });
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution* execution, uint64_t duration) {
  return call(__func__, {NNVK_ARGUMENT(execution)}, [&] { return execution->execution->set_loop_timeout(duration); });
}

int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution* execution, const char* extensionName,
                                                   uint16_t attributeCodeWithinExtension, const void* data, size_t length) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(extensionName)}, [&]() -> Status {
    NNVK_TRY(check_pair(data, length, "data"));
    return execution->execution->add_extension_attribute(extensionName, attributeCodeWithinExtension, data, length);
  });
}

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution) {
  return call(__func__, {NNVK_ARGUMENT(execution)}, [&] { return execution->execution->compute(); });
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* execution, ANeuralNetworksEvent** event) {
  return call_to_make(__func__, event, "event", [&](ANeuralNetworksEvent& made) -> Status {
    NNVK_REQUIRE(execution);
    NNVK_ASSIGN(made.event, execution->execution->start_compute());
    return {};
  });
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(burst)}, [&]() -> Status {
    const Kept busy(burst);
    return execution->execution->burst_compute(burst->burst);
  });
}

int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution* execution,
                                                          const ANeuralNetworksEvent* const* dependencies,
                                                          uint32_t num_dependencies, uint64_t duration,
                                                          ANeuralNetworksEvent** event) {
  return call(__func__, {NNVK_ARGUMENT(event)}, [&]() -> Status {
    *event = nullptr;
    NNVK_TRY(check_pair(dependencies, num_dependencies, "dependencies"));
    NNVK_REQUIRE(execution);
    NNVK_ASSIGN(const EventList list, event_list(dependencies, num_dependencies));
    auto made = std::make_unique<ANeuralNetworksEvent>();
    NNVK_ASSIGN(made->event, execution->execution->start_with_dependencies(list.events, duration));
    *event = made.release();
    return {};
  });
}

int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution* execution, int32_t durationCode, uint64_t* duration) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(duration)}, [&]() -> Status {
    if (durationCode < ANEURALNETWORKS_DURATION_ON_HARDWARE || durationCode > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER) {
      return fail(Code::kBadData, "there is no duration code " + std::to_string(durationCode));
    }
    return execution->execution->duration(static_cast<DurationKind>(durationCode), duration);
  });
}

int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution* execution, int32_t index, uint32_t* rank) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(rank)}, [&]() -> Status {
    NNVK_ASSIGN(const auto output, execution->execution->output_shape(to_index(index)));
    *rank = static_cast<uint32_t>(output.shape.rank());
    return report_sufficiency(index, output.sufficient);
  });
}

int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution* execution, int32_t index,
                                                        uint32_t* dimensions) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(dimensions)}, [&]() -> Status {
    NNVK_ASSIGN(const auto output, execution->execution->output_shape(to_index(index)));
    if (output.shape.rank() == 0)
      return fail(Code::kBadData, "output " + std::to_string(index) + " is a scalar, which has no dimensions");
    std::transform(output.shape.dims.begin(), output.shape.dims.end(), dimensions, to_nnapi_dimension);
    return report_sufficiency(index, output.sufficient);
  });
}

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event) {
  return call(__func__, {NNVK_ARGUMENT(event)}, [&] { return event->event->wait(); });
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event) { free_handle(__func__, event); }

int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent** event) {
  return call_to_make(__func__, event, "event", [&](ANeuralNetworksEvent& made) -> Status {
    NNVK_ASSIGN(made.event, Event::from_sync_fence(sync_fence_fd));
    return {};
  });
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent* event, int* sync_fence_fd) {
  return call(__func__, {NNVK_ARGUMENT(sync_fence_fd)}, [&]() -> Status {
    *sync_fence_fd = -1;
    NNVK_REQUIRE(event);
    NNVK_ASSIGN(*sync_fence_fd, event->event->duplicate_descriptor());
    return {};
  });
}
