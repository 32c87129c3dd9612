// Entry points: executions recorded into command buffers of the application.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"
#include "api/instance.h"
#include "vulkan/prepared_plan.h"

using namespace nnvk;
using namespace nnvk::api;

static_assert(static_cast<int>(Code::kNotRecordable) == NNVK_NOT_RECORDABLE);
static_assert(static_cast<int>(Code::kNotPrepared) == NNVK_NOT_PREPARED);

struct NnvkVkRecording {
  DeviceUses uses;  // the imported device
  Kept<ANeuralNetworksCompilation> compilation;
  std::vector<Kept<ANeuralNetworksMemory>> memories;  // of inputs and outputs
  std::unique_ptr<vulkan::ApplicationRecording> recording;
  std::atomic<bool> is_recorded{false};  // completely, or a thread is recording
  size_t next = 0;                       // the first dispatch that is not recorded; for the thread that set is_recorded
  HandleLife life{this};
};

namespace {

constexpr uint32_t kKnownFlags = NNVK_VK_RECORD_INPUT_BARRIER | NNVK_VK_RECORD_OUTPUT_BARRIER;

// Returns the imported device of a handle; BAD_DATA if the handle is that of another device.
Result<const Device*> imported_device(const ANeuralNetworksDevice* handle) {
  NNVK_ASSIGN(const auto imported, instance().imported(handle));
  return &imported->device()->device();
}

// The plan that can be recorded on `device`, or the obstacle to a recording of the compilation there.
struct Recordable {
  Recordability recordability;
  vulkan::RecordablePlan* plan = nullptr;  // null: there is an obstacle
};

Result<Recordable> find_recordable(const Compilation& compilation, const Device& device) {
  NNVK_TRY(compilation.require_ready());
  Recordable found;
  NNVK_ASSIGN(found.recordability, compilation.recordability_on(device));
  if (!found.recordability.obstacle) found.plan = dynamic_cast<vulkan::RecordablePlan*>(&compilation.runner());
  if (!found.recordability.obstacle && found.plan == nullptr) {
    return fail(Code::kBadData, device.info().name + " cannot record: it is not a Vulkan device, or it runs the model in steps");
  }
  return found;
}

// Finds the plan that can be recorded on `device`; an obstacle is an error.
Result<vulkan::RecordablePlan*> require_recordable(const Compilation& compilation, const Device& device) {
  NNVK_ASSIGN(const Recordable found, find_recordable(compilation, device));
  if (found.plan == nullptr) return fail(Code::kNotRecordable, found.recordability.obstacle->reason);
  return found.plan;
}

// Finds the plan that can be recorded on the compilation's imported device.
Result<vulkan::RecordablePlan*> require_recordable(const ANeuralNetworksCompilation& compilation) {
  if (compilation.uses.empty()) return fail(Code::kBadData, "the execution is of a compilation for no imported device");
  return require_recordable(compilation.compilation, compilation.uses.front().imported()->device()->device());
}

Status fill(const Recordable& found, NnvkVkRecordInfo& info) {
  const auto& [recordability, plan] = found;
  info.recordable = plan != nullptr ? 1 : 0;
  info.firstBlockedOperation = plan != nullptr ? UINT32_MAX : recordability.obstacle->operation;
  info.shapesKnown = recordability.shapes_known ? 1 : 0;
  if (plan == nullptr) return {};
  info.preparationPending = plan->has_packing() ? 1 : 0;
  if (!recordability.shapes_known) return {};
  NNVK_ASSIGN(const vulkan::RecordingNeeds needs, plan->recording_needs());
  info.dispatchCount = static_cast<uint32_t>(needs.dispatches);
  info.scratchSize = needs.scratch_size;
  info.scratchAlignment = vulkan::kStorageAlignment;
  info.scratchUsage = needs.scratch_usage;
  info.firstStages = vulkan::kApplicationStages;
  info.inputAccess = vulkan::kApplicationReads;
  info.lastStages = vulkan::kApplicationStages;
  info.outputAccess = vulkan::kApplicationWrites;
  return {};
}

}  // namespace

