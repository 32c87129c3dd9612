// Submits command buffers and retires them in order on one thread per device: by timeline semaphore where there is one, else by
// fences. The driver's queue knows no priorities, so it gets little in advance: the rest waits here, most important first. What
// follows other runs goes to the driver right behind them: the queue runs in order, and a barrier keeps apart what must be.
// A device that completes nothing for DevicePlan::longest_standstill is taken for lost, and everything on it fails.
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
  // Called once on the completion thread: success, or why the work did not complete.
  using Retire = std::function<void(const Status& result)>;
  // `busy`: how long the device was at it, not counting what it did before.
  using RetireWork = std::function<void(const Status& result, std::chrono::nanoseconds busy)>;

  // Says in a few words what a submission does, for whoever learns that the device hangs.
  using Describe = std::function<std::string()>;

  // A submission that takes its turn.
  struct Work {
    std::span<const VkCommandBuffer> commands;  // run in this order; they and the span stay valid until `retire`
    int32_t priority = 100;                     // ANEURALNETWORKS_PRIORITY_*
    Deadline deadline;                          // not submitted when it has passed
    bool is_continuation = false;               // of an execution that has begun: missing the deadline is transient then
    bool has_more = false;  // `retire` enqueues another submission of the same execution: less important work lets it go first
    std::span<const MemoryAccess> accesses = {};  // valid until `retire`
    std::shared_ptr<QueuePosition> position =
        {};  // of the run, set when the driver has this; null unless it is its last submission
    std::span<const std::shared_ptr<const QueuePosition>> behind = {};  // what it follows; valid until `retire`
    // Kernel fences that the device waits for before; valid until `retire`.
    std::span<const std::shared_ptr<const SyncFilePlace>> sync_files = {};
    std::chrono::nanoseconds expected{0};  // what it takes the device
    Describe describe = {};                // valid until `retire`
    RetireWork retire;  // when the work cannot be submitted possibly on another thread, even before enqueue() returns
  };
  // Submissions that the driver's queue holds before further work waits here: the device need not idle while the next one comes.
  static constexpr size_t kSubmittedAhead = 2;
  // Of work that follows what the driver has, it also gets more, as long as all together is expected to take no longer than this:
  // so long more important work may have to wait. What nobody can tell yet (RunTimeEstimate) counts nothing.
  static constexpr std::chrono::milliseconds kLongestAhead{500};

  static Result<std::unique_ptr<CompletionQueue>> create(std::shared_ptr<Context> context);
  // Retires everything first. May be called from the completion thread itself.
  ~CompletionQueue();

  // Hands the command buffers to the driver's queue at once, before all work that waits: when this returns, they are in the
  // queue. Thread-safe, never waits for the device. When it fails, `retire` is not called. BAD_STATE on a device without a queue.
  // `what` they are, a literal: "a copy".
  Status submit(VkCommandBuffer commands, const char* what, Retire retire);
  // The same between the semaphores of `sync`, of which `work` says nothing. Without commands: only these. Of `work` only
  // commands, position, description and `retire` count.
  Status submit(Work work, const QueueSync& sync);
  // Submits the work when its turn comes: higher priority first, then in order. Thread-safe, never waits for the device. Where
  // there is no memory for it, std::bad_alloc is thrown and nothing has happened; accepted work is retired in any case. Not
  // before the driver has what the work is behind; when some of that has failed, the work is not run.
  void enqueue(Work work);

  // Looked at while the device keeps everybody waiting, a tenth of a second late at most.
  DeadlineWatch& deadlines();

  // A fence of the kernel for a run; null where the driver has none.
  std::shared_ptr<KernelFence> take_kernel_fence();

  // Tells those behind the run how it ended: with `result`, now. Called before anybody else hears of it.
  void end(QueuePosition& position, const Status& result);

  // Somebody stops waiting for what the driver has. The library stays loaded until the thread has retired all of it, whoever
  // unloads it meanwhile. Thread-safe.
  void leave_to_device();

  // Retires everything and ends the thread; later submissions fail with UNAVAILABLE_DEVICE. What the retired work held is
  // released before this returns, so that the code of the library may be unmapped. On the completion thread itself, only stops:
  // the thread ends on its own once nothing is pending. May be called more than once, from one thread at a time.
  // With `patience`, a device that completes nothing for so long is taken for one that hangs.
  void shut_down(std::optional<std::chrono::milliseconds> patience = std::nullopt);

  // Whether the calling thread is the completion thread (which must not wait for completions).
  bool is_completion_thread() const { return thread_.is_calling(); }

 private:
  struct State;
  explicit CompletionQueue(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static void run(const std::shared_ptr<State>& state) noexcept;

  std::shared_ptr<State> state_;
  Thread thread_;
};

}  // namespace nnvk::vulkan
