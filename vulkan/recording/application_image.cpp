#include "vulkan/recording/application_image.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/shortest_text.h"

namespace nnvk::vulkan {
namespace {

// How copies between buffers and images of a format lay out a pixel.
struct PixelFormat {
  VkFormat format;
  const char* name;                // Vulkan's name
  OperandType element;             // of a component, as a tensor's operand type
  uint32_t components;             // 1 or 4
  std::array<uint32_t, 4> places;  // the component that holds red, green, blue and alpha
  float most;                      // the component value that means 1
};

constexpr PixelFormat kFormats[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, "VK_FORMAT_R8G8B8A8_UNORM", OperandType::kTensorQuant8Asymm, 4, {0, 1, 2, 3}, 255},
    {VK_FORMAT_B8G8R8A8_UNORM, "VK_FORMAT_B8G8R8A8_UNORM", OperandType::kTensorQuant8Asymm, 4, {2, 1, 0, 3}, 255},
    {VK_FORMAT_R8G8B8A8_SRGB, "VK_FORMAT_R8G8B8A8_SRGB", OperandType::kTensorQuant8Asymm, 4, {0, 1, 2, 3}, 255},
    {VK_FORMAT_B8G8R8A8_SRGB, "VK_FORMAT_B8G8R8A8_SRGB", OperandType::kTensorQuant8Asymm, 4, {2, 1, 0, 3}, 255},
    {VK_FORMAT_R8_UNORM, "VK_FORMAT_R8_UNORM", OperandType::kTensorQuant8Asymm, 1, {0, 0, 0, 0}, 255},
    {VK_FORMAT_R16G16B16A16_SFLOAT, "VK_FORMAT_R16G16B16A16_SFLOAT", OperandType::kTensorFloat16, 4, {0, 1, 2, 3}, 1},
    {VK_FORMAT_R16_SFLOAT, "VK_FORMAT_R16_SFLOAT", OperandType::kTensorFloat16, 1, {0, 0, 0, 0}, 1},
    {VK_FORMAT_R32G32B32A32_SFLOAT, "VK_FORMAT_R32G32B32A32_SFLOAT", OperandType::kTensorFloat32, 4, {0, 1, 2, 3}, 1},
    {VK_FORMAT_R32_SFLOAT, "VK_FORMAT_R32_SFLOAT", OperandType::kTensorFloat32, 1, {0, 0, 0, 0}, 1},
};

// The layouts that images of these formats may have permanently.
constexpr VkImageLayout kLayouts[] = {VK_IMAGE_LAYOUT_GENERAL,
                                      VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                      VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL,
                                      VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL,
                                      VK_IMAGE_LAYOUT_PRESENT_SRC_KHR};

Status bad(const std::string& what) { return fail(Code::kBadData, what); }

std::string format_names() {
  std::string names;
  for (const PixelFormat& format : kFormats) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

std::string extent_text(const VkExtent3D& extent) {
  return std::to_string(extent.width) + "x" + std::to_string(extent.height) + "x" + std::to_string(extent.depth);
}

Status check_extent(const ImageDescription& image) {
  const VkExtent3D& extent = image.extent;
  if (extent.depth > 1) return bad("the extent is " + extent_text(extent) + "; only 2D images become tensors, depth is 1");
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) {
    return bad("the extent is " + extent_text(extent) + ", which is not a pixel; it is that of the mip level, its depth is 1");
  }
  if (packed_size(image) > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    return bad("the extent is " + extent_text(extent) + ": images have at most 2^31 - 1 bytes");
  }
  return {};
}

Status check_usage(const ImageDescription& image) {
  if (image.is_read && (image.usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0) {
    return bad("the image was made without VK_IMAGE_USAGE_TRANSFER_SRC_BIT, which NNVK_VK_ACCESS_READ needs");
  }
  if (image.is_written && (image.usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0) {
    return bad("the image was made without VK_IMAGE_USAGE_TRANSFER_DST_BIT, which NNVK_VK_ACCESS_WRITE needs");
  }
  return {};
}

Status check_values(const ImageDescription& image) {
  for (size_t c = 0; c < image.scale.size(); ++c) {
    const float scale = image.scale[c];
    if (std::isfinite(scale) && std::isfinite(image.bias[c]) && scale != 0 && std::isfinite(1 / scale)) continue;
    return bad("scale[" + std::to_string(c) + "] is " + shortest_text(scale) + " and bias[" + std::to_string(c) + "] is " +
               shortest_text(image.bias[c]) + "; both must be finite and the scale far enough from 0 to divide by");
  }
  return {};
}

// Returns the pixel format; null for formats that image memories do not support.
const PixelFormat* find_pixel_format(VkFormat format) {
  const auto* const found = std::ranges::find(kFormats, format, &PixelFormat::format);
  return found != std::end(kFormats) ? found : nullptr;
}

const PixelFormat& format_of(const ImageDescription& image) { return *find_pixel_format(image.format); }

uint64_t pixel_count(const ImageDescription& image) { return uint64_t{image.extent.width} * image.extent.height; }

// Returns the format's component for channel `channel` of the tensor.
uint32_t component_of(const ImageDescription& image, uint32_t channel) {
  const uint32_t colour = image.order == ChannelOrder::kBgr && channel < 3 ? 2 - channel : channel;
  return format_of(image).places[colour];
}

struct TensorSize {
  uint32_t height;
  uint32_t width;
  uint32_t channels;
};
TensorSize size_of(const ImageDescription& image, const Shape& shape) {
  return image.nchw ? TensorSize{shape[2], shape[3], shape[1]} : TensorSize{shape[1], shape[2], shape[3]};
}

OperandInfo elements(OperandType type, uint64_t count) {
  OperandInfo info;
  info.type = type;
  info.shape = {static_cast<uint32_t>(count)};
  if (is_quant8_asymm(type)) info.scale = 1;  // the stored numbers count, not the values that they represent
  return info;
}

// The stored numbers of a tensor: real value = (number - zero_point) * step.
struct Steps {
  double step;
  double zero_point;
};
Steps steps_of(const OperandInfo& tensor) {
  if (!is_quant8_asymm(tensor.type)) return {1, 0};
  return {double{tensor.scale}, static_cast<double>(tensor.zero_point)};
}

// Sets both sides; the caller sets source, factor and offset.
ImageConversion sides(const ImageDescription& image, const OperandInfo& tensor, bool to_tensor) {
  const PixelFormat& format = format_of(image);
  const uint32_t channels = size_of(image, tensor.shape).channels;
  const uint64_t pixels = pixel_count(image);
  const PixelConversion::Side image_side{format.components, false};
  const PixelConversion::Side tensor_side{channels, image.nchw};
  const OperandInfo image_elements = elements(format.element, pixels * format.components);
  const OperandInfo tensor_elements = elements(tensor.type, pixels * channels);
  ImageConversion conversion;
  conversion.pixels.pixels = static_cast<uint32_t>(pixels);
  conversion.pixels.from = to_tensor ? image_side : tensor_side;
  conversion.pixels.to = to_tensor ? tensor_side : image_side;
  conversion.from = to_tensor ? image_elements : tensor_elements;
  conversion.to = to_tensor ? tensor_elements : image_elements;
  return conversion;
}

}  // namespace

Status check_image(const ImageDescription& image) {
  if (image.image == VK_NULL_HANDLE) return bad("image is VK_NULL_HANDLE");
  if (find_pixel_format(image.format) == nullptr) {
    return bad("images of VkFormat " + std::to_string(image.format) + " become no tensors; these do: " + format_names());
  }
  NNVK_TRY(check_extent(image));
  if (image.samples != VK_SAMPLE_COUNT_1_BIT) {
    return bad("the image has " + std::to_string(image.samples) + " samples; resolve it into one with a single sample");
  }
  NNVK_TRY(check_usage(image));
  if (std::ranges::find(kLayouts, image.layout) == std::end(kLayouts)) {
    return bad("the layout is " + std::to_string(image.layout) +
               "; it is the one that the image is in before and after: GENERAL, COLOR_ATTACHMENT_OPTIMAL, "
               "SHADER_READ_ONLY_OPTIMAL, TRANSFER_SRC_OPTIMAL, TRANSFER_DST_OPTIMAL, READ_ONLY_OPTIMAL, ATTACHMENT_OPTIMAL or "
               "PRESENT_SRC_KHR");
  }
  return check_values(image);
}

uint64_t packed_size(const ImageDescription& image) {
  const uint64_t pixels = pixel_count(image);  // below 2^64; saturates if the bytes exceed that
  const uint64_t bytes = format_of(image).components * element_size(format_of(image).element);
  return pixels > UINT64_MAX / bytes ? UINT64_MAX : pixels * bytes;
}

Status check_tensor(const ImageDescription& image, const OperandInfo& tensor) {
  if (!is_float_tensor(tensor.type) && !is_quant8_asymm(tensor.type)) {
    return bad("an image is TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED, not " +
               operand_type_name(tensor.type));
  }
  const Shape& shape = tensor.shape;
  const PixelFormat& format = format_of(image);
  const bool is_image = shape.rank() == 4 && shape.fully_known() && shape[0] == 1;
  const TensorSize size = is_image ? size_of(image, shape) : TensorSize{0, 0, 0};
  const bool has_channels = format.components == 1 ? size.channels == 1 : size.channels == 3 || size.channels == 4;
  if (!is_image || size.width != image.extent.width || size.height != image.extent.height || !has_channels) {
    return bad("the tensor is " + shape.to_string() + ", the image of " + std::to_string(image.extent.width) + "x" +
               std::to_string(image.extent.height) + " pixels " + format.name + " is " +
               (image.nchw ? "[1, channels, height, width]" : "[1, height, width, channels]") + " with " +
               (format.components == 1 ? "one channel" : "3 or 4 channels"));
  }
  const auto is_finite = [](float value) { return std::isfinite(value); };
  for (const ImageConversion& conversion : {conversion_to_tensor(image, tensor), conversion_to_image(image, tensor)}) {
    if (std::ranges::all_of(conversion.pixels.factor, is_finite) && std::ranges::all_of(conversion.pixels.offset, is_finite)) {
      continue;
    }
    return bad("scale and bias of the image are too large or too small for the tensor's scale of " + shortest_text(tensor.scale));
  }
  return {};
}

bool ImageConversion::is_copy() const {
  if (from.type != to.type || pixels.from.channels != pixels.to.channels) return false;
  if (pixels.from.is_planar != pixels.to.is_planar && pixels.from.channels > 1) return false;
  for (uint32_t c = 0; c < pixels.to.channels; ++c) {
    if (pixels.source[c] != c || pixels.factor[c] != 1 || pixels.offset[c] != 0) return false;
  }
  return true;
}

ImageConversion conversion_to_tensor(const ImageDescription& image, const OperandInfo& tensor) {
  ImageConversion conversion = sides(image, tensor, true);
  const Steps steps = steps_of(tensor);
  for (uint32_t c = 0; c < conversion.pixels.to.channels; ++c) {
    conversion.pixels.source[c] = component_of(image, c);
    conversion.pixels.factor[c] = static_cast<float>(image.scale[c] / (format_of(image).most * steps.step));
    conversion.pixels.offset[c] = static_cast<float>(image.bias[c] / steps.step + steps.zero_point);
  }
  return conversion;
}

ImageConversion conversion_to_image(const ImageDescription& image, const OperandInfo& tensor) {
  ImageConversion conversion = sides(image, tensor, false);
  const Steps steps = steps_of(tensor);
  const double most = format_of(image).most;
  // Alpha is 1 if the tensor has no channel for it.
  conversion.pixels.source.fill(PixelConversion::kNoSource);
  conversion.pixels.offset.fill(static_cast<float>(most));
  for (uint32_t c = 0; c < conversion.pixels.from.channels; ++c) {
    const uint32_t component = component_of(image, c);
    conversion.pixels.source[component] = c;
    conversion.pixels.factor[component] = static_cast<float>(steps.step * most / image.scale[c]);
    conversion.pixels.offset[component] =
        static_cast<float>((-steps.zero_point * steps.step - image.bias[c]) * most / image.scale[c]);
  }
  return conversion;
}

VkImageLayout layout_for_copies(VkImageLayout layout, bool writes) {
  if (layout == VK_IMAGE_LAYOUT_GENERAL) return layout;
  return writes ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
}

}  // namespace nnvk::vulkan
