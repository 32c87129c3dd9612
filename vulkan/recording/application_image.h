// An application's description of its own image, and the conversion between the image's pixels and the elements of a tensor.
// Pure: Vulkan structs, no calls.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/operations/parameters/picture_conversion.h"
#include "core/operations/parameters/pixel_conversion.h"

namespace nnvk::vulkan {

// NnvkVkImageInfo in nnvk's types; nnvk/vulkan_interop.h documents the members.
struct ImageDescription {
  VkImage image = VK_NULL_HANDLE;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};
  uint32_t mip_level = 0;
  uint32_t array_layer = 0;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  VkImageUsageFlags usage = 0;
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  ChannelOrder order = ChannelOrder::kRgb;
  bool nchw = false;
  std::array<float, 4> scale = {1, 1, 1, 1};  // per channel of the tensor
  std::array<float, 4> bias = {0, 0, 0, 0};
  bool is_read = true;  // may be an input
  bool is_written = true;
};

// How copies between buffers and images of a format lay out a pixel.
struct PixelFormat {
  VkFormat format;
  const char* name;                // Vulkan's name
  OperandType element;             // of a component, as a tensor's operand type; TENSOR_INT32: a packed pixel
  uint32_t components;             // 1 to 4
  std::array<uint32_t, 4> places;  // the component that holds red, green, blue and alpha
  std::array<float, 4> most;       // by component: the stored number that means 1
  PixelPacking packing = PixelPacking::kNone;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;

  bool is_depth() const { return aspect == VK_IMAGE_ASPECT_DEPTH_BIT; }
  uint32_t elements_per_pixel() const { return packing == PixelPacking::kNone ? components : 1; }
  uint32_t pixel_bytes() const;
};
// Returns the format of an image that has passed check_image().
const PixelFormat& format_of(const ImageDescription& image);

// Returns BAD_DATA with advice if `is_read` or `is_written` is set but nnvk cannot read or write such an image.
Status check_image(const ImageDescription& image);

// Returns BAD_DATA unless pixels convert to tensors of this type.
Status check_element_type(const OperandInfo& tensor);

// The source of a channel of the tensor: stored number = component * factor + offset, as PixelConversion computes it.
struct ChannelSource {
  uint32_t component;
  float factor;
  float offset;
  bool is_finite() const;
};
// Returns the source of channel `channel` of those that the image fills.
ChannelSource source_of(const ImageDescription& image, uint32_t channel, const OperandInfo& tensor);

// Returns the bytes of the pixels in a buffer, without gaps, of an image that has passed check_image().
uint64_t packed_size(const ImageDescription& image);

// Returns BAD_DATA unless the tensor has the image's size and channels, and a type that pixels convert to.
Status check_tensor(const ImageDescription& image, const OperandInfo& tensor);

// A conversion between the pixels in a buffer and a tensor that has passed check_tensor(), in one direction.
struct ImageConversion {
  PixelConversion pixels;
  OperandInfo from;
  OperandInfo to;

  // Returns whether both sides have the same bytes, so that nothing needs to be computed.
  bool is_copy() const;
};
ImageConversion conversion_to_tensor(const ImageDescription& image, const OperandInfo& tensor);
ImageConversion conversion_to_image(const ImageDescription& image, const OperandInfo& tensor);

// Returns the layout of an image while nnvk copies from it, or with `writes` to it. `layout`: the image's layout before and
// after.
VkImageLayout layout_for_copies(VkImageLayout layout, bool writes);

}  // namespace nnvk::vulkan
