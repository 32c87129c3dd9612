// The queue of a device. Work waits for its turn (turns.h), then the driver gets it (driver_queue.h), and in the end the
// completion thread retires it (retirer.h).
#pragma once

#include <volk.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/result.h"
#include "core/runtime/queue_id.h"
#include "vulkan/context/context.h"
#include "vulkan/queue/deadline_watch.h"
#include "vulkan/queue/queue_sync.h"
#include "vulkan/queue/turns.h"

namespace nnvk::vulkan {

class CompletionQueue {
 public:
  // The completion thread calls it once, with success or with the reason why the work did not complete.
  using Retire = std::function<void(const Status& result)>;

  static Result<std::unique_ptr<CompletionQueue>> create(std::shared_ptr<Context> context);
  // Retires all work first. The completion thread itself may call the destructor.
  ~CompletionQueue();

  // Submits the command buffer to the driver's queue at once, before all waiting work. Thread-safe, never waits for the device.
  // If this fails, the queue does not call `retire`. BAD_STATE on a device without a queue. `what` is a literal that describes
  // the work: "a copy".
  Status submit(VkCommandBuffer commands, const char* what, Retire retire);
  // Does the same, but the device first waits for `sync.waits`, and at the end signals `sync.signals`. The work may have no
  // commands.
  Status submit(std::shared_ptr<QueueWork> work, const QueueSync& sync);
  // Submits the work when its turn comes: higher priority first, then in order, and never before the driver has the work that it
  // depends on. If work that it depends on has failed, this work fails without running. Thread-safe, never waits for the device.
  // Throws std::bad_alloc without effect if memory runs out; otherwise the queue retires the work in any case.
  void enqueue(WaitingWork waiting);

  // Returns the deadlines of runs. The completion thread checks them while it waits for the device, at most a tenth of a second
  // late.
  DeadlineWatch& deadlines();

  // Returns a kernel fence for a run; null if the driver has none.
  std::shared_ptr<KernelFence> take_kernel_fence();

  // Reports to dependent runs that the run has ended now, with `result`. Call it before anybody else learns of the end.
  void end(QueuePosition& position, const Status& result);

  // Keeps the library loaded, even after dlclose(), until the completion thread has retired all submitted work. Call it when a
  // run ends at its deadline while the device may still work on it. Thread-safe.
  void leave_to_device();

  // Retires all work and ends the thread; later submissions fail with UNAVAILABLE_DEVICE. When it returns, the work holds nothing
  // any more, so that the process may unload the library. If the completion thread calls it, it returns at once, and the thread
  // ends when nothing is pending. You may call it again, from one thread at a time. With `patience`, a device that completes
  // nothing for this long counts as hanging.
  void shut_down(std::optional<std::chrono::milliseconds> patience = std::nullopt);

  Context& context() const;
  QueueId id() const { return id_; }
  // Returns whether the calling thread is the completion thread, which must not wait for completions.
  bool is_completion_thread() const;

 private:
  struct State;
  explicit CompletionQueue(std::shared_ptr<State> state) : state_(std::move(state)) {}

  const QueueId id_ = new_queue_id();
  std::shared_ptr<State> state_;
};

}  // namespace nnvk::vulkan
