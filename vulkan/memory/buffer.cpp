// Buffer creation, allocation and mapping.
#include "vulkan/memory/buffer.h"

#include <algorithm>
#include <utility>

#include "vulkan/context/vulkan_error.h"

namespace nnvk::vulkan {

Result<Buffer> Buffer::create(std::shared_ptr<Context> context, uint64_t size, MemoryUse use, Activity& activity,
                              std::string_view what) {
  Buffer buffer;
  buffer.context_ = std::move(context);
  buffer.size_ = std::max<uint64_t>(size, 256);
  const Context& gpu = *buffer.context_;
  if (buffer.size_ > gpu.plan().max_allocation_bytes) {
    return fail(Code::kResourceExhaustedPersistent, std::string(what) + " needs " + std::to_string(buffer.size_) +
                                                        " bytes, more than the device allocates at once (" +
                                                        std::to_string(gpu.plan().max_allocation_bytes) + ")");
  }
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = buffer.size_;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (gpu.plan().traits.texel_buffers) info.usage |= VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  NNVK_TRY(vulkan_status(gpu.vk().vkCreateBuffer(gpu.device(), &info, nullptr, &buffer.buffer_),
                         "vkCreateBuffer for " + std::string(what)));
  NNVK_TRY(buffer.allocate(use, activity, what));
  return buffer;
}

Status Buffer::allocate(MemoryUse use, Activity& activity, std::string_view what) {
  const VolkDeviceTable& vk = context_->vk();
  VkMemoryRequirements requirements{};
  vk.vkGetBufferMemoryRequirements(context_->device(), buffer_, &requirements);
  NNVK_ASSIGN(const uint32_t type, choose_memory_type(context_->snapshot(), requirements.memoryTypeBits, use));
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = requirements.size;
  info.memoryTypeIndex = type;
  NNVK_TRY(vulkan_status(vk.vkAllocateMemory(context_->device(), &info, nullptr, &memory_),
                         "vkAllocateMemory of " + std::to_string(requirements.size) + " bytes for " + std::string(what)));
  activity.device_allocations.fetch_add(1, std::memory_order_relaxed);
  NNVK_TRY(vulkan_status(vk.vkBindBufferMemory(context_->device(), buffer_, memory_, 0), "vkBindBufferMemory"));
  if (use == MemoryUse::kDevice) return {};
  void* address = nullptr;
  NNVK_TRY(vulkan_status(vk.vkMapMemory(context_->device(), memory_, 0, VK_WHOLE_SIZE, 0, &address),
                         "vkMapMemory for " + std::string(what)));
  mapped_ = static_cast<std::byte*>(address);
  return {};
}

void Buffer::release() {
  if (context_ == nullptr) return;
  if (buffer_ != VK_NULL_HANDLE) context_->vk().vkDestroyBuffer(context_->device(), buffer_, nullptr);
  if (memory_ != VK_NULL_HANDLE) context_->vk().vkFreeMemory(context_->device(), memory_, nullptr);  // unmaps too
}

Buffer::~Buffer() { release(); }

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  context_ = std::move(other.context_);
  buffer_ = std::exchange(other.buffer_, VK_NULL_HANDLE);
  memory_ = std::exchange(other.memory_, VK_NULL_HANDLE);
  mapped_ = std::exchange(other.mapped_, nullptr);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

}  // namespace nnvk::vulkan
