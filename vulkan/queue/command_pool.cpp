#include "vulkan/queue/command_pool.h"

#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {

Result<std::unique_ptr<CommandPool>> CommandPool::create(std::shared_ptr<Context> context) {
  std::unique_ptr<CommandPool> pool(new CommandPool(std::move(context)));
  auto info = vulkan_struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  info.queueFamilyIndex = pool->context_->plan().queue_family;
  NNVK_TRY(NNVK_CREATE(*pool->context_, vkCreateCommandPool, info, pool->pool_));
  return pool;
}

CommandPool::~CommandPool() { context_->vk().vkDestroyCommandPool(context_->device(), pool_, context_->allocator()); }

Result<VkCommandBuffer> CommandPool::begin(VkCommandBufferUsageFlags usage) {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  auto info = vulkan_struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  NNVK_TRY(context_->status(context_->vk().vkAllocateCommandBuffers(context_->device(), &info, &commands),
                            "vkAllocateCommandBuffers"));
  auto begin = vulkan_struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = usage;
  NNVK_TRY(context_->status(context_->vk().vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer"));
  return commands;
}

Status CommandPool::end(VkCommandBuffer commands, Activity& activity) {
  NNVK_TRY(context_->status(context_->vk().vkEndCommandBuffer(commands), "vkEndCommandBuffer"));
  activity.command_buffers_recorded.fetch_add(1, std::memory_order_relaxed);
  return {};
}

void record_barrier(const Context& context, VkCommandBuffer commands, const Barrier& barrier) {
  auto memory = vulkan_struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  memory.srcAccessMask = barrier.from_access;
  memory.dstAccessMask = barrier.to_access;
  context.vk().vkCmdPipelineBarrier(commands, barrier.from_stage, barrier.to_stage, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace nnvk::vulkan
