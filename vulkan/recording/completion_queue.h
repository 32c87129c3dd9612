// Submits command buffers and retires them in order on one thread per device, by timeline semaphore if available, else by fences.
// The driver's queue has no priorities, so it holds few submissions; others wait here, the most important first. A run that
// depends on an earlier one is submitted as soon as the driver has that one. A barrier separates them if they touch the same
// memory. If a device completes nothing for DevicePlan::longest_standstill, nnvk treats it as lost, and all work on it fails.
#pragma once

#include <volk.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/base/thread.h"
#include "vulkan/context/context.h"
#include "vulkan/recording/deadline_watch.h"
#include "vulkan/recording/queue_hazards.h"
#include "vulkan/recording/queue_position.h"
#include "vulkan/recording/queue_sync.h"

namespace nnvk::vulkan {

class CompletionQueue {
 public:
  using Clock = std::chrono::steady_clock;
  // Called once on the completion thread: success, or the reason why the work did not complete.
  using Retire = std::function<void(const Status& result)>;
  // `busy`: how long the device worked on it, without earlier work.
  using RetireWork = std::function<void(const Status& result, std::chrono::nanoseconds busy)>;

  // Describes a submission in a few words, for the error message of a hanging device.
  using Describe = std::function<std::string()>;

  // A submission that waits for its turn.
  struct Work {
    std::span<const VkCommandBuffer> commands;  // run in this order; they and the span must stay valid until `retire`
    int32_t priority = 100;                     // ANEURALNETWORKS_PRIORITY_*
    Deadline deadline;                          // not submitted after it has passed
    bool is_continuation = false;               // not the first submission of its execution: a missed deadline is then transient
    bool has_more = false;  // `retire` enqueues another submission of the same execution; less important work waits for that one
    std::span<const MemoryAccess> accesses = {};  // valid until `retire`
    std::shared_ptr<QueuePosition> position =
        {};  // of the run: gets this submission's number once the driver has it; null unless it is the run's last
    std::span<const std::shared_ptr<const QueuePosition>> behind = {};  // the runs that it depends on; valid until `retire`
    // Kernel fences that the device waits for first; valid until `retire`.
    std::span<const std::shared_ptr<const SyncFilePlace>> sync_files = {};
    std::chrono::nanoseconds expected{0};  // the device's expected time for it
    Describe describe = {};                // valid until `retire`
    RetireWork retire;  // if the work cannot be submitted: possibly on another thread, even before enqueue() returns
  };
  // Submissions in the driver's queue before further work waits here. The device then need not idle between two submissions.
  static constexpr size_t kSubmittedAhead = 2;
  // The driver also gets more work that depends on its pending work, while all of it is expected to take at most this long. More
  // important work may have to wait that long. Unknown durations (RunTimeEstimate) count as zero.
  static constexpr std::chrono::milliseconds kLongestAhead{500};

  static Result<std::unique_ptr<CompletionQueue>> create(std::shared_ptr<Context> context);
  // Retires everything first. The completion thread itself may call it.
  ~CompletionQueue();

  // Submits the command buffers to the driver's queue at once, before all waiting work. Thread-safe, never waits for the device.
  // If this fails, it does not call `retire`. BAD_STATE on a device without a queue. `what` describes them, a literal: "a copy".
  Status submit(VkCommandBuffer commands, const char* what, Retire retire);
  // The same, but the device first waits for `sync.waits`, and at the end signals `sync.signals`. The caller sets only commands,
  // position, describe and `retire` of `work`. The commands may be empty.
  Status submit(Work work, const QueueSync& sync);
  // Submits the work when its turn comes: higher priority first, then in order, and never before the driver has the work that it
  // depends on. If work that it depends on has failed, it fails without running. Thread-safe, never waits for the device. Throws
  // std::bad_alloc without effect if memory runs out; otherwise the work is retired in any case.
  void enqueue(Work work);

  // The deadlines of runs. The completion thread checks them while it waits for the device, at most a tenth of a second late.
  DeadlineWatch& deadlines();

  // A kernel fence for a run; null if the driver has none.
  std::shared_ptr<KernelFence> take_kernel_fence();

  // Reports to dependent runs that the run has ended now, with `result`. Call it before anybody else learns of the end.
  void end(QueuePosition& position, const Status& result);

  // Call it when a run ends at its deadline while the device may still work on it. Keeps the library loaded, even after
  // dlclose(), until the completion thread has retired all submitted work. Thread-safe.
  void leave_to_device();

  // Retires everything and ends the thread; later submissions fail with UNAVAILABLE_DEVICE. When it returns, everything that the
  // work held is released, so that the library may be unloaded. Called on the completion thread, it returns at once, and the
  // thread ends when nothing is pending. You may call it again, from one thread at a time. With `patience`, a device that
  // completes nothing for this long counts as hanging.
  void shut_down(std::optional<std::chrono::milliseconds> patience = std::nullopt);

  // Whether the calling thread is the completion thread, which must not wait for completions.
  bool is_completion_thread() const { return thread_.is_calling(); }

 private:
  struct State;
  explicit CompletionQueue(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static void run(const std::shared_ptr<State>& state) noexcept;

  std::shared_ptr<State> state_;
  Thread thread_;
};

}  // namespace nnvk::vulkan
