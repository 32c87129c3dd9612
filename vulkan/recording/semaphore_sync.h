// The semaphores of an application for one execution. Its submission waits for and signals them; if it fails, an empty submission
// does so.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/queue_sync.h"

namespace nnvk::vulkan {

class SemaphoreSync final : public DeviceSync {
 public:
  // BAD_DATA for a semaphore that is null or that the device cannot use; BAD_STATE on a device without a queue; DEAD_OBJECT on a
  // lost one. `submitted_later`: the submission may follow after the call that starts the execution has returned. Binary
  // semaphores in `points.signals` are then BAD_DATA.
  static Result<std::shared_ptr<SemaphoreSync>> create(const std::shared_ptr<Gpu>& gpu, QueueSync points, bool submitted_later);

  void abandon() override;
  bool belongs_to(const Gpu& gpu) const { return id_ == &gpu; }
  const QueueSync& points() const { return points_; }
  // Whether a submission waits for and signals them; if so, abandon() does nothing.
  void set_taken(bool taken) { taken_ = taken; }

 private:
  SemaphoreSync(const std::shared_ptr<Gpu>& gpu, QueueSync points) : gpu_(gpu), id_(gpu.get()), points_(std::move(points)) {}

  const std::weak_ptr<Gpu> gpu_;  // finished executions may hold this a moment longer than the device lives
  const Gpu* const id_;
  const QueueSync points_;
  std::atomic<bool> taken_{false};
};

}  // namespace nnvk::vulkan
