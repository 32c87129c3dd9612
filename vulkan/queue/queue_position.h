// The position of a run in a device's queue, for runs that depend on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/sync_file.h"
#include "vulkan/queue/kernel_fences.h"

namespace nnvk::vulkan {

// The position of a run in its queue. The run and its queue change it; all others hold it as const. It is thread-safe.
class QueuePosition final : public QueuePlace {
 public:
  // `kernel_fence`: the run's last submission signals it; null if the host must process the results.
  explicit QueuePosition(QueueId queue, std::shared_ptr<KernelFence> kernel_fence = nullptr)
      : queue_(queue), kernel_fence_(std::move(kernel_fence)) {}

  std::optional<int> export_sync_file() const override {
    return kernel_fence_ != nullptr ? kernel_fence_->export_file() : std::nullopt;
  }
  bool has_kernel_fence() const { return kernel_fence_ != nullptr; }
  const std::shared_ptr<KernelFence>& kernel_fence() const { return kernel_fence_; }

  QueueId queue() const override { return queue_; }
  // Returns whether the driver has the whole run, or the run has ended: dependent work may then be submitted.
  bool lets_others_follow() const {
    const std::lock_guard lock(mutex_);
    return submission_ != 0 || result_.has_value();
  }
  bool has_ended() const {
    const std::lock_guard lock(mutex_);
    return result_.has_value();
  }
  // The run's result, and when the host noticed the end; nothing before the end.
  struct End {
    Status result;
    std::chrono::steady_clock::time_point when;
  };
  std::optional<End> end() const {
    const std::lock_guard lock(mutex_);
    if (!result_) return std::nullopt;
    return End{*result_, ended_};
  }
  // Returns the number of the run's last submission; 0 before the driver has it.
  uint64_t submission() const {
    const std::lock_guard lock(mutex_);
    return submission_;
  }
  void set_submission(uint64_t number) {
    const std::lock_guard lock(mutex_);
    submission_ = number;
  }
  // Ends the position with the result. If the run never reached the driver, releases its kernel fence, because holders of the
  // position may outlive the queue.
  void set_end(const Status& result) {
    if (kernel_fence_ != nullptr) kernel_fence_->retire(false);
    const std::lock_guard lock(mutex_);
    result_ = result;
    ended_ = std::chrono::steady_clock::now();
  }

 private:
  const QueueId queue_;
  const std::shared_ptr<KernelFence> kernel_fence_;
  mutable std::mutex mutex_;
  uint64_t submission_ = 0;
  std::optional<Status> result_;
  std::chrono::steady_clock::time_point ended_;
};

}  // namespace nnvk::vulkan
