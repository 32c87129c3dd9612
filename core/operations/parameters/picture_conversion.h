// Defines how the pixels of a picture become the elements of an image tensor. No model contains PICTURE_TO_TENSOR: the runtime
// runs it before a model if a client has bound a picture to an input. CPU and GPU use the numbers of this file, so that both do
// the same float32 arithmetic in the same order.
#pragma once

#include <array>

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/picture_taps.h"

namespace nnvk {

// A code that clients cannot pass, because addOperation accepts only built-in codes and those of extensions.
inline constexpr OperationCode kPictureToTensor{20000};

// Inputs: the bytes of the picture (TENSOR_QUANT8_ASYMM of one dimension) and the constants that picture_integers() and
// picture_reals() make. The shape of the output must be known. If the tensor is a batch of crops, it has a fourth input, which
// crop_taps() makes: crops may change from execution to execution.
namespace picture_to_tensor {
enum Input : size_t { kPicture, kIntegers, kReals, kTaps };
enum Output : size_t { kTensor };
}  // namespace picture_to_tensor

enum class PictureFormat : int32_t {
  kRgba = 0,    // four bytes R, G, B, A
  kRgbx = 1,    // four bytes, the last is ignored
  kRgb = 2,     // three bytes
  kYuv420 = 3,  // planes Y, Cb, Cr; one chroma sample per two by two pixels, in their middle
  kBgra = 4,    // four bytes B, G, R, A
  kBgrx = 5,
  kYuv420Ten = 6,  // as kYuv420, samples of ten bits at the top of two bytes, the lower byte first: P010
  kYuv422 = 7,     // as kYuv420 with one chroma sample per two by one pixels: NV16, and YUYV, whose "planes" are interleaved
  kYuv422Ten = 8,  // P210
  kGrey = 9,       // one byte, which is red, green and blue
};

struct PictureFormatFacts {
  uint32_t sample_bytes;  // of a pixel; of a sample of a plane
  uint32_t chroma_width;  // pixels per chroma sample; 0: not YUV
  uint32_t chroma_height;
  bool has_alpha;
  bool is_blue_first;
  bool has_ten_bits;

