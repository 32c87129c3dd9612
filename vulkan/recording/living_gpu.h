// Holds a device's GPU: opens it when somebody needs it, and replaces it when its VkDevice is lost. The device and all plans that
// it prepared share this object.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

// A device that is opened at its first use, and anew when it is lost. The object is thread-safe.
class LivingGpu {
 public:
  using Open = std::function<Result<std::shared_ptr<Gpu>>()>;
  // After this many hangs a device stays lost, because nnvk never frees the memory that a hanging device uses.
  static constexpr size_t kMostHangs = 3;

  // A device that alive() opens.
  explicit LivingGpu(Open open) : open_(std::move(open)) {}
  // An open device. Without `open`, as for an application's device, a lost device stays lost.
  explicit LivingGpu(std::shared_ptr<Gpu> first, Open open = nullptr) : open_(std::move(open)), gpu_(std::move(first)) {}

  // Returns a GPU that is not lost; opens one if needed. Never waits for a lost GPU's work. DEAD_OBJECT says why there is none in
  // place of a lost one; other errors are those of the first opening, which later calls try again.
  Result<std::shared_ptr<Gpu>> alive();

  // Waits for the completion threads of all GPUs that were opened, so that no thread runs nnvk's code afterwards. Opens no more
  // GPUs. If nnvk's own device completes nothing for 300 ms, nnvk abandons it with all memory that it may still use.
  void shut_down();

 private:
  const Open open_;
  mutable std::mutex mutex_;
  std::shared_ptr<Gpu> gpu_;                // null until the first use
  std::vector<std::shared_ptr<Gpu>> lost_;  // kept while somebody else holds them, and until the next loss
  size_t hangs_ = 0;
  bool is_shut_down_ = false;
};

}  // namespace nnvk::vulkan
