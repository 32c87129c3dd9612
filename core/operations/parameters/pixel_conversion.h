// Pixels of images on a device and the elements of image tensors, in either direction. CONVERT_PIXELS is an operation that no
// model contains: the Vulkan device runs it before and after a model whose inputs or outputs a client has bound to images
// (nnvk/vulkan_interop.h). What its numbers mean is decided here, once for the CPU and the GPU, which then do the same float32
// arithmetic in the same order.
#pragma once

#include <array>

#include "core/operations/operation_definition.h"

namespace nnvk {

// A code that clients cannot give, like kPictureToTensor.
inline constexpr OperationCode kConvertPixels{20001};

// One side of the conversion, as elements of a tensor of any shape; the constants that pixel_integers() and pixel_reals() make;
// the other side. Each side is FLOAT32, FLOAT16, QUANT8_ASYMM or QUANT8_ASYMM_SIGNED, of which only the stored numbers count.
namespace convert_pixels {
enum Input : size_t { kFrom, kIntegers, kReals };
enum Output : size_t { kTo };
}  // namespace convert_pixels

// For each pixel and each channel c of `to`, every operation rounded to float32:
//   value  from[source[c]] * factor[c] + offset[c]; offset[c] alone where source[c] is kNoSource
// Bytes store clamp(floor(value + 0.5), lowest, highest); NaN is lowest.
struct PixelConversion {
  static constexpr uint32_t kMostChannels = 4;
  static constexpr uint32_t kNoSource = kMostChannels;

  struct Side {
    uint32_t channels = 0;   // 1 to 4
    bool is_planar = false;  // all pixels of a channel together; else all channels of a pixel
  };
  uint32_t pixels = 0;
  Side from;
  Side to;
  std::array<uint32_t, kMostChannels> source{};
  std::array<float, kMostChannels> factor{};
  std::array<float, kMostChannels> offset{};

  // Which element of a side channel `channel` of a pixel is.
  uint64_t element(const Side& side, uint64_t pixel, uint64_t channel) const {
    return side.is_planar ? channel * pixels + pixel : pixel * side.channels + channel;
  }
};

// What bytes of this type can be.
struct ByteRange {
  float lowest;
  float highest;
};
ByteRange byte_range(OperandType type);

// The constant inputs of the operation.
std::vector<int32_t> pixel_integers(const PixelConversion& conversion);
std::vector<float> pixel_reals(const PixelConversion& conversion);

// Decodes CONVERT_PIXELS, whose shapes and constants are known. BAD_DATA when the constants are no parameters of sides with so
// many elements.
Result<PixelConversion> pixel_conversion(const OperationView& operation);

// The row of the operation.
const OperationDefinition& convert_pixels_operation();

}  // namespace nnvk
