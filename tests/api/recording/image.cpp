// Images, and a second implementation of the header's arithmetic, element by element.
#include "tests/api/recording/image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "core/base/half.h"

namespace nnvk::test {
namespace {

template <class T>
T get(std::span<const std::byte> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}
template <class T>
void put(std::span<std::byte> bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

uint8_t rounded_byte(float value, float lowest, float highest) {
  const float nearest = std::floor(value + 0.5F);
  return static_cast<uint8_t>(static_cast<int>(nearest >= lowest ? std::min(nearest, highest) : lowest));
}

// These read or write one component of an image, or one element of a tensor, as the stored number: without scale and zero point.
float component_at(const ImageFormat& format, std::span<const std::byte> pixels, size_t index) {
  if (format.kind == ImageFormat::kBytes) return get<uint8_t>(pixels, index);
  return format.kind == ImageFormat::kHalves ? half_to_float(get<uint16_t>(pixels, index)) : get<float>(pixels, index);
}
void set_component(const ImageFormat& format, std::span<std::byte> pixels, size_t index, float value) {
  if (format.kind == ImageFormat::kBytes) return put(pixels, index, rounded_byte(value, 0, 255));
  format.kind == ImageFormat::kHalves ? put(pixels, index, float_to_half(value)) : put(pixels, index, value);
}
float element_at(const TensorKind& kind, std::span<const std::byte> tensor, size_t index) {
  switch (kind.type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
      return get<float>(tensor, index);
    case ANEURALNETWORKS_TENSOR_FLOAT16:
      return half_to_float(get<uint16_t>(tensor, index));
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
      return get<uint8_t>(tensor, index);
    default:
      return get<int8_t>(tensor, index);
  }
}
void set_element(const TensorKind& kind, std::span<std::byte> tensor, size_t index, float value) {
  switch (kind.type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
      return put(tensor, index, value);
    case ANEURALNETWORKS_TENSOR_FLOAT16:
      return put(tensor, index, float_to_half(value));
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
      return put(tensor, index, rounded_byte(value, 0, 255));
    default:
      return put(tensor, index, rounded_byte(value, -128, 127));
  }
}

// Positions of channel `channel` of pixel `pixel` in the image and in the tensor.
struct Places {
  size_t component;
  size_t element;
};
Places places_of(const NnvkVkImageInfo& image, const TensorKind& kind, size_t pixel, uint32_t channel) {
  const ImageFormat& format = image_format(image.format);
  const size_t pixels = size_t{image.extent.width} * image.extent.height;
  uint32_t colour = channel;
  if (image.channelOrder == NNVK_VK_CHANNELS_BGRA && channel < 3 && format.components == 4) colour = 2 - channel;
  if (format.is_blue_first && colour < 3) colour = 2 - colour;
  const bool planar = image.tensorLayout == NNVK_VK_TENSOR_NCHW;
  return {pixel * format.components + colour, planar ? channel * pixels + pixel : pixel * kind.channels + channel};
}

// Conversion of one channel: number in the tensor = number in the image * factor + offset, and back.
struct Line {
  double factor;
  double offset;
};
Line line_of(const NnvkVkImageInfo& image, const TensorKind& kind, uint32_t channel, bool to_tensor) {
  const double most = image_format(image.format).kind == ImageFormat::kBytes ? 255 : 1;
  const double step = kind.scale == 0 ? 1 : double{kind.scale};
  const double scale = image.scale[channel] == 0 ? 1 : double{image.scale[channel]};
  if (to_tensor) return {scale / (most * step), image.bias[channel] / step + kind.zero_point};
  return {step * most / scale, (-kind.zero_point * step - image.bias[channel]) * most / scale};
}

float on_line(const Line& line, float value) {
  const float product = value * static_cast<float>(line.factor);
  return product + static_cast<float>(line.offset);
}

}  // namespace

const ImageFormat& image_format(VkFormat format) { return *std::ranges::find(kImageFormats, format, &ImageFormat::format); }

size_t TensorKind::element_bytes() const {
  return type == ANEURALNETWORKS_TENSOR_FLOAT32 ? 4 : type == ANEURALNETWORKS_TENSOR_FLOAT16 ? 2 : 1;
}

std::vector<uint32_t> TensorKind::dimensions(const NnvkVkImageInfo& image) const {
  const uint32_t height = image.extent.height;
  const uint32_t width = image.extent.width;
  if (image.tensorLayout == NNVK_VK_TENSOR_NCHW) return {1, channels, height, width};
  return {1, height, width, channels};
}

Image::Image(const Application& application, VkFormat format, VkExtent2D size, const Subresource& part)
    : device_(application.device()), format_(format), size_(size), part_(part) {
  auto info = make<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {size.width << part.level, size.height << part.level, 1};
  info.mipLevels = part.levels;
  info.arrayLayers = part.layers;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = kImageUsage;
  EXPECT_EQ(vkCreateImage(device_, &info, nullptr, &image_), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device_, image_, &needs);
  auto allocation = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = needs.size;
  while ((needs.memoryTypeBits >> allocation.memoryTypeIndex & 1) == 0) ++allocation.memoryTypeIndex;
  EXPECT_EQ(vkAllocateMemory(device_, &allocation, nullptr, &memory_), VK_SUCCESS);
  EXPECT_EQ(vkBindImageMemory(device_, image_, memory_, 0), VK_SUCCESS);
}

Image::~Image() {
  vkDestroyImage(device_, image_, nullptr);
  vkFreeMemory(device_, memory_, nullptr);
}

size_t Image::bytes() const {
  const ImageFormat& format = image_format(format_);
  const size_t component = format.kind == ImageFormat::kBytes ? 1 : format.kind == ImageFormat::kHalves ? 2 : 4;
  return size_t{size_.width} * size_.height * format.components * component;
}

NnvkVkImageInfo Image::info(VkImageLayout layout) const {
  NnvkVkImageInfo info{};
  info.structSize = sizeof info;
  info.image = image_;
  info.format = format_;
  info.extent = {size_.width, size_.height, 1};
  info.mipLevel = part_.level;
  info.arrayLayer = part_.layer;
  info.usage = kImageUsage;
  info.layout = layout;
  return info;
}

VkBufferImageCopy Image::region() const {
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, part_.level, part_.layer, 1};
  region.imageExtent = {size_.width, size_.height, 1};
  return region;
}

void Image::barrier(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) const {
  auto barrier = make<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image_;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, part_.level, 1, part_.layer, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &barrier);
}

