// An application's use of a device that tests share with the library: its own command buffers, which it submits itself.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "vulkan/context/context.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::test {

class ApplicationCommands {
 public:
  explicit ApplicationCommands(std::shared_ptr<vulkan::Context> context) : context_(std::move(context)) {
    auto pool = vulkan::vulkan_struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = context_->plan().queue_family;
    EXPECT_EQ(vk().vkCreateCommandPool(context_->device(), &pool, nullptr, &pool_), VK_SUCCESS);
    auto info = vulkan::vulkan_struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = pool_;
    info.commandBufferCount = 1;
    EXPECT_EQ(vk().vkAllocateCommandBuffers(context_->device(), &info, &commands_), VK_SUCCESS);
    auto fence = vulkan::vulkan_struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    EXPECT_EQ(vk().vkCreateFence(context_->device(), &fence, nullptr, &fence_), VK_SUCCESS);
  }
  ~ApplicationCommands() {
    wait();
    vk().vkDestroyFence(context_->device(), fence_, nullptr);
    vk().vkDestroyCommandPool(context_->device(), pool_, nullptr);
  }
  ApplicationCommands(const ApplicationCommands&) = delete;
  ApplicationCommands& operator=(const ApplicationCommands&) = delete;

  VkCommandBuffer begin() {
    auto info = vulkan::vulkan_struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    EXPECT_EQ(vk().vkBeginCommandBuffer(commands_, &info), VK_SUCCESS);
    return commands_;
  }
  void submit() {
    EXPECT_EQ(vk().vkEndCommandBuffer(commands_), VK_SUCCESS);
    auto info = vulkan::vulkan_struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands_;
    const auto queue = context_->lease_queue();
    ASSERT_TRUE(queue);
    EXPECT_EQ(vk().vkQueueSubmit(queue->queue(), 1, &info, fence_), VK_SUCCESS);
    is_pending_ = true;
  }
  // Returns at once if nothing is submitted.
  void wait() {
    if (!std::exchange(is_pending_, false)) return;
    EXPECT_EQ(vk().vkWaitForFences(context_->device(), 1, &fence_, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    EXPECT_EQ(vk().vkResetFences(context_->device(), 1, &fence_), VK_SUCCESS);
  }
  // Records, runs and waits.
  void run(const std::function<void(VkCommandBuffer)>& record) {
    record(begin());
    submit();
    wait();
  }

 private:
  const VolkDeviceTable& vk() const { return context_->vk(); }

  std::shared_ptr<vulkan::Context> context_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  bool is_pending_ = false;
};

}  // namespace nnvk::test
