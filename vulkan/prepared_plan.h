// A plan prepared on a Vulkan device: finds or builds the recording for the shapes of an execution and runs it.
#pragma once

#include <memory>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/recording/application_recording.h"
#include "vulkan/recording/living_gpu.h"
#include "vulkan/recording/node_emission.h"

namespace nnvk::vulkan {

// The facts that an application needs before it records a plan.
struct RecordingNeeds {
  uint64_t scratch_size = 0;
  VkBufferUsageFlags scratch_usage = 0;
  size_t dispatches = 0;
};

// A prepared plan that an application writes into its own command buffers. For plans in which find_recordability()
// (core/plan/recordability.h) finds no obstacle.
class RecordablePlan {
 public:
  virtual ~RecordablePlan() = default;
  // For a plan whose shapes are all known.
  virtual Result<RecordingNeeds> recording_needs() = 0;
  // Inputs and outputs are those of `request`, in memory of the device that must outlive the recording. `scratch` as in
  // RecordingMemory. Waits until weights are packed.
  virtual Result<std::unique_ptr<ApplicationRecording>> make_recording(const Request& request, const ConstantPlace& scratch) = 0;
  // Whether record_packing() must be called, for weights of recordings made so far.
  virtual bool has_packing() const = 0;
  // For a device without a queue: writes the commands that run once, before everything else (Recording::record_packing).
  virtual void record_packing(VkCommandBuffer commands) = 0;
  // Call it when those commands have run. BAD_STATE if they were not recorded.
  virtual Status finish_packing() = 0;
};

// `plan` is already rewritten and wholly supported. If all shapes are known, this builds the recording, packs its weights and
// makes one warm-up run, so that no execution pays for compilation. Blocks meanwhile. The deadline ends the wait for the device;
// memory that the device still uses is kept until it is done. After a device loss, executions that were running fail with
// DEAD_OBJECT. The next one makes everything anew on the device that `gpu` opens instead, or also fails with DEAD_OBJECT if there
// is none. `emissions`: those of the compilation, reused and added to; null: they are not shared.
Result<std::unique_ptr<PreparedPlan>> prepare_plan(std::shared_ptr<LivingGpu> gpu, std::shared_ptr<const Plan> plan,
                                                   HostEvaluator evaluator, const PrepareOptions& options,
                                                   KeptEmissions* emissions);

}  // namespace nnvk::vulkan
