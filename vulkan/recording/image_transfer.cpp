#include "vulkan/recording/image_transfer.h"

#include <atomic>

#include "vulkan/context/vulkan_forms.h"
#include "vulkan/recording/application_recording.h"

namespace nnvk::vulkan {
namespace {

constexpr std::atomic<bool> kNothingToPack{true};

IoPlace direct_place(std::shared_ptr<const IoBuffer> memory, uint64_t offset, uint64_t size) {
  IoPlace place;
  place.buffer = memory->id();
  place.offset = offset;
  place.size = size;
  place.access = IoAccess::kDirect;
  place.memory = std::move(memory);
  return place;
}

}  // namespace

Status ImageTransfer::convert(std::shared_ptr<const SlotBlueprint> conversion, Activity& activity) {
  const TensorPlace tensor = pixels_;
  const uint64_t size = packed_size(image_);
  NNVK_ASSIGN(Buffer staging, Buffer::create(context_, padded_size(size), MemoryUse::kDevice, activity, "pixels of an image"));
  staging_ = std::make_shared<const IoBuffer>(std::move(staging));
  tensor_ = std::make_shared<const IoBuffer>(
      Buffer::of_application(context_, tensor.buffer, tensor.offset + padded_size(tensor.size), Buffer::full_usage(*context_)));
  pixels_ = {staging_->handle(), 0, size};
  RecordingMemory memory;
  memory.places = {direct_place(staging_, 0, size), direct_place(tensor_, tensor.offset, tensor.size)};
  if (is_output_) std::swap(memory.places[0], memory.places[1]);
  NNVK_ASSIGN(conversion_, ApplicationRecording::create(std::move(conversion), {nullptr, &kNothingToPack}, std::move(memory)));
  return {};
}

void ImageTransfer::change_layout(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to, bool before_copy) const {
  const VkAccessFlags copy = is_output_ ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_TRANSFER_READ_BIT;
  constexpr VkAccessFlags kAround = kApplicationReads | kApplicationWrites;
  auto barrier = vulkan_struct<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.srcAccessMask = before_copy ? kAround : copy;
  barrier.dstAccessMask = before_copy ? copy : kAround;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image_.image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, image_.mip_level, 1, image_.array_layer, 1};
  constexpr VkPipelineStageFlags kCopy = VK_PIPELINE_STAGE_TRANSFER_BIT;
  context_->vk().vkCmdPipelineBarrier(commands, before_copy ? kApplicationStages : kCopy,
                                      before_copy ? kCopy : kApplicationStages, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

void ImageTransfer::record(VkCommandBuffer commands) const {
  VkBufferImageCopy region{};
  region.bufferOffset = pixels_.offset;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, image_.mip_level, image_.array_layer, 1};
  region.imageExtent = image_.extent;
  const VkImageLayout layout = layout_for_copies(image_.layout, is_output_);
  if (!is_output_) {
    if (layout != image_.layout) change_layout(commands, image_.layout, layout, true);
    context_->vk().vkCmdCopyImageToBuffer(commands, image_.image, layout, pixels_.buffer, 1, &region);
    if (layout != image_.layout) change_layout(commands, layout, image_.layout, false);
    if (conversion_ != nullptr) conversion_->write(commands);
    return;
  }
  if (conversion_ != nullptr) {
    conversion_->write(commands);
    record_barrier(*context_, commands, kFromDispatchesToResults);
  }
  // All of the image is written, so its old contents and layout do not matter.
  change_layout(commands, VK_IMAGE_LAYOUT_UNDEFINED, layout, true);
  context_->vk().vkCmdCopyBufferToImage(commands, pixels_.buffer, image_.image, layout, 1, &region);
  if (layout != image_.layout) change_layout(commands, layout, image_.layout, false);
}

Result<std::unique_ptr<ImageTransfer>> BoundImage::make_transfer(const TensorPlace& tensor, Activity& activity) const {
  auto made = std::make_unique<ImageTransfer>(context_, image_, is_output(), tensor);
  if (direction_.conversion != nullptr) NNVK_TRY(made->convert(direction_.conversion, activity));
  return made;
}

}  // namespace nnvk::vulkan
