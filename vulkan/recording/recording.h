// A plan with one set of shapes, ready to run: programs, pipelines and slots. All executions with those shapes share it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/fence.h"
#include "vulkan/recording/constant_store.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/queue_sync.h"
#include "vulkan/recording/recording_builder.h"
#include "vulkan/recording/run_times.h"
#include "vulkan/recording/shared_slots.h"
#include "vulkan/recording/slot.h"
#include "vulkan/recording/slot_schedule.h"
#include "vulkan/recording/submission_cuts.h"

namespace nnvk::vulkan {

struct RunOptions {
  Measure measure = Measure::kNothing;
  int32_t priority = 100;  // ANEURALNETWORKS_PRIORITY_*
  // MISSED_DEADLINE_PERSISTENT if it passes before the run starts; _TRANSIENT if it passes between the run's submissions or while
  // the device works on them.
  Deadline deadline;
  // The runs that this one depends on (Request::behind). `duration`: a time limit that starts when all of them have ended; 0:
  // none.
  std::vector<std::shared_ptr<const QueuePosition>> behind = {};
  std::chrono::nanoseconds duration{0};
  std::vector<std::shared_ptr<const SyncFilePlace>> sync_files = {};  // kernel fences that the device waits for
};

// The host's part of one run. Called in this order, each at most once; `done` always. Without `fill` and `drain` the host has no
// work. Several such runs may then use one slot and wait for the device there.
struct RunHooks {
  std::vector<IoPlace> places;                                 // inputs, then outputs; empty: all in the slot, for fill and drain
  std::function<void(std::span<std::byte> io)> fill;           // before submission: writes the inputs
  std::function<Status(std::span<const std::byte> io)> drain;  // after success: reads the outputs; its error becomes the run's
  std::function<void(const Status& result, const RunTimes& times)> done;
};

class Recording : public std::enable_shared_from_this<Recording> {
 public:
  static constexpr uint32_t kMaxSlots = 4;

  // The store of the constants. `owner` keeps it alive, also for work that nobody waits for any more.
  struct Constants {
    ConstantStore& store;
    std::shared_ptr<const void> owner;
  };
  // Builds programs and pipelines, uploads constants into the store and, with a queue, submits the packing of weights. Later
  // submissions see the packed weights. Do not call it concurrently for one store. MISSED_DEADLINE_TRANSIENT if the deadline
  // passes before all pipelines are created.
  static Result<std::shared_ptr<Recording>> build(std::shared_ptr<Gpu> gpu, const std::shared_ptr<Activity>& activity,
                                                  const ResolvedPlan& resolved, const Constants& constants,
                                                  const Deadline& deadline);
  // Signalled when the packing has run; from the start if there is no queue or nothing to pack.
  const Fence& prepared() const { return prepared_; }
  // Without a queue, if there are weights to pack: the packing commands must run before all others of this recording and of later
  // ones with the same store. The memory that they use is kept until finish_packing().
  bool has_packing() const { return packing_ != nullptr; }
  void record_packing(VkCommandBuffer commands) const { packing_(commands); }
  void finish_packing() { packing_ = nullptr; }

  // Starts a run if a slot is free, else it starts when one is released. Never waits for the device. `hooks.done` gets the result
  // or error, possibly within this call; only std::bad_alloc is thrown. Pass the returned position to runs that depend on this
  // one.
  std::shared_ptr<const QueuePosition> run(const RunOptions& options, RunHooks hooks);

  // Submits a run as one submission that waits for `sync.waits` and signals `sync.signals`. When this returns, the driver has it,
  // before all waiting work. Calls `hooks.done` unless this fails. RESOURCE_EXHAUSTED_TRANSIENT if kMaxSlots runs are in progress
  // and none ends within a moment.
  Result<std::shared_ptr<const QueuePosition>> run_now(const RunOptions& options, RunHooks hooks, const QueueSync& sync);

  // Whether the time of a run is known, and so the number of submissions per run.
  bool is_timed();

  const DispatchProgram& program() const { return blueprint_.program; }
  const SlotBlueprint& blueprint() const { return blueprint_; }
  const std::vector<uint64_t>& dispatch_bytes() const { return dispatch_bytes_; }  // read and written, per dispatch

 private:
  struct Run;
  using RecordPacking = std::function<void(VkCommandBuffer commands)>;
  Recording(std::shared_ptr<Gpu> gpu, SlotBlueprint blueprint);
  Status pack(const std::shared_ptr<Activity>& activity, RecordPacking packing, std::shared_ptr<const void> owner);
  Result<Slot*> slot(uint32_t index);
  std::vector<size_t> cuts();
  void learn(std::chrono::nanoseconds busy);
  bool start(const std::shared_ptr<Run>& run, uint32_t slot_index) noexcept;
  Result<bool> try_start(const std::shared_ptr<Run>& run, uint32_t slot_index);
  std::shared_ptr<KernelFence> kernel_fence_for(const RunOptions& options, const RunHooks& hooks) const;
  bool may_share(const Run& run);
  bool start_in_shared_slot(const std::shared_ptr<Run>& run);
  void submit(const std::shared_ptr<Run>& run, uint32_t slot_index, size_t submission);
  SlotSchedule::Fitness fitness_for(std::span<const IoPlace> places) const;
  Status submit_now(const std::shared_ptr<Run>& run, uint32_t slot_index, const QueueSync& sync);
  void finish(const std::shared_ptr<Run>& run, uint32_t slot_index, Status result) noexcept;
  static Deadline limit_of(const Run& run);
  void watch(const std::shared_ptr<Run>& run);
  void conclude(Run& run, Status result, const RunTimes& times) noexcept;
  void end(Run& run, Status result, const RunTimes& times) noexcept;
  static Status check_turn(const Run& run);
  std::string text_of(size_t begin, size_t end) const;
  std::chrono::nanoseconds expected_time();

  std::shared_ptr<Gpu> gpu_;
  SlotBlueprint blueprint_;
  Fence prepared_ = Fence::already_signalled();
  RecordPacking packing_;  // without a queue, if there are weights to pack
  std::vector<uint64_t> dispatch_bytes_;
  std::mutex slots_mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  SharedSlots shared_slots_{blueprint_};
  SlotSchedule schedule_{kMaxSlots};
  std::mutex cuts_mutex_;
  RunTimeEstimate run_time_;
  std::vector<size_t> cuts_;
};

}  // namespace nnvk::vulkan
