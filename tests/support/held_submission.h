// A submission that a test keeps from the driver, as if the device never finished it. The test can submit it later.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <vector>

namespace nnvk::test {

class HeldSubmission {
 public:
  // Copies the contents of `info`. It ignores wait semaphores; of the chain it keeps only timeline values.
  HeldSubmission(VkQueue queue, const VkSubmitInfo& info, VkFence fence)
      : queue_(queue), commands_(info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount), fence_(fence) {
    signals_.assign(info.pSignalSemaphores, info.pSignalSemaphores + info.signalSemaphoreCount);
    const auto* const timeline = static_cast<const VkTimelineSemaphoreSubmitInfo*>(info.pNext);
    if (timeline == nullptr) return;
    values_.assign(timeline->pSignalSemaphoreValues, timeline->pSignalSemaphoreValues + timeline->signalSemaphoreValueCount);
  }

  VkQueue queue() const { return queue_; }
  VkFence fence() const { return fence_; }

  VkResult submit(PFN_vkQueueSubmit to_driver) const {
    VkTimelineSemaphoreSubmitInfo timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timeline.signalSemaphoreValueCount = static_cast<uint32_t>(values_.size());
    timeline.pSignalSemaphoreValues = values_.data();
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = values_.empty() ? nullptr : &timeline;
    info.commandBufferCount = static_cast<uint32_t>(commands_.size());
    info.pCommandBuffers = commands_.data();
    info.signalSemaphoreCount = static_cast<uint32_t>(signals_.size());
    info.pSignalSemaphores = signals_.data();
    return to_driver(queue_, 1, &info, fence_);
  }

 private:
  VkQueue queue_;
  std::vector<VkCommandBuffer> commands_;
  std::vector<VkSemaphore> signals_;
  std::vector<uint64_t> values_;
  VkFence fence_;
};

}  // namespace nnvk::test
