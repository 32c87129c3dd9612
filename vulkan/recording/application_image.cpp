#include "vulkan/recording/application_image.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/shortest_text.h"

namespace nnvk::vulkan {
namespace {

constexpr OperandType kByte = OperandType::kTensorQuant8Asymm;
constexpr OperandType kHalf = OperandType::kTensorFloat16;
constexpr OperandType kFloat = OperandType::kTensorFloat32;
constexpr OperandType kWord = OperandType::kTensorInt32;
constexpr std::array<uint32_t, 4> kInOrder = {0, 1, 2, 3};
constexpr std::array<uint32_t, 4> kBlueFirst = {2, 1, 0, 3};
constexpr std::array<float, 4> kOne = {1, 1, 1, 1};
constexpr std::array<float, 4> k255 = {255, 255, 255, 255};

constexpr PixelFormat kFormats[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, "VK_FORMAT_R8G8B8A8_UNORM", kByte, 4, kInOrder, k255},
    {VK_FORMAT_B8G8R8A8_UNORM, "VK_FORMAT_B8G8R8A8_UNORM", kByte, 4, kBlueFirst, k255},
    {VK_FORMAT_R8G8B8A8_SRGB, "VK_FORMAT_R8G8B8A8_SRGB", kByte, 4, kInOrder, k255},
    {VK_FORMAT_B8G8R8A8_SRGB, "VK_FORMAT_B8G8R8A8_SRGB", kByte, 4, kBlueFirst, k255},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32,
     "VK_FORMAT_A2B10G10R10_UNORM_PACK32",
     kWord,
     4,
     kInOrder,
     {1023, 1023, 1023, 3},
     PixelPacking::kIntegers10And2},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, "VK_FORMAT_B10G11R11_UFLOAT_PACK32", kWord, 3, kInOrder, kOne,
     PixelPacking::kFloats11And10},
    {VK_FORMAT_R8G8_UNORM, "VK_FORMAT_R8G8_UNORM", kByte, 2, kInOrder, k255},
    {VK_FORMAT_R8_UNORM, "VK_FORMAT_R8_UNORM", kByte, 1, kInOrder, k255},
    {VK_FORMAT_R16G16B16A16_SFLOAT, "VK_FORMAT_R16G16B16A16_SFLOAT", kHalf, 4, kInOrder, kOne},
    {VK_FORMAT_R16G16_SFLOAT, "VK_FORMAT_R16G16_SFLOAT", kHalf, 2, kInOrder, kOne},
    {VK_FORMAT_R16_SFLOAT, "VK_FORMAT_R16_SFLOAT", kHalf, 1, kInOrder, kOne},
    {VK_FORMAT_R32G32B32A32_SFLOAT, "VK_FORMAT_R32G32B32A32_SFLOAT", kFloat, 4, kInOrder, kOne},
    {VK_FORMAT_R32_SFLOAT, "VK_FORMAT_R32_SFLOAT", kFloat, 1, kInOrder, kOne},
    {VK_FORMAT_D32_SFLOAT, "VK_FORMAT_D32_SFLOAT", kFloat, 1, kInOrder, kOne, PixelPacking::kNone, VK_IMAGE_ASPECT_DEPTH_BIT},
};

