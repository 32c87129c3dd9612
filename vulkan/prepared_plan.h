// A plan made ready on a Vulkan device: finds or builds the recording for the shapes of an execution and runs it.
#pragma once

#include <memory>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/recording/application_recording.h"
#include "vulkan/recording/living_gpu.h"

namespace nnvk::vulkan {

// What an application must know before it records a plan.
struct RecordingNeeds {
  uint64_t scratch_size = 0;
  VkBufferUsageFlags scratch_usage = 0;
  size_t dispatches = 0;
};

// A prepared plan as an application sees it that writes it into command buffers of its own. For plans in which
// find_recordability() (core/plan/recordability.h) finds no obstacle.
class RecordablePlan {
 public:
  virtual ~RecordablePlan() = default;
  // Of a plan whose shapes are all known.
  virtual Result<RecordingNeeds> recording_needs() = 0;
  // Inputs and outputs are those of `request`; memory of the device, which stays as long as the recording. `scratch` as in
  // RecordingMemory. Waits until weights are packed.
  virtual Result<std::unique_ptr<ApplicationRecording>> make_recording(const Request& request, const ConstantPlace& scratch) = 0;
  // Whether record_packing() has something to do: weights of recordings that were made so far.
  virtual bool has_packing() const = 0;
  // Where the device has no queue: writes what comes once, before everything else (Recording::record_packing).
  virtual void record_packing(VkCommandBuffer commands) = 0;
  // When that has run. BAD_STATE when it was not recorded.
  virtual Status finish_packing() = 0;
};

// `plan` is already rewritten and wholly supported. When all shapes are known the recording is built, its weights packed and
// one warm-up run made before this returns, so that no execution pays for compilation. Blocks meanwhile. The deadline ends the
// wait for the device; what the device still uses then stays until it has let go.
// When the device is lost, the first execution afterwards has everything made anew on the one that `gpu` opens in its place:
// DEAD_OBJECT for those that were running, and for that execution if there is no such device.
Result<std::unique_ptr<PreparedPlan>> prepare_plan(std::shared_ptr<LivingGpu> gpu, std::shared_ptr<const Plan> plan,
                                                   HostEvaluator evaluator, const PrepareOptions& options);
// The same on a device that stays lost.
Result<std::unique_ptr<PreparedPlan>> prepare_plan(std::shared_ptr<Gpu> gpu, std::shared_ptr<const Plan> plan,
                                                   HostEvaluator evaluator, const PrepareOptions& options);

}  // namespace nnvk::vulkan