  bool is_yuv() const { return chroma_width != 0; }
  bool is_grey() const { return !is_yuv() && sample_bytes == 1; }
  uint32_t planes() const { return is_yuv() ? 3 : 1; }
  // Returns how many pixels share one sample of this plane.
  uint32_t coverage_width(size_t plane) const { return plane == 0 ? 1 : chroma_width; }
  uint32_t coverage_height(size_t plane) const { return plane == 0 ? 1 : chroma_height; }
};
// Returns the facts of a format, which must be one of the enumerators.
const PictureFormatFacts& facts_of(PictureFormat format);

struct PictureDescription {
  PictureFormat format = PictureFormat::kRgba;
  uint32_t width = 0;  // pixels, both at least 1
  uint32_t height = 0;
};

struct PicturePlane {
  uint32_t offset = 0;  // bytes, of the first sample
  uint32_t pixel_stride = 0;
  uint32_t row_stride = 0;
};

struct PictureLayout {
  PictureDescription picture;
  std::array<PicturePlane, 3> planes;  // YUV: Y, Cb, Cr; else one
};

enum class ChannelOrder : int32_t { kRgb = 0, kBgr = 1 };
enum class ColourMatrix : int32_t { kBt601 = 0, kBt709 = 1, kBt2020 = 2 };
enum class ColourRange : int32_t { kLimited = 0, kFull = 1 };

// The conversion that a client requests, from an nnvk_PictureConversion, which explains the defaults.
struct PictureConversion {
  struct Crop {
    float left = 0, top = 0, width = 0, height = 0;  // pixels; all 0: the whole picture
  } crop;
  std::vector<Crop> crops;  // one for each element of the tensor's batch; none: a batch of one, of `crop`
  PictureFilter filter = PictureFilter::kBilinear;
  ChannelOrder order = ChannelOrder::kRgb;
  ColourMatrix matrix = ColourMatrix::kBt601;
  ColourRange range = ColourRange::kLimited;
  bool nchw = false;
  int32_t rotation = 0;                                   // degrees clockwise: 0, 90, 180 or 270
  bool mirrored = false;                                  // before the rotation
  std::array<float, 4> mean = {0, 0, 0, 0};               // per channel of the tensor, in steps of 0 to 255
  std::array<float, 4> deviation = {255, 255, 255, 255};  // real value = (channel - mean) / deviation
};

// Returns BAD_DATA unless `value` is one of the enumerators from 0 to `last`; `what` names it.
template <class Choice, class Last>
Status check_choice(Choice value, Last last, const char* what) {
  const auto number = static_cast<int32_t>(value);
  const auto greatest = static_cast<int32_t>(last);
  if (number >= 0 && number <= greatest) return {};
  return fail(Code::kBadData,
              std::string(what) + " is " + std::to_string(number) + "; it is one of 0 to " + std::to_string(greatest));
}

// Returns BAD_DATA if a number of the conversion is out of range for every picture.
Status check_conversion(const PictureConversion& conversion);
// Returns BAD_DATA if the conversion does not fit this picture or the tensor. The tensor must be [batch, height, width, channels]
// (NCHW: [batch, channels, height, width]), with one, three or four channels and one of the four types.
Status check_conversion(const PictureConversion& conversion, const PictureDescription& picture, const OperandInfo& tensor);

// These functions make the constant inputs of the operation.
std::vector<int32_t> picture_integers(const PictureLayout& layout, const PictureConversion& conversion);
std::vector<float> picture_reals(const PictureConversion& conversion);

// The taps of one element of a batch.
struct PictureTaps {
  std::vector<PictureTap> rows, columns;                // of the RGB plane or the Y plane
  std::vector<PictureTap> chroma_rows, chroma_columns;  // YUV only
};

// Everything that a kernel needs. For each pixel of the tensor:
//   Sample  lerp(lerp(v00, v01, column.weight), lerp(v10, v11, column.weight), row.weight), lerp(a, b, w) = a + (b - a) * w.
//   Area    the mean by `row` of the means by `column`. A mean is scale * sum; the sum begins with 0 and adds each sample,
//           multiplied by its weight, from `low` to `high` in steps of `stride`.
//   RGB     s = the bytes at 0, 1, 2 from the taps; alpha at 3 bytes, 255 if the format has none. The matrix handles blue first.
//   Grey    s = the byte, three times; alpha 255.
//   YUV     s = Y at rows and columns, Cb at chroma_rows and chroma_columns, Cr cr_offset bytes behind it; alpha 255.
//   Ten bits: v of a sample is (low byte | high byte << 8) >> 6, then v / 4: exact, and in steps of 0 to 255 like the others.
//   Colour  `c[i] = clamp((m[3i] * d[0] + m[3i+1] * d[1]) + m[3i+2] * d[2], 0, 255)`, d = s - offset, for i < 3; c[3] = alpha.
//   Value   (c[i] - mean[i]) * factor[i]; quantized types store clamp(floor((value + zero_point) + 0.5), lowest, highest).
// Every operation is rounded to float32.
struct PictureArithmetic {
  PictureTaps taps;        // none for a batch of crops, whose taps are an input
  bool has_crops = false;  // a batch of crops
  bool has_quads = false;  // every tap is a multiple of 4 bytes
  PictureFormat format = PictureFormat::kRgba;
  int32_t cr_offset = 0;
  uint32_t channels = 0;
  bool nchw = false;
  PictureFilter filter = PictureFilter::kBilinear;  // kNearest: all weights are 0. kArea: the tensor has fewer rows or columns
  std::array<float, 9> matrix{};
  std::array<float, 3> offset{};
  std::array<float, 4> mean{};
  std::array<float, 4> factor{};
  float zero_point = 0;
  float lowest = 0;
  float highest = 0;

  const PictureFormatFacts& facts() const { return facts_of(format); }
};

// Returns the words in which kernels read taps, in the order of PictureTaps' members: low, high, weight. With the filter kArea
// also: low_weight, scale, stride.
std::vector<uint32_t> tap_words(const PictureTaps& taps, PictureFilter filter);
// Reads what tap_words() writes, for a tensor of `height` rows and `width` columns.
PictureTaps taps_from(std::span<const int32_t> words, const PictureArithmetic& arithmetic, uint32_t height, uint32_t width);
// Returns the number of words of one element of a batch.
uint64_t tap_word_count(PictureFormat format, PictureFilter filter, uint64_t height, uint64_t width);

// Makes the input kTaps for a conversion with crops that has passed check_conversion().
std::vector<uint32_t> crop_taps(const PictureLayout& layout, const PictureConversion& conversion, const OperandInfo& tensor);

// Decodes PICTURE_TO_TENSOR with known shapes and constants. BAD_DATA unless the constants fit the picture and the tensor.
Result<PictureArithmetic> picture_arithmetic(const OperationView& operation);

}  // namespace nnvk
