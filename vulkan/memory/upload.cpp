#include "vulkan/memory/upload.h"

#include <cstring>

#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {

Result<Buffer> Uploads::make(uint64_t size, std::span<const PlacedBytes> contents, Activity& activity, std::string_view what) {
  const bool direct = context_->plan().direct_upload;
  NNVK_ASSIGN(Buffer target, Buffer::create(context_, size, direct ? MemoryUse::kUpload : MemoryUse::kDevice, activity, what));
  Buffer staging;
  if (!direct) {
    NNVK_ASSIGN(staging, Buffer::create(context_, size, MemoryUse::kStaging, activity, what));
  }
  const std::span<std::byte> bytes = direct ? target.bytes() : staging.bytes();
  std::memset(bytes.data(), 0, bytes.size());  // kernels read padding, which must not change results between runs
  for (const PlacedBytes& placed : contents) {
    if (!placed.bytes.empty()) std::memcpy(bytes.data() + placed.offset, placed.bytes.data(), placed.bytes.size());
    activity.bytes_uploaded.fetch_add(placed.bytes.size(), std::memory_order_relaxed);
  }
  if (!direct) copies_.push_back({std::move(staging), target.handle()});
  return target;
}

void Uploads::record(VkCommandBuffer commands) const {
  if (copies_.empty()) return;
  for (const Copy& copy : copies_) {
    const VkBufferCopy region{0, 0, copy.staging.size()};
    context_->vk().vkCmdCopyBuffer(commands, copy.staging.handle(), copy.target, 1, &region);
  }
  auto barrier = vulkan_struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  context_->vk().vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                                      &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace nnvk::vulkan