// A layout that an image may have permanently.
struct KnownLayout {
  VkImageLayout layout;
  bool for_colour;
  bool for_depth;
  const char* name;  // without VK_IMAGE_LAYOUT_
};
constexpr KnownLayout kLayouts[] = {
    {VK_IMAGE_LAYOUT_GENERAL, true, true, "GENERAL"},
    {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, true, false, "COLOR_ATTACHMENT_OPTIMAL"},
    {VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, false, true, "DEPTH_STENCIL_ATTACHMENT_OPTIMAL"},
    {VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL, false, true, "DEPTH_STENCIL_READ_ONLY_OPTIMAL"},
    {VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, false, true, "DEPTH_ATTACHMENT_OPTIMAL"},
    {VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL, false, true, "DEPTH_READ_ONLY_OPTIMAL"},
    {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, true, true, "SHADER_READ_ONLY_OPTIMAL"},
    {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, true, true, "TRANSFER_SRC_OPTIMAL"},
    {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, true, true, "TRANSFER_DST_OPTIMAL"},
    {VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL, true, true, "READ_ONLY_OPTIMAL"},
    {VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL, true, true, "ATTACHMENT_OPTIMAL"},
    {VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, true, false, "PRESENT_SRC_KHR"},
};

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
  if (image.is_written && format_of(image).is_depth()) {
    return bad(std::string("depth cannot be written from a tensor; make the memory of the ") + format_of(image).name +
               " image with NNVK_VK_ACCESS_READ alone");
  }
  if (image.is_read && (image.usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0) {
    return bad("the image was made without VK_IMAGE_USAGE_TRANSFER_SRC_BIT, which NNVK_VK_ACCESS_READ needs");
  }
  if (image.is_written && (image.usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0) {
    return bad("the image was made without VK_IMAGE_USAGE_TRANSFER_DST_BIT, which NNVK_VK_ACCESS_WRITE needs");
  }
  return {};
}

Status check_layout(const ImageDescription& image) {
  const bool is_depth = format_of(image).is_depth();
  std::string names;
  for (const KnownLayout& known : kLayouts) {
    if (!(is_depth ? known.for_depth : known.for_colour)) continue;
    if (known.layout == image.layout) return {};
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  return bad("the layout is " + std::to_string(image.layout) + "; it is the one that the image is in before and after, one of " +
             names);
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

uint64_t pixel_count(const ImageDescription& image) { return uint64_t{image.extent.width} * image.extent.height; }

// Returns the format's component for channel `channel` of the tensor.
uint32_t component_of(const ImageDescription& image, uint32_t channel) {
  const PixelFormat& format = format_of(image);
  const bool is_reversed = image.order == ChannelOrder::kBgr && channel < 3 && format.components >= 3;
  return format.places[is_reversed ? 2 - channel : channel];
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
  const OperandInfo image_elements = elements(format.element, pixels * format.elements_per_pixel());
  const OperandInfo tensor_elements = elements(tensor.type, pixels * channels);
  ImageConversion conversion;
  conversion.pixels.pixels = static_cast<uint32_t>(pixels);
  conversion.pixels.packing = format.packing;
  conversion.pixels.from = to_tensor ? image_side : tensor_side;
  conversion.pixels.to = to_tensor ? tensor_side : image_side;
  conversion.from = to_tensor ? image_elements : tensor_elements;
  conversion.to = to_tensor ? tensor_elements : image_elements;
  return conversion;
}

// Returns a text for the numbers of channels that a whole image of this format becomes.
std::string channels_text(const PixelFormat& format) {
  if (format.components == 4) return "3 or 4 channels";
  return format.components == 1 ? "one channel" : std::to_string(format.components) + " channels";
}

}  // namespace

uint32_t PixelFormat::pixel_bytes() const { return elements_per_pixel() * static_cast<uint32_t>(element_size(element)); }

bool ChannelSource::is_finite() const { return std::isfinite(factor) && std::isfinite(offset); }

const PixelFormat& format_of(const ImageDescription& image) { return *find_pixel_format(image.format); }

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
  NNVK_TRY(check_layout(image));
  return check_values(image);
}

uint64_t packed_size(const ImageDescription& image) {
  const uint64_t pixels = pixel_count(image);  // below 2^64; saturates if the bytes exceed that
  const uint64_t bytes = format_of(image).pixel_bytes();
  return pixels > UINT64_MAX / bytes ? UINT64_MAX : pixels * bytes;
}

Status check_element_type(const OperandInfo& tensor) {
  if (is_float_tensor(tensor.type) || is_quant8_asymm(tensor.type)) return {};
  return bad("an image is TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED, not " +
             operand_type_name(tensor.type));
}

Status check_tensor(const ImageDescription& image, const OperandInfo& tensor) {
  NNVK_TRY(check_element_type(tensor));
  const Shape& shape = tensor.shape;
  const PixelFormat& format = format_of(image);
  const bool is_image = shape.rank() == 4 && shape.fully_known() && shape[0] == 1;
  const TensorSize size = is_image ? size_of(image, shape) : TensorSize{0, 0, 0};
  const bool has_channels = size.channels == format.components || (size.channels == 3 && format.components == 4);
  if (!is_image || size.width != image.extent.width || size.height != image.extent.height || !has_channels) {
    return bad("the tensor is " + shape.to_string() + ", the image of " + std::to_string(image.extent.width) + "x" +
               std::to_string(image.extent.height) + " pixels " + format.name + " is " +
               (image.nchw ? "[1, channels, height, width]" : "[1, height, width, channels]") + " with " + channels_text(format));
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

ChannelSource source_of(const ImageDescription& image, uint32_t channel, const OperandInfo& tensor) {
  const Steps steps = steps_of(tensor);
  const uint32_t component = component_of(image, channel);
  return {component, static_cast<float>(image.scale[channel] / (format_of(image).most[component] * steps.step)),
          static_cast<float>(image.bias[channel] / steps.step + steps.zero_point)};
}

ImageConversion conversion_to_tensor(const ImageDescription& image, const OperandInfo& tensor) {
  ImageConversion conversion = sides(image, tensor, true);
  for (uint32_t c = 0; c < conversion.pixels.to.channels; ++c) {
    const ChannelSource source = source_of(image, c, tensor);
    conversion.pixels.source[c] = source.component;
    conversion.pixels.factor[c] = source.factor;
    conversion.pixels.offset[c] = source.offset;
  }
  return conversion;
}

ImageConversion conversion_to_image(const ImageDescription& image, const OperandInfo& tensor) {
  ImageConversion conversion = sides(image, tensor, false);
  const Steps steps = steps_of(tensor);
  const PixelFormat& format = format_of(image);
  // Alpha is 1 if the tensor has no channel for it.
  conversion.pixels.source.fill(PixelConversion::kNoSource);
  conversion.pixels.offset = format.most;
  for (uint32_t c = 0; c < conversion.pixels.from.channels; ++c) {
    const uint32_t component = component_of(image, c);
    const double most = format.most[component];
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
