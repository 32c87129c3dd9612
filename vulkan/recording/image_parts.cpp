#include "vulkan/recording/image_parts.h"

#include <limits>
#include <string>

#include "core/operations/rules/shape_rules.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kAlignment = 16;  // copies and kernels read whole words; Vulkan asks for multiples of a pixel
constexpr uint64_t kMostBytes = std::numeric_limits<int32_t>::max();

Status bad(const std::string& what) { return fail(Code::kBadData, what); }

std::string size_text(uint32_t width, uint32_t height) { return std::to_string(width) + "x" + std::to_string(height); }

std::string part_name(size_t index) { return "parts[" + std::to_string(index) + "]"; }

Status check_part(const ImagePart& part) {
  NNVK_TRY(check_image(part.image));
  const PixelFormat& format = format_of(part.image);
  if (part.channels >= 1 && part.channels <= format.components) return {};
  return bad("channelCount is " + std::to_string(part.channels) + "; images of " + format.name + " fill 1 to " +
             std::to_string(format.components) + " channels");
}

ComponentEncoding encoding_of(const PixelFormat& format) {
  if (format.packing == PixelPacking::kFloats11And10) return ComponentEncoding::kFloats11And10;
  if (format.packing == PixelPacking::kIntegers10And2) return ComponentEncoding::kIntegers10And2;
  if (format.element == OperandType::kTensorFloat16) return ComponentEncoding::kHalf;
  return format.element == OperandType::kTensorFloat32 ? ComponentEncoding::kFloat : ComponentEncoding::kByte;
}

uint32_t channel_count(std::span<const ImagePart> parts) {
  uint32_t channels = 0;
  for (const ImagePart& part : parts) channels += part.channels;
  return channels;
}

bool is_planar(std::span<const ImagePart> parts) { return parts.front().image.nchw; }

Status check_size(const ImagePart& part, uint32_t height, uint32_t width) {
  const VkExtent3D& extent = part.image.extent;
  if (part.filter.has_value() || (extent.width == width && extent.height == height)) return {};
  return bad("the image has " + size_text(extent.width, extent.height) + " pixels, the tensor " + size_text(width, height) +
             "; choose a filter that resizes it");
}

Status check_values(const ImagePart& part, const OperandInfo& tensor) {
  for (uint32_t c = 0; c < part.channels; ++c) {
    if (source_of(part.image, c, tensor).is_finite()) continue;
    return bad("scale and bias of channel " + std::to_string(c) + " are too large or too small for the tensor's scale");
  }
  return {};
}

// Returns `status`; an error names the part.
Status of_part(size_t index, const Status& status) {
  if (status) return {};
  return fail(status.error().at(part_name(index)));
}

}  // namespace

Status check_parts(std::span<const ImagePart> parts) {
  if (parts.empty() || parts.size() > kMostImageParts) {
    return bad("there are " + std::to_string(parts.size()) + " images; one to " + std::to_string(kMostImageParts) +
               " become a tensor");
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    NNVK_TRY(of_part(i, check_part(parts[i])));
    if (parts[i].image.nchw != is_planar(parts)) return bad(part_name(i) + " has another tensorLayout than " + part_name(0));
  }
  const uint64_t bytes = placed_size(placed(parts));
  if (bytes <= kMostBytes) return {};
  return bad("the images have " + std::to_string(bytes) + " bytes together; the images of a tensor have at most 2^31 - 1");
}

Status check_tensor(std::span<const ImagePart> parts, const OperandInfo& tensor) {
  NNVK_TRY(check_element_type(tensor));
  const Shape& shape = tensor.shape;
  const LayoutAxes axes = layout_axes(is_planar(parts));
  const bool is_image = shape.rank() == 4 && shape.fully_known() && shape[0] == 1 && shape.element_count() > 0;
  if (!is_image || shape[axes.channels] != channel_count(parts)) {
    return bad("the tensor is " + shape.to_string() + ", the images fill " +
               (is_planar(parts) ? "[1, channels, height, width]" : "[1, height, width, channels]") + " with " +
               std::to_string(channel_count(parts)) + " channels");
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    NNVK_TRY(of_part(i, check_size(parts[i], shape[axes.height], shape[axes.width])));
    NNVK_TRY(of_part(i, check_values(parts[i], tensor)));
  }
  return {};
}

std::vector<PlacedImage> placed(std::span<const ImagePart> parts) {
  std::vector<PlacedImage> images;
  for (const ImagePart& part : parts) {
    const uint64_t end = images.empty() ? 0 : placed_size(images);
    images.push_back({part.image, (end + kAlignment - 1) / kAlignment * kAlignment});
  }
  return images;
}

uint64_t placed_size(std::span<const PlacedImage> images) { return images.back().offset + packed_size(images.back().image); }

std::vector<uint32_t> table_of(std::span<const ImagePart> parts, const OperandInfo& tensor) {
  const std::vector<PlacedImage> places = placed(parts);
  std::vector<GatheredImage> images;
  std::vector<GatheredChannel> channels;
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const ImageDescription& image = parts[i].image;
    const PixelFormat& format = format_of(image);
    images.push_back({static_cast<uint32_t>(places[i].offset), image.extent.width, image.extent.height, format.pixel_bytes(),
                      encoding_of(format), parts[i].filter.value_or(PictureFilter::kNearest)});
    for (uint32_t c = 0; c < parts[i].channels; ++c) {
      const ChannelSource source = source_of(image, c, tensor);
      channels.push_back({i, source.component, source.factor, source.offset});
    }
  }
  const LayoutAxes axes = layout_axes(is_planar(parts));
  return gathering_table(images, channels, tensor.shape[axes.height], tensor.shape[axes.width]);
}

}  // namespace nnvk::vulkan
