// Hands submissions to the driver's queue, and finds out when they have ended: by a timeline semaphore if available, else by
// fences. Puts a barrier between submissions that touch the same memory, and connects kernel fences and semaphores.
#pragma once

#include <volk.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/context.h"
#include "vulkan/queue/command_pool.h"
#include "vulkan/queue/kernel_fences.h"
#include "vulkan/queue/queue_hazards.h"
#include "vulkan/queue/queue_sync.h"
#include "vulkan/queue/queue_work.h"

namespace nnvk::vulkan {

// The Vulkan objects of one submission.
struct Ticket {
  uint64_t number = 0;             // in the order of submission; without a fence, the value of the timeline semaphore at its end
  VkFence fence = VK_NULL_HANDLE;  // null: the device has timeline semaphores
  std::shared_ptr<KernelFence> kernel_fence;
  std::vector<VkSemaphore> waits;  // made from sync_files
  bool waits_for_others = false;   // for semaphores, which others signal: the device alone does not decide when it ends
  std::chrono::steady_clock::time_point submitted;
};

// Submits work to the driver's queue. It is thread-safe. None of its functions waits for the device, except wait_briefly().
class DriverQueue {
 public:
  // Makes the queue. On a device without a queue, submit() always fails.
  static Result<std::unique_ptr<DriverQueue>> create(std::shared_ptr<Context> context);
  ~DriverQueue();
  DriverQueue(const DriverQueue&) = delete;
  DriverQueue& operator=(const DriverQueue&) = delete;

  // A submission that the driver has. No other submission follows it while the lease lives.
  struct Accepted {
    Ticket ticket;
    QueueLease lease;
  };
  // Submits the work's commands, behind a barrier if it needs one. The device also waits for `sync.waits` and at the end signals
  // `sync.signals`. BAD_STATE on a device without a queue. If this fails, nothing was submitted.
  Result<Accepted> submit(QueueWork& work, const QueueSync& sync);

  // Waits until the submission has ended or `longest` has passed. Call it for the oldest submission.
  VkResult wait_briefly(const Ticket& ticket, std::chrono::nanoseconds longest) const;
  // Lets other submissions use the submission's fence, and its slot without a barrier. Call it when the host has seen the
  // submission end. `has_completed` is false if the device is lost.
  void end(const Ticket& ticket, bool has_completed);
  // Gives back the kernel fence and the imported semaphores.
  void release(Ticket& ticket, bool has_completed) const;

  // Returns a kernel fence for a run; null if the driver has none.
  std::shared_ptr<KernelFence> take_kernel_fence() { return kernel_fences_ != nullptr ? kernel_fences_->take() : nullptr; }

 private:
  explicit DriverQueue(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  Status make_timeline();
  Status record_barrier_commands();
  Result<QueueLease> hand_over(Ticket& ticket, QueueWork& work, const QueueSync& sync);
  void withdraw(Ticket& ticket);
  Status import_sync_files(const QueueWork& work, std::vector<VkSemaphore>& semaphores);
  bool needs_barrier(const QueueWork& work, uint64_t number);
  Result<VkFence> take_fence();

  const std::shared_ptr<Context> context_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::unique_ptr<KernelFences> kernel_fences_;  // null if the driver has none
  std::unique_ptr<CommandPool> pool_;
  VkCommandBuffer barrier_ = VK_NULL_HANDLE;  // orders all commands before it and after it

  std::mutex mutex_;
  uint64_t last_number_ = 0;
  QueueHazards hazards_;
  std::vector<VkFence> free_fences_;      // has capacity for all that were made, so that returning one needs no memory
  std::vector<VkFence> unusable_fences_;  // waiting or resetting failed: never used again
  size_t made_fences_ = 0;
};

}  // namespace nnvk::vulkan
