// An application's semaphores for one execution, whose submission waits for and signals them. If the execution fails, an empty
// submission does so.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/queue/completion_queue.h"
#include "vulkan/queue/queue_sync.h"

namespace nnvk::vulkan {

class SemaphoreSync final : public DeviceSync {
 public:
  // Makes the object for these points. BAD_DATA for a semaphore that is null or that the device cannot use; BAD_STATE on a device
  // without a queue; DEAD_OBJECT on a lost one. `submitted_later`: the submission may follow after the call that starts the
  // execution has returned. Binary semaphores in `points.signals` are then BAD_DATA. `queue` must keep everything alive that its
  // work uses.
  static Result<std::shared_ptr<SemaphoreSync>> create(const std::shared_ptr<CompletionQueue>& queue, QueueSync points,
                                                       bool submitted_later);

  void abandon() override;
  bool belongs_to(QueueId queue) const { return id_ == queue; }
  const QueueSync& points() const { return points_; }
  // Sets whether the execution's submission waits for and signals the semaphores; abandon() then does nothing.
  void set_taken(bool taken) { taken_ = taken; }

 private:
  SemaphoreSync(const std::shared_ptr<CompletionQueue>& queue, QueueSync points)
      : queue_(queue), id_(queue->id()), points_(std::move(points)) {}

  const std::weak_ptr<CompletionQueue> queue_;  // finished executions may hold this a moment longer than the device lives
  const QueueId id_;
  const QueueSync points_;
  std::atomic<bool> taken_{false};
};

}  // namespace nnvk::vulkan
