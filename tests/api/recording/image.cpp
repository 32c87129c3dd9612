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

// A component of a packed pixel: `count` bits from `first` on.
struct Bits {
  uint32_t first;
  uint32_t count;
};
Bits bits_of(const ImageFormat& format, size_t component) {
  constexpr Bits kSmall[] = {{0, 11}, {11, 11}, {22, 10}};
  constexpr Bits kTen[] = {{0, 10}, {10, 10}, {20, 10}, {30, 2}};
  return format.kind == ImageFormat::kSmallFloats ? kSmall[component] : kTen[component];
}

bool is_packed(const ImageFormat& format) {
  return format.kind == ImageFormat::kSmallFloats || format.kind == ImageFormat::kTenBits;
}

// The value of a float without sign: 5 bits of exponent, the rest is the mantissa.
double small_float(uint32_t number, uint32_t bits) {
  const uint32_t mantissa_bits = bits - 5;
  const double mantissa = (number & ((1U << mantissa_bits) - 1)) * std::ldexp(1.0, -static_cast<int>(mantissa_bits));
  const int exponent = static_cast<int>(number >> mantissa_bits);
  if (exponent == 31) return mantissa == 0 ? INFINITY : NAN;
  return exponent == 0 ? std::ldexp(mantissa, -14) : std::ldexp(1 + mantissa, exponent - 15);
}

// The nearest of all finite floats without sign; the even one of two. Found by looking at each of them.
uint32_t nearest_small_float(double value, uint32_t bits) {
  uint32_t nearest = 0;
  for (uint32_t number = 0; number < 31U << (bits - 5); ++number) {
    const double distance = std::abs(small_float(number, bits) - value);
    const double least = std::abs(small_float(nearest, bits) - value);
    if (distance < least || (distance == least && number % 2 == 0)) nearest = number;
  }
  return nearest;
}

uint32_t component_number(const ImageFormat& format, uint32_t bits, float value) {
  if (format.kind == ImageFormat::kSmallFloats) return nearest_small_float(value, bits);
  return static_cast<uint32_t>(std::clamp(std::floor(value + 0.5F), 0.0F, static_cast<float>((1U << bits) - 1)));
}

// Writes one component of an image as the stored number.
void set_component(const ImageFormat& format, std::span<std::byte> pixels, size_t index, float value) {
  if (is_packed(format)) {
    const size_t pixel = index / format.components;
    const Bits bits = bits_of(format, index % format.components);
    const uint32_t others = get<uint32_t>(pixels, pixel) & ~(((1U << bits.count) - 1) << bits.first);
    return put(pixels, pixel, others | component_number(format, bits.count, value) << bits.first);
  }
  if (format.kind == ImageFormat::kBytes) return put(pixels, index, rounded_byte(value, 0, 255));
  format.kind == ImageFormat::kHalves ? put(pixels, index, float_to_half(value)) : put(pixels, index, value);
}

// Reads or writes one element of a tensor, as the stored number.
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
  if (image.channelOrder == NNVK_VK_CHANNELS_BGRA && channel < 3 && format.components >= 3) colour = 2 - channel;
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
  const double most = image_format(image.format).most(channel);
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

size_t ImageFormat::pixel_bytes() const {
  if (is_packed(*this)) return 4;
  return components * (kind == kBytes ? 1U : kind == kHalves ? 2U : 4U);
}

double ImageFormat::most(uint32_t component) const {
  if (kind == kTenBits) return component == 3 ? 3 : 1023;
  return kind == kBytes ? 255 : 1;
}

std::vector<uint32_t> ImageFormat::channel_counts() const {
  return components == 4 ? std::vector{3U, 4U} : std::vector{components};
}

float component_at(const ImageFormat& format, std::span<const std::byte> pixels, size_t index) {
  if (is_packed(format)) {
    const Bits bits = bits_of(format, index % format.components);
    const uint32_t number = get<uint32_t>(pixels, index / format.components) >> bits.first & ((1U << bits.count) - 1);
    const bool is_float = format.kind == ImageFormat::kSmallFloats;
    return is_float ? static_cast<float>(small_float(number, bits.count)) : static_cast<float>(number);
  }
  if (format.kind == ImageFormat::kBytes) return get<uint8_t>(pixels, index);
  return format.kind == ImageFormat::kHalves ? half_to_float(get<uint16_t>(pixels, index)) : get<float>(pixels, index);
}

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
  info.usage = usage();
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

size_t Image::bytes() const { return size_t{size_.width} * size_.height * image_format(format_).pixel_bytes(); }

VkImageUsageFlags Image::usage() const {
  return kImageUsage |
         (image_format(format_).is_depth() ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
}

VkImageAspectFlags Image::aspect() const {
  return image_format(format_).is_depth() ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

NnvkVkImageInfo Image::info(VkImageLayout layout) const {
  NnvkVkImageInfo info{};
  info.structSize = sizeof info;
  info.image = image_;
  info.format = format_;
  info.extent = {size_.width, size_.height, 1};
  info.mipLevel = part_.level;
  info.arrayLayer = part_.layer;
  info.usage = usage();
  info.layout = layout;
  return info;
}

VkBufferImageCopy Image::region() const {
  VkBufferImageCopy region{};
  region.imageSubresource = {aspect(), part_.level, part_.layer, 1};
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
  barrier.subresourceRange = {aspect(), part_.level, 1, part_.layer, 1};
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
  const size_t count = size_t{image.extent.width} * image.extent.height;
  std::minstd_rand random(seed);
  std::vector<std::byte> pixels(count * format.pixel_bytes());
  for (size_t i = 0; i < count * format.components; ++i) {
    const auto number = static_cast<uint32_t>(random());
    const auto most = static_cast<uint32_t>(format.most(static_cast<uint32_t>(i % format.components)));
    const float real = static_cast<float>(number % 4001) / 1000 - 2;
    const bool is_positive = format.is_depth() || format.kind == ImageFormat::kSmallFloats;
    const float value = most > 1 ? static_cast<float>((number >> 7) % (most + 1)) : is_positive ? std::abs(real) : real;
    set_component(format, pixels, i, format.is_depth() ? value / 2 : value);
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
    if (format.components == 4) set_component(format, pixels, pixel * 4 + 3, static_cast<float>(format.most(3)));
    for (uint32_t c = 0; c < kind.channels; ++c) {
      const Places at = places_of(image, kind, pixel, c);
      set_component(format, pixels, at.component, on_line(line_of(image, kind, c, false), element_at(kind, tensor, at.element)));
    }
  }
  return pixels;
}

}  // namespace nnvk::test
