#include "vulkan/recording/living_gpu.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/log.h"

namespace nnvk::vulkan {

Result<std::shared_ptr<Gpu>> LivingGpu::alive() {
  std::vector<std::shared_ptr<Gpu>> gone;  // destroyed after the lock is released, because their destructors wait for threads
  const std::lock_guard lock(mutex_);
  if (gpu_ == nullptr) {
    if (is_shut_down_) return fail(Code::kDeadObject, "the device was closed before its first use");
    NNVK_ASSIGN(gpu_, open_());
    return gpu_;
  }
  Context& context = *gpu_->context;
  const Status lost = context.check_lost();
  if (lost) return gpu_;
  const std::string& name = context.snapshot().name;
  if (open_ == nullptr || is_shut_down_) return fail(lost.error());
  if (context.is_hung() && hangs_ + 1 >= kMostHangs) {
    return fail(Code::kDeadObject, lost.error().message + "; that was the " + std::to_string(kMostHangs) +
                                       "rd time, so that it is not opened again in this process");
  }
  auto opened = open_();
  if (!opened) {
    return fail(Code::kDeadObject, lost.error().message + "; it cannot be opened again: " + opened.error().text());
  }
  log_line(LogLevel::kWarning, "Vulkan", name + " is opened again: " + lost.error().message);
  if (context.is_hung()) ++hangs_;
  const auto unused = std::ranges::partition(lost_, [](const auto& other) { return other.use_count() > 1; });
  gone.assign(unused.begin(), unused.end());
  lost_.erase(unused.begin(), unused.end());
  lost_.push_back(std::exchange(gpu_, *std::move(opened)));
  return gpu_;
}

// Ends the completion threads. Runs that ended at their deadline may still be on the device; the shut-down waits only briefly for
// them.
void LivingGpu::shut_down() {
  constexpr std::chrono::milliseconds kPatienceAtEnd{300};
  std::vector<std::shared_ptr<Gpu>> all;
  {
    const std::lock_guard lock(mutex_);
    is_shut_down_ = true;
    all = lost_;
    if (gpu_ != nullptr) all.push_back(gpu_);
  }
  for (const auto& gpu : all) {
    if (!gpu->submits()) continue;
    // nnvk waits without limit for an application's device, because it cannot keep the application's memory allocated.
    const bool is_ours = gpu->context->application() == nullptr;
    gpu->completions->shut_down(is_ours ? std::optional(kPatienceAtEnd) : std::nullopt);
  }
}

}  // namespace nnvk::vulkan
