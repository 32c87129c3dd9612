// Retires submissions in order on one thread per device. While the thread waits, it checks the deadlines of runs and watches for
// hangs: a device that completes nothing for DevicePlan::longest_standstill counts as lost, and all work on it fails.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/result.h"
#include "core/base/thread.h"
#include "vulkan/context/context.h"
#include "vulkan/queue/deadline_watch.h"
#include "vulkan/queue/driver_queue.h"
#include "vulkan/queue/hang_watch.h"
#include "vulkan/queue/turns.h"

namespace nnvk::vulkan {

// A submission that the driver has accepted and that is not yet retired.
struct SubmittedWork {
  Turn turn;
  Ticket ticket;
  std::shared_ptr<QueueWork> work;
};

// Retires the submissions of a device on a thread of its own. It is thread-safe.
class Retirer {
 public:
  // `turns` and `driver` must outlive it.
  Retirer(std::shared_ptr<Context> context, Turns& turns, DriverQueue& driver)
      : context_(std::move(context)), turns_(turns), driver_(driver) {}

  // Starts the thread, which keeps `owner` until it ends, and calls `submit_waiting` whenever other work may be submitted.
  Status start(std::shared_ptr<void> owner, std::function<void()> submit_waiting);
  // Takes the only element of `submission`. Call it in the order of submission. It allocates nothing.
  void add(std::list<SubmittedWork>& submission);
  // Wakes the thread. Call it when work has ended without add(). After Turns::stop() that may have been the last work, and then
  // the thread ends.
  void wake();

  // These functions do the same as those of CompletionQueue.
  DeadlineWatch& deadlines() { return deadlines_; }
  bool is_calling() const { return thread_.is_calling(); }
  void leave_to_device();
  void shut_down(std::optional<std::chrono::milliseconds> patience);
  // Lets the thread run on by itself if nobody has waited for its end. Call it after shut_down(). If the completion thread itself
  // calls both, it cannot wait for its own end: the thread goes on until nothing is pending.
  void detach();

 private:
  void run(const std::function<void()>& submit_waiting) noexcept;
  std::list<SubmittedWork> next();
  VkResult wait_once(const Ticket& ticket);
  Status wait(const SubmittedWork& item, std::chrono::steady_clock::time_point since);
  HangLimits limits_for(const SubmittedWork& item);

  const std::shared_ptr<Context> context_;
  Turns& turns_;
  DriverQueue& driver_;
  DeadlineWatch deadlines_;
  Thread thread_;

  std::mutex mutex_;  // lock it before that of `turns_`
  std::condition_variable changed_;
  std::list<SubmittedWork> pending_;                          // in submission order
  std::optional<std::chrono::milliseconds> patience_at_end_;  // with the device, once it is being shut down
  bool holds_library_ = false;                                // a pin keeps the library loaded until nothing is submitted
};

}  // namespace nnvk::vulkan
