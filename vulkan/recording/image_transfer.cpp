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

// Returns the copy between all pixels of an image and their place in the buffer.
VkBufferImageCopy region_of(const PlacedImage& placed, const TensorPlace& pixels) {
  const ImageDescription& image = placed.image;
  VkBufferImageCopy region{};
  region.bufferOffset = pixels.offset + placed.offset;
  region.imageSubresource = {format_of(image).aspect, image.mip_level, image.array_layer, 1};
  region.imageExtent = image.extent;
  return region;
}

}  // namespace

Status ImageTransfer::convert(const PixelsPlan& conversion, Activity& activity) {
  const TensorPlace tensor = pixels_;
  const uint64_t size = placed_size(images_);
  NNVK_ASSIGN(Buffer staging, Buffer::create(context_, padded_size(size), MemoryUse::kDevice, activity, "pixels of an image"));
  staging_ = std::make_shared<const IoBuffer>(std::move(staging));
  tensor_ = std::make_shared<const IoBuffer>(
      Buffer::of_application(context_, tensor.buffer, tensor.offset + padded_size(tensor.size), Buffer::full_usage(*context_)));
  pixels_ = {staging_->handle(), 0, size};
  RecordingMemory memory;
  memory.places = {direct_place(staging_, 0, size), direct_place(tensor_, tensor.offset, tensor.size)};
  if (is_output_) std::swap(memory.places[0], memory.places[1]);
  if (conversion.table != nullptr) {
    memory.places.insert(memory.places.begin() + 1, direct_place(conversion.table, 0, conversion.table_size));
  }
  NNVK_ASSIGN(conversion_, ApplicationRecording::create(conversion.blueprint, {nullptr, &kNothingToPack}, std::move(memory)));
  return {};
}

void ImageTransfer::change_layout(VkCommandBuffer commands, const ImageDescription& image, VkImageLayout from, VkImageLayout to,
                                  bool before_copy) const {
  const VkAccessFlags copy = is_output_ ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_TRANSFER_READ_BIT;
  constexpr VkAccessFlags kAround = kApplicationReads | kApplicationWrites;
  auto barrier = vulkan_struct<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.srcAccessMask = before_copy ? kAround : copy;
  barrier.dstAccessMask = before_copy ? copy : kAround;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.image;
  barrier.subresourceRange = {format_of(image).aspect, image.mip_level, 1, image.array_layer, 1};
  constexpr VkPipelineStageFlags kCopy = VK_PIPELINE_STAGE_TRANSFER_BIT;
  context_->vk().vkCmdPipelineBarrier(commands, before_copy ? kApplicationStages : kCopy,
                                      before_copy ? kCopy : kApplicationStages, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

void ImageTransfer::read(VkCommandBuffer commands, const PlacedImage& from) const {
  const ImageDescription& image = from.image;
  const VkImageLayout layout = layout_for_copies(image.layout, false);
  const VkBufferImageCopy region = region_of(from, pixels_);
  if (layout != image.layout) change_layout(commands, image, image.layout, layout, true);
  context_->vk().vkCmdCopyImageToBuffer(commands, image.image, layout, pixels_.buffer, 1, &region);
  if (layout != image.layout) change_layout(commands, image, layout, image.layout, false);
}

void ImageTransfer::write(VkCommandBuffer commands, const PlacedImage& to) const {
  const ImageDescription& image = to.image;
  const VkImageLayout layout = layout_for_copies(image.layout, true);
  const VkBufferImageCopy region = region_of(to, pixels_);
  // All of the image is written, so its old contents and layout do not matter.
  change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, layout, true);
  context_->vk().vkCmdCopyBufferToImage(commands, pixels_.buffer, image.image, layout, 1, &region);
  if (layout != image.layout) change_layout(commands, image, layout, image.layout, false);
}

void ImageTransfer::record(VkCommandBuffer commands) const {
  if (!is_output_) {
    for (const PlacedImage& image : images_) read(commands, image);
    if (conversion_ != nullptr) conversion_->write(commands);
    return;
  }
  if (conversion_ != nullptr) {
    conversion_->write(commands);
    record_barrier(*context_, commands, kFromDispatchesToResults);
  }
  for (const PlacedImage& image : images_) write(commands, image);
}

Result<std::unique_ptr<ImageTransfer>> BoundImage::make_transfer(const TensorPlace& tensor, Activity& activity) const {
  auto made = std::make_unique<ImageTransfer>(context_, images_, is_output(), tensor);
  if (direction_.conversion.blueprint != nullptr) NNVK_TRY(made->convert(direction_.conversion, activity));
  return made;
}

}  // namespace nnvk::vulkan
