// A plan with one set of shapes, ready to run (run.h): programs, pipelines and slots. All executions with those shapes share it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/runtime/fence.h"
#include "vulkan/recording/constant_store.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/recording_builder.h"
#include "vulkan/recording/slots.h"
#include "vulkan/recording/submission_cuts.h"

namespace nnvk::vulkan {

class Recording {
 public:
  // The store of the constants. `owner` keeps the store alive, also for work that nobody waits for any more.
  struct Constants {
    ConstantStore& store;
    std::shared_ptr<const void> owner;
  };
  // Builds programs and pipelines, uploads constants into the store and, with a queue, submits the packing of weights. Later
  // submissions see the packed weights. Do not call build() concurrently for one store. MISSED_DEADLINE_TRANSIENT if the deadline
  // passes before all pipelines are created.
  static Result<std::shared_ptr<Recording>> build(std::shared_ptr<Gpu> gpu, const std::shared_ptr<Activity>& activity,
                                                  const ResolvedPlan& resolved, const Constants& constants,
                                                  const Deadline& deadline);
  // Returns the fence that is signalled when the packing has run, or from the start if there is no queue or nothing to pack.
  const Fence& prepared() const { return prepared_; }
  // Returns true if there are weights to pack but no queue: the packing commands must run before all other commands of this
  // recording and of later ones with the same store. finish_packing() frees the memory that they use.
  bool has_packing() const { return packing_ != nullptr; }
  void record_packing(VkCommandBuffer commands) const { packing_(commands); }
  void finish_packing() { packing_ = nullptr; }

  const DispatchProgram& program() const { return blueprint_.program; }
  const std::vector<uint64_t>& dispatch_bytes() const { return dispatch_bytes_; }  // read and written, per dispatch

  // Returns the names of the first few operations of these dispatches.
  std::string describe(size_t begin, size_t end) const;

  // Returns the blueprint for ApplicationRecording; it keeps the recording alive.
  friend std::shared_ptr<const SlotBlueprint> blueprint_of(std::shared_ptr<Recording> recording) {
    const SlotBlueprint* const blueprint = &recording->blueprint_;
    return {std::move(recording), blueprint};
  }

  // Returns the device, for the recording's runs.
  Gpu& gpu() const { return *gpu_; }
  Slots& slots() { return slots_; }
  LearnedCuts& cuts() { return cuts_; }

 private:
  using RecordPacking = std::function<void(VkCommandBuffer commands)>;
  Recording(std::shared_ptr<Gpu> gpu, SlotBlueprint blueprint);
  Status pack(const std::shared_ptr<Activity>& activity, RecordPacking packing, std::shared_ptr<const void> owner);

  const std::shared_ptr<Gpu> gpu_;
  const SlotBlueprint blueprint_;
  const std::vector<uint64_t> dispatch_bytes_;
  Fence prepared_ = Fence::already_signalled();
  RecordPacking packing_;  // without a queue, if there are weights to pack
  Slots slots_{blueprint_};
  LearnedCuts cuts_;
};

}  // namespace nnvk::vulkan