int nnvk_vkGetRecordInfo(const ANeuralNetworksCompilation* compilation, ANeuralNetworksDevice* device, NnvkVkRecordInfo* info) {
  return call(__func__, {NNVK_ARGUMENT(compilation), NNVK_ARGUMENT(device), NNVK_ARGUMENT(info)}, [&]() -> Status {
    if (info->structSize != sizeof *info) {
      return fail(Code::kBadData, "info->structSize must be " + std::to_string(sizeof *info) +
                                      ", the size that this library knows, but is " + std::to_string(info->structSize));
    }
    NNVK_ASSIGN(const Device* const recorder, imported_device(device));
    NNVK_ASSIGN(const Recordable found, find_recordable(compilation->compilation, *recorder));
    NnvkVkRecordInfo made{};
    made.structSize = info->structSize;
    made.next = info->next;
    NNVK_TRY(fill(found, made));
    *info = made;
    return {};
  });
}

int nnvk_vkRecordPreparation(const ANeuralNetworksCompilation* compilation, ANeuralNetworksDevice* device,
                             VkCommandBuffer commandBuffer) {
  return call(__func__, {NNVK_ARGUMENT(compilation), NNVK_ARGUMENT(device), NNVK_ARGUMENT(commandBuffer)}, [&]() -> Status {
    NNVK_ASSIGN(const Device* const recorder, imported_device(device));
    NNVK_ASSIGN(vulkan::RecordablePlan* const plan, require_recordable(compilation->compilation, *recorder));
    plan->record_packing(commandBuffer);
    return {};
  });
}

int nnvk_vkPreparationDone(const ANeuralNetworksCompilation* compilation, ANeuralNetworksDevice* device) {
  return call(__func__, {NNVK_ARGUMENT(compilation), NNVK_ARGUMENT(device)}, [&]() -> Status {
    NNVK_ASSIGN(const Device* const recorder, imported_device(device));
    NNVK_ASSIGN(vulkan::RecordablePlan* const plan, require_recordable(compilation->compilation, *recorder));
    return plan->finish_packing();
  });
}

int nnvk_vkPrepareRecording(ANeuralNetworksExecution* execution, ANeuralNetworksEvent** event) {
  return call(__func__, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(event)}, [&]() -> Status {
    *event = nullptr;
    const Compilation& compilation = execution->compilation.handle().compilation;
    NNVK_ASSIGN(vulkan::RecordablePlan* const plan, require_recordable(execution->compilation.handle()));
    NNVK_ASSIGN(const Request request, execution->execution->request_for_recording());
    NNVK_ASSIGN(const auto work, plan->preparation(request));
    auto made = std::make_unique<ANeuralNetworksEvent>();
    made->event = Event::of_nothing();
    const Fence done = Fence::pending();
    // A compilation waits for `hold` before it is freed.
    const auto start = [work, done, hold = compilation.shared().waiting.hold()]() -> Status {
      done.settle(work());
      return {};
    };
    compilation.runtime().launches().prepare({compilation.priority(), start, [done](const Error& error) { done.fail(error); }})();
    made->event->become(done, nullptr, true, nullptr);
    *event = made.release();
    return {};
  });
}

namespace {

int create_recording(const char* function, ANeuralNetworksExecution* execution, const vulkan::ConstantPlace& scratch,
                     bool may_compile, NnvkVkRecording** recording) {
  return call(function, {NNVK_ARGUMENT(execution), NNVK_ARGUMENT(recording)}, [&]() -> Status {
    *recording = nullptr;
    const ANeuralNetworksCompilation& compilation = execution->compilation.handle();
    NNVK_ASSIGN(vulkan::RecordablePlan* const plan, require_recordable(compilation));
    NNVK_ASSIGN(const Request request, execution->execution->request_for_recording());
    NNVK_ASSIGN(auto made, plan->make_recording(request, scratch, may_compile));
    std::unique_ptr<NnvkVkRecording> handle(
        new NnvkVkRecording{uses_as(compilation.uses, Imported::kRecording), Kept(&compilation), {}, std::move(made)});
    for (const auto& memory : execution->memories) handle->memories.emplace_back(&memory.handle());
    *recording = handle.release();
    return {};
  });
}

}  // namespace

