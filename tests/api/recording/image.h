// Images of the application, copies between these and buffers, and the tensors that nnvk must make from their pixels.
#pragma once

#include <nnvk/vulkan_interop.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/api/recording/application.h"

namespace nnvk::test {

// All images have this usage; images of colours are attachments as well.
inline constexpr VkImageUsageFlags kImageUsage =
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;

// The number of levels and layers of an image, and the selected one.
struct Subresource {
  uint32_t levels = 1;
  uint32_t layers = 1;
  uint32_t level = 0;
  uint32_t layer = 0;
};

class Image {
 public:
  // `size`: of the selected level.
  Image(const Application& application, VkFormat format, VkExtent2D size, const Subresource& part = {});
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  VkImage get() const { return image_; }
  size_t bytes() const;
  // The description of the image for nnvk; the caller may change it.
  NnvkVkImageInfo info(VkImageLayout layout) const;

  // Copies the buffer to the image, from any layout into `layout`, with barriers for all work before and after.
  void record_upload(VkCommandBuffer commands, VkBuffer from, VkImageLayout layout) const;
  // Copies the image to the buffer; it stays in `layout`. The host can then read the buffer.
  void record_download(VkCommandBuffer commands, VkBuffer to, VkImageLayout layout) const;

 private:
  VkImageUsageFlags usage() const;
  VkImageAspectFlags aspect() const;
  VkBufferImageCopy region() const;
  void barrier(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) const;

  VkDevice device_;
  VkFormat format_;
  VkExtent2D size_;
  Subresource part_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

// A format as the table in nnvk/vulkan_interop.h has it.
struct ImageFormat {
  VkFormat format;
  uint32_t components;
  enum Kind { kBytes, kHalves, kFloats, kSmallFloats, kTenBits } kind;  // the last two are packed in words
  bool is_blue_first = false;

  bool is_depth() const { return format == VK_FORMAT_D32_SFLOAT; }
  size_t pixel_bytes() const;
  // The number of the image that means 1.
  double most(uint32_t component) const;
  // The numbers of channels of a tensor for a whole image.
  std::vector<uint32_t> channel_counts() const;
};
inline constexpr ImageFormat kImageFormats[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, 4, ImageFormat::kBytes},
    {VK_FORMAT_B8G8R8A8_UNORM, 4, ImageFormat::kBytes, true},
    {VK_FORMAT_R8G8B8A8_SRGB, 4, ImageFormat::kBytes},
    {VK_FORMAT_B8G8R8A8_SRGB, 4, ImageFormat::kBytes, true},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, ImageFormat::kTenBits},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 3, ImageFormat::kSmallFloats},
    {VK_FORMAT_R8G8_UNORM, 2, ImageFormat::kBytes},
    {VK_FORMAT_R8_UNORM, 1, ImageFormat::kBytes},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 4, ImageFormat::kHalves},
    {VK_FORMAT_R16G16_SFLOAT, 2, ImageFormat::kHalves},
    {VK_FORMAT_R16_SFLOAT, 1, ImageFormat::kHalves},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 4, ImageFormat::kFloats},
    {VK_FORMAT_R32_SFLOAT, 1, ImageFormat::kFloats},
    {VK_FORMAT_D32_SFLOAT, 1, ImageFormat::kFloats},
};
const ImageFormat& image_format(VkFormat format);

// A kind of tensor.
struct TensorKind {
  int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;
  uint32_t channels = 4;
  float scale = 0;
  int32_t zero_point = 0;
  size_t element_bytes() const;
  std::vector<uint32_t> dimensions(const NnvkVkImageInfo& image) const;
};

// Random pixels: halves and floats between -2 and 2, depth between 0 and 1, small floats between 0 and 2.
std::vector<std::byte> random_pixels(const NnvkVkImageInfo& image, uint32_t seed);
// Component `index` of the pixels as the stored number: without scale and zero point.
float component_at(const ImageFormat& format, std::span<const std::byte> pixels, size_t index);
// The tensor that nnvk/vulkan_interop.h prescribes for these pixels, and the reverse.
std::vector<std::byte> as_tensor(const NnvkVkImageInfo& image, const TensorKind& kind, std::span<const std::byte> pixels);
std::vector<std::byte> as_pixels(const NnvkVkImageInfo& image, const TensorKind& kind, std::span<const std::byte> tensor);

}  // namespace nnvk::test
