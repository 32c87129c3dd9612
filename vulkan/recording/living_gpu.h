// The GPU of a device, which is opened anew when its VkDevice is lost. Shared by the device and all that it has prepared.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

// Thread-safe.
class LivingGpu {
 public:
  using Open = std::function<Result<std::shared_ptr<Gpu>>()>;
  // So often a device may hang before it stays lost: what one that hangs has in use is never freed.
  static constexpr size_t kMostHangs = 3;

  // `open` makes another one in place of one that is lost. Without it a lost one stays lost: it is an application's.
  explicit LivingGpu(std::shared_ptr<Gpu> first, Open open = nullptr) : open_(std::move(open)), gpu_(std::move(first)) {}

  // The one that was opened last, lost or not.
  std::shared_ptr<Gpu> current() const {
    const std::lock_guard lock(mutex_);
    return gpu_;
  }
  // One that is not lost, opened if need be: never waits for work of the lost one. DEAD_OBJECT when it can't be, with the reason.
  Result<std::shared_ptr<Gpu>> alive();

  // Waits for the completion threads of all that were opened: no thread runs this library's code after. No other is opened. A
  // device of ours that does not come to an end within a third of a second is left as it is, with all that it may still use.
  void shut_down();

 private:
  const Open open_;
  mutable std::mutex mutex_;
  std::shared_ptr<Gpu> gpu_;
  std::vector<std::shared_ptr<Gpu>> lost_;  // as long as somebody else holds them, and until the next loss
  size_t hangs_ = 0;
  bool is_shut_down_ = false;
};

}  // namespace nnvk::vulkan