int nnvk_vkCreateRecording(ANeuralNetworksExecution* execution, VkBuffer scratch, VkDeviceSize scratchOffset,
                           NnvkVkRecording** recording) {
  return create_recording(__func__, execution, {scratch, scratchOffset}, true, recording);
}

int nnvk_vkCreateRecordingIfPrepared(ANeuralNetworksExecution* execution, VkBuffer scratch, VkDeviceSize scratchOffset,
                                     NnvkVkRecording** recording) {
  return create_recording(__func__, execution, {scratch, scratchOffset}, false, recording);
}

namespace {

// Records without call(), which takes locks and memory: this function takes none, even if the thread is traced. So it cannot
// detect a freed handle. `seconds`: of the next slice; nothing: the whole recording.
int record(const char* function, NnvkVkRecording* recording, VkCommandBuffer commandBuffer, uint32_t flags,
           std::optional<double> seconds) {
  if (recording == nullptr) return report(function, {Code::kUnexpectedNull, "recording is NULL"});
  if (commandBuffer == nullptr) return report(function, {Code::kUnexpectedNull, "commandBuffer is NULL"});
  if ((flags & ~kKnownFlags) != 0) return report(function, {Code::kBadData, "flags has bits that mean nothing"});
  if (recording->is_recorded.exchange(true, std::memory_order_acq_rel)) {
    return report(function, {Code::kBadState, "the recording is recorded already: call nnvk_vkResetRecording when it has run"});
  }
  const vulkan::ApplicationRecording& work = *recording->recording;
  const vulkan::ApplicationBarriers barriers{.before = (flags & NNVK_VK_RECORD_INPUT_BARRIER) != 0,
                                             .after = (flags & NNVK_VK_RECORD_OUTPUT_BARRIER) != 0};
  const auto slice = seconds ? work.slice(recording->next, *seconds) : work.whole();
  const bool is_late = !seconds && recording->next != 0;
  const Status recorded = is_late ? fail(Code::kBadState, "slices of the recording are recorded: record the others as well")
                                  : work.record(commandBuffer, barriers, slice);
  if (recorded) recording->next = slice.end;
  if (!recorded || slice.end != work.whole().end) recording->is_recorded.store(false, std::memory_order_release);
  return recorded ? static_cast<int>(Code::kNoError) : report(function, recorded.error());
}

}  // namespace

int nnvk_vkRecord(NnvkVkRecording* recording, VkCommandBuffer commandBuffer, uint32_t flags) {
  return record(__func__, recording, commandBuffer, flags, std::nullopt);
}

int nnvk_vkRecordSlice(NnvkVkRecording* recording, VkCommandBuffer commandBuffer, uint32_t flags, uint32_t microseconds,
                       uint32_t* remaining) {
  if (remaining == nullptr) return report(__func__, {Code::kUnexpectedNull, "remaining is NULL"});
  const int result = record(__func__, recording, commandBuffer, flags, microseconds * 1e-6);
  if (result != static_cast<int>(Code::kNoError)) return result;
  const vulkan::ApplicationRecording& work = *recording->recording;
  const bool is_complete = recording->next == work.whole().end;
  const double left = std::min(work.seconds_from(recording->next) * 1e6, 4e9);
  *remaining = is_complete ? 0 : std::max(1U, static_cast<uint32_t>(left));
  return result;
}

int nnvk_vkResetRecording(NnvkVkRecording* recording) {
  return call(__func__, {NNVK_ARGUMENT(recording)}, [&]() -> Status {
    const bool was_recorded = recording->is_recorded.exchange(false, std::memory_order_acq_rel);
    const bool was_begun = std::exchange(recording->next, 0) != 0;
    return was_recorded || was_begun ? recording->recording->take_failures() : Status();
  });
}

void nnvk_vkFreeRecording(NnvkVkRecording* recording) { free_handle(__func__, recording); }
