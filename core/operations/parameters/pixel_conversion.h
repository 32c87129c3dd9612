// Converts pixels of images on a device to elements of image tensors, and back. No model contains CONVERT_PIXELS: the Vulkan
// device runs it before and after a model if a client has bound images to inputs or outputs (nnvk/vulkan_interop.h). CPU and GPU
// use the numbers of this file, so that both do the same float32 arithmetic in the same order.
#pragma once

#include <array>

#include "core/operations/operation_definition.h"

namespace nnvk {

// A code that clients cannot pass, like kPictureToTensor.
inline constexpr OperationCode kConvertPixels{20001};

// kFrom and kTo are the two sides of the conversion, as elements of tensors of any shape: FLOAT32, FLOAT16, QUANT8_ASYMM or
// QUANT8_ASYMM_SIGNED, whose scales and zero points do not matter. A side of packed pixels is TENSOR_INT32, one word per pixel.
// pixel_integers() and pixel_reals() make the other inputs.
namespace convert_pixels {
enum Input : size_t { kFrom, kIntegers, kReals };
enum Output : size_t { kTo };
}  // namespace convert_pixels

// How a word of 32 bits holds the channels of a pixel, channel 0 in its lowest bits.
enum class PixelPacking : uint32_t {
  kNone = 0,
  kFloats11And10 = 1,   // three floats without sign: 11, 11 and 10 bits, of which 5 are the exponent
  kIntegers10And2 = 2,  // whole numbers: 10, 10, 10 and 2 bits
};

// Returns channel `channel` of a packed pixel; `packing` is not kNone.
float unpacked(PixelPacking packing, uint32_t word, uint32_t channel);
// Returns the pixel of these values. Floats are rounded to the nearest (ties to even): below 0 is 0, beyond the largest finite
// value is that value, infinity and NaN stay what they are. Whole numbers are clamp(floor(value + 0.5), 0, largest), NaN is 0.
uint32_t packed(PixelPacking packing, const std::array<float, 4>& values);

// For each pixel and each channel c of `to`, with every operation rounded to float32:
//   value  from[source[c]] * factor[c] + offset[c]. Only offset[c] if source[c] is kNoSource.
// Bytes store clamp(floor(value + 0.5), lowest, highest); NaN is lowest.
struct PixelConversion {
  static constexpr uint32_t kMostChannels = 4;
  static constexpr uint32_t kNoSource = kMostChannels;

  struct Side {
    uint32_t channels = 0;   // 1 to 4
    bool is_planar = false;  // all pixels of a channel together; else all channels of a pixel
  };
  uint32_t pixels = 0;
  PixelPacking packing = PixelPacking::kNone;  // of the side that is TENSOR_INT32
  Side from;
  Side to;
  std::array<uint32_t, kMostChannels> source{};
  std::array<float, kMostChannels> factor{};
  std::array<float, kMostChannels> offset{};

  // Returns the index of the element of a side that holds channel `channel` of a pixel.
  uint64_t element(const Side& side, uint64_t pixel, uint64_t channel) const {
    return side.is_planar ? channel * pixels + pixel : pixel * side.channels + channel;
  }
};

struct ByteRange {
  float lowest;
  float highest;
};
ByteRange byte_range(OperandType type);

// These functions make the constant inputs of the operation.
std::vector<int32_t> pixel_integers(const PixelConversion& conversion);
std::vector<float> pixel_reals(const PixelConversion& conversion);

// Decodes CONVERT_PIXELS with known shapes and constants. BAD_DATA unless the constants describe sides with this many elements.
Result<PixelConversion> pixel_conversion(const OperationView& operation);

}  // namespace nnvk