void Image::record_upload(VkCommandBuffer commands, VkBuffer from, VkImageLayout layout) const {
  const VkBufferImageCopy all = region();
  barrier(commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdCopyBufferToImage(commands, from, image_, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &all);
  barrier(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout);
}

void Image::record_download(VkCommandBuffer commands, VkBuffer to, VkImageLayout layout) const {
  const VkBufferImageCopy all = region();
  barrier(commands, layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  vkCmdCopyImageToBuffer(commands, image_, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to, 1, &all);
  barrier(commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, layout);
  auto memory = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  memory.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, nullptr, 0,
                       nullptr);
}

std::vector<std::byte> random_pixels(const NnvkVkImageInfo& image, uint32_t seed) {
  const ImageFormat& format = image_format(image.format);
  const size_t count = size_t{image.extent.width} * image.extent.height * format.components;
  std::minstd_rand random(seed);
  std::vector<std::byte> pixels(count * (format.kind == ImageFormat::kBytes ? 1 : format.kind == ImageFormat::kHalves ? 2 : 4));
  for (size_t i = 0; i < count; ++i) {
    const auto number = static_cast<uint32_t>(random());
    const float value = format.kind == ImageFormat::kBytes ? static_cast<float>(number >> 7 & 0xFF)
                                                           : static_cast<float>(number % 4001) / 1000 - 2;
    set_component(format, pixels, i, value);
  }
  return pixels;
}

std::vector<std::byte> as_tensor(const NnvkVkImageInfo& image, const TensorKind& kind, std::span<const std::byte> pixels) {
  const size_t count = size_t{image.extent.width} * image.extent.height;
  std::vector<std::byte> tensor(count * kind.channels * kind.element_bytes());
  for (size_t pixel = 0; pixel < count; ++pixel) {
    for (uint32_t c = 0; c < kind.channels; ++c) {
      const Places at = places_of(image, kind, pixel, c);
      const float component = component_at(image_format(image.format), pixels, at.component);
      set_element(kind, tensor, at.element, on_line(line_of(image, kind, c, true), component));
    }
  }
  return tensor;
}

std::vector<std::byte> as_pixels(const NnvkVkImageInfo& image, const TensorKind& kind, std::span<const std::byte> tensor) {
  const ImageFormat& format = image_format(image.format);
  std::vector<std::byte> pixels = random_pixels(image, 1);  // for their size
  const size_t count = size_t{image.extent.width} * image.extent.height;
  for (size_t pixel = 0; pixel < count; ++pixel) {
    if (format.components == 4) set_component(format, pixels, pixel * 4 + 3, format.kind == ImageFormat::kBytes ? 255 : 1);
    for (uint32_t c = 0; c < kind.channels; ++c) {
      const Places at = places_of(image, kind, pixel, c);
      set_component(format, pixels, at.component, on_line(line_of(image, kind, c, false), element_at(kind, tensor, at.element)));
    }
  }
  return pixels;
}

}  // namespace nnvk::test
