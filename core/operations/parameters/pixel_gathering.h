// Makes an image tensor of the pixels of several images, each with some of its channels, and resizes images of other sizes. No
// model contains GATHER_PIXELS: the Vulkan device runs it before a model if a client has bound such images to an input
// (nnvk/vulkan_interop.h). CPU and GPU read the same table, so that both do the same float32 arithmetic in the same order.
#pragma once

#include <span>
#include <vector>

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/picture_taps.h"
#include "core/operations/parameters/pixel_conversion.h"

namespace nnvk {

// A code that clients cannot pass, like kPictureToTensor.
inline constexpr OperationCode kGatherPixels{20002};

// kPixels: the bytes of all images (TENSOR_QUANT8_ASYMM of one dimension). kTable: gathering_table(). kIsPlanar: a constant BOOL,
// true for a tensor [1, channels, height, width], false for [1, height, width, channels].
namespace gather_pixels {
enum Input : size_t { kPixels, kTable, kIsPlanar };
enum Output : size_t { kTensor };
}  // namespace gather_pixels

// How a component of a pixel is stored. Packed ones need the pixel's word, all others the bytes of the component.
enum class ComponentEncoding : uint32_t { kByte = 0, kHalf = 1, kFloat = 2, kFloats11And10 = 3, kIntegers10And2 = 4 };

// One image in the buffer: rows of pixels without gaps.
struct GatheredImage {
  uint32_t offset = 0;  // bytes, of the first pixel
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t pixel_bytes = 0;
  ComponentEncoding encoding = ComponentEncoding::kByte;
  PictureFilter filter = PictureFilter::kNearest;  // an image with the tensor's size is the same with every filter
};

// One channel of the tensor: stored number = component * factor + offset, each operation rounded to float32. Bytes store
// clamp(floor(value + 0.5), lowest, highest); NaN is lowest.
struct GatheredChannel {
  uint32_t image = 0;  // its index
  uint32_t component = 0;
  float factor = 1;
  float offset = 0;
};

// The words of the table. It begins with the channels; the taps follow. For each pixel of the tensor and each channel:
//   Component  lerp(lerp(v00, v01, column.weight), lerp(v10, v11, column.weight), row.weight), as in PictureArithmetic. Nearest:
//   v00.
//              Area: the mean by `row` of the means by `column`, as there.
namespace gathering_words {
// Of a channel:
enum Channel : uint32_t { kEncoding, kFilter, kComponent, kFirstByte, kRows, kColumns, kFactor, kOffset, kChannelWords };
// Of a tap. kRows and kColumns are the numbers of the first words of taps.
enum Tap : uint32_t { kLow, kHigh, kWeight, kLowWeight, kScale, kStride, kTapWords };
}  // namespace gathering_words

// Makes the table for a tensor of `height` rows and `width` columns.
std::vector<uint32_t> gathering_table(std::span<const GatheredImage> images, std::span<const GatheredChannel> channels,
                                      uint32_t height, uint32_t width);
// Returns the number of words of such a table.
uint64_t gathering_table_words(size_t images, size_t channels, uint64_t height, uint64_t width);

}  // namespace nnvk
