// What an application says of an image of its own, and how its pixels become the elements of a tensor and back. Pure: structs of
// Vulkan, no calls.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/operations/parameters/picture_conversion.h"
#include "core/operations/parameters/pixel_conversion.h"

namespace nnvk::vulkan {

// NnvkVkImageInfo in our words, which explains the members.
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
  bool is_read = true;  // may become inputs
  bool is_written = true;
};

// How copies between buffers and images of a format lay out a pixel.
struct PixelFormat {
  VkFormat format;
  const char* name;                // as Vulkan has it
  OperandType element;             // of a component, as the type of a tensor of such numbers
  uint32_t components;             // 1 or 4
  std::array<uint32_t, 4> places;  // where red, green, blue and alpha are among them
  float most;                      // the number of a component that means 1

  uint32_t bytes() const;  // of a pixel
};
// Null for formats that images of memories cannot have.
const PixelFormat* find_pixel_format(VkFormat format);

// BAD_DATA, with what to do, for an image that cannot be an input (`is_read`) or an output (`is_written`) as it says it can.
Status check_image(const ImageDescription& image);

// All that is said below is about an image that check_image() let pass.
uint64_t pixel_count(const ImageDescription& image);
uint64_t packed_size(const ImageDescription& image);  // bytes of the pixels in a buffer, without gaps

// BAD_DATA unless the image is as large as the tensor, has its channels, and the tensor is of a type that pixels become.
Status check_tensor(const ImageDescription& image, const OperandInfo& tensor);

// A way between the two, for a tensor that check_tensor() let pass. Elements of the sides: those of the pixels in a buffer, and
// those of the tensor.
struct ImageConversion {
  PixelConversion pixels;
  OperandInfo from;
  OperandInfo to;

  // Whether both sides are the same bytes: nothing is to be computed.
  bool is_copy() const;
};
ImageConversion conversion_to_tensor(const ImageDescription& image, const OperandInfo& tensor);
ImageConversion conversion_to_image(const ImageDescription& image, const OperandInfo& tensor);

// The layout of an image while it is copied from or to, when it is in `layout` otherwise.
VkImageLayout layout_for_reading(VkImageLayout layout);
VkImageLayout layout_for_writing(VkImageLayout layout);

}  // namespace nnvk::vulkan
