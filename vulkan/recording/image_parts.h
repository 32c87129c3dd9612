// Several images of an application as one tensor: each fills some of its channels, and may have another size. Pure: Vulkan
// structs, no calls.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/operations/parameters/pixel_gathering.h"
#include "vulkan/recording/application_image.h"

namespace nnvk::vulkan {

// NnvkVkImagePart in nnvk's types; nnvk/vulkan_interop.h documents the members.
struct ImagePart {
  ImageDescription image;
  uint32_t channels = 0;                // of the tensor
  std::optional<PictureFilter> filter;  // resizes the image; nothing: it must have the tensor's size
};

inline constexpr size_t kMostImageParts = 8;

// Returns BAD_DATA with advice if nnvk cannot read these images into one tensor.
Status check_parts(std::span<const ImagePart> parts);

// Returns BAD_DATA unless the images, which have passed check_parts(), fill the tensor.
Status check_tensor(std::span<const ImagePart> parts, const OperandInfo& tensor);

// Images one after the other in a buffer, each at a multiple of 16 bytes.
struct PlacedImage {
  ImageDescription image;
  uint64_t offset = 0;  // of its packed pixels
};
std::vector<PlacedImage> placed(std::span<const ImagePart> parts);
// Returns the end of the last image.
uint64_t placed_size(std::span<const PlacedImage> images);

// Returns the table that makes a tensor, which has passed check_tensor(), of the placed images.
std::vector<uint32_t> table_of(std::span<const ImagePart> parts, const OperandInfo& tensor);

}  // namespace nnvk::vulkan
