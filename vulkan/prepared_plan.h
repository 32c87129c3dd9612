// A prepared plan finds or builds the recording for the shapes of an execution and runs it on a Vulkan device.
#pragma once

#include <functional>
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

// A prepared plan that an application writes into its own command buffers. Only plans in which find_recordability()
// (core/plan/recordability.h) finds no obstacle can be recorded.
class RecordablePlan {
 public:
  virtual ~RecordablePlan() = default;
  // Returns the facts. BAD_DATA unless the plan knows all its shapes.
  virtual Result<RecordingNeeds> recording_needs() = 0;
  // Makes a recording. The inputs and outputs of `request` must be in memory of the device, which must outlive the recording.
  // `scratch`: see RecordingMemory. Waits until weights are packed. Without `may_compile` it neither compiles nor waits: it
  // returns NOT_PREPARED instead.
  virtual Result<std::unique_ptr<ApplicationRecording>> make_recording(const Request& request, const ConstantPlace& scratch,
                                                                       bool may_compile) = 0;
  // Returns the work after which make_recording() compiles nothing for these shapes. The work waits until weights are packed. It
  // uses no memory of the request; the plan must outlive it.
  virtual Result<std::function<Status()>> preparation(const Request& request) = 0;
  // Returns whether the caller must call record_packing(), for weights of recordings made so far.
  virtual bool has_packing() const = 0;
  // Writes commands that pack weights, for a device without a queue. The application must run them once, before any recording.
  virtual void record_packing(VkCommandBuffer commands) = 0;
  // Notes that the commands of record_packing() have run; call it then. BAD_STATE if they were not recorded.
  virtual Status finish_packing() = 0;
};

// Prepares a plan that is already rewritten, and all of which the device supports. If all shapes are known, the function builds
// the recording, packs its weights and makes one warm-up run, so that no execution pays for compilation. It blocks until then, or
// until the deadline; memory that the device still uses lives until the device is done. After a device loss, running executions
// fail with DEAD_OBJECT. The next execution makes everything anew on the device that `gpu` opens instead, or fails with
// DEAD_OBJECT without such a device. `emissions` (may be null): the emitted nodes of the compilation, which the function reuses
// and adds to.
Result<std::unique_ptr<PreparedPlan>> prepare_plan(std::shared_ptr<LivingGpu> gpu, std::shared_ptr<const Plan> plan,
                                                   HostEvaluator evaluator, const PrepareOptions& options,
                                                   KeptEmissions* emissions);

}  // namespace nnvk::vulkan
