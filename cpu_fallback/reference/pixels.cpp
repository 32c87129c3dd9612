// CONVERT_PIXELS, pixels to an image tensor and back, and GATHER_PIXELS, several images to one tensor. pixel_conversion.h and
// pixel_gathering.h in core/operations/parameters define the arithmetic.
#include <bit>
#include <cmath>
#include <cstring>

#include "core/operations/parameters/pixel_conversion.h"
#include "core/operations/parameters/pixel_gathering.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/picture_sampling.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Rounds to a byte, half up; NaN gives the lowest byte.
float rounded(float value, ByteRange range) {
  const float nearest = std::floor(value + 0.5F);
  return nearest >= range.lowest ? std::min(nearest, range.highest) : range.lowest;
}

// Returns a channel of a pixel of the side `from`.
template <class T>
float channel_of(const PixelConversion& conversion, std::span<const T> from, uint32_t pixel, uint32_t channel) {
  if constexpr (std::is_same_v<T, int32_t>) {
    return unpacked(conversion.packing, static_cast<uint32_t>(from[pixel]), channel);
  } else {
    return static_cast<float>(from[conversion.element(conversion.from, pixel, channel)]);
  }
}

Status convert_pixels(KernelContext& context) {
  NNVK_ASSIGN(const PixelConversion conversion, pixel_conversion(context.operation));
  const ByteRange range = byte_range(context.outputs[convert_pixels::kTo].info.type);
  with_input(context, convert_pixels::kFrom, [&](auto from) {
    with_output(context, convert_pixels::kTo, [&](auto to) {
      using T = typename decltype(to)::value_type;
      for (uint32_t pixel = 0; pixel < conversion.pixels; ++pixel) {
        std::array<float, PixelConversion::kMostChannels> values{};
        for (uint32_t c = 0; c < conversion.to.channels; ++c) {
          const uint32_t source = conversion.source[c];
          values[c] = source == PixelConversion::kNoSource
                          ? conversion.offset[c]
                          : channel_of(conversion, from, pixel, source) * conversion.factor[c] + conversion.offset[c];
          if constexpr (!std::is_same_v<T, int32_t>) {
            to[conversion.element(conversion.to, pixel, c)] =
                static_cast<T>(std::is_same_v<T, float> ? values[c] : rounded(values[c], range));
          }
        }
        if constexpr (std::is_same_v<T, int32_t>) to[pixel] = static_cast<T>(packed(conversion.packing, values));
      }
    });
  });
  return {};
}

// The table of GATHER_PIXELS.
class GatheringTable {
 public:
  explicit GatheringTable(std::span<const int32_t> words) : words_(words) {}

  uint32_t word(uint32_t channel, gathering_words::Channel which) const {
    return at(channel * gathering_words::kChannelWords + which);
  }
  float real(uint32_t channel, gathering_words::Channel which) const { return std::bit_cast<float>(word(channel, which)); }
  // Returns tap `index` of those that begin at a word.
  PictureTap tap(uint32_t first, uint32_t index) const {
    using namespace gathering_words;
    const uint32_t begin = first + index * kTapWords;
    const auto number = [&](Tap which) { return std::bit_cast<float>(at(begin + which)); };
    return {at(begin + kLow), at(begin + kHigh), number(kWeight), number(kLowWeight), number(kScale), at(begin + kStride)};
  }

 private:
  uint32_t at(size_t word) const { return static_cast<uint32_t>(words_[word]); }
  const std::span<const int32_t> words_;
};

template <class T>
T read_at(std::span<const uint8_t> bytes, size_t at) {
  T value;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

float component_at(std::span<const uint8_t> pixels, size_t at, ComponentEncoding encoding, uint32_t component) {
  switch (encoding) {
    case ComponentEncoding::kByte:
      return static_cast<float>(pixels[at]);
    case ComponentEncoding::kHalf:
      return half_to_float(read_at<uint16_t>(pixels, at));
    case ComponentEncoding::kFloat:
      return read_at<float>(pixels, at);
    case ComponentEncoding::kFloats11And10:
      return unpacked(PixelPacking::kFloats11And10, read_at<uint32_t>(pixels, at), component);
    case ComponentEncoding::kIntegers10And2:
      break;
  }
  return unpacked(PixelPacking::kIntegers10And2, read_at<uint32_t>(pixels, at), component);
}

Status gather_pixels(KernelContext& context) {
  using namespace gathering_words;
  const auto pixels = context.input<uint8_t>(gather_pixels::kPixels);
  const GatheringTable table(context.input<int32_t>(gather_pixels::kTable));
  const bool is_planar = context.operation.scalar<uint8_t>(gather_pixels::kIsPlanar).value_or(0) != 0;
  const OperandInfo& tensor = context.outputs[gather_pixels::kTensor].info;
  const ImageLayout to = image_layout(tensor.shape, is_planar);
  with_output(context, gather_pixels::kTensor, [&](auto out) {
    using T = typename decltype(out)::value_type;
    for_each_pixel(to, [&](uint32_t n, uint32_t y, uint32_t x) {
      for (uint32_t c = 0; c < to.channels; ++c) {
        const auto encoding = static_cast<ComponentEncoding>(table.word(c, kEncoding));
        const float component = filtered(static_cast<PictureFilter>(table.word(c, kFilter)), table.tap(table.word(c, kRows), y),
                                         table.tap(table.word(c, kColumns), x), [&](uint32_t down, uint32_t across) {
                                           return component_at(pixels, size_t{down} + across + table.word(c, kFirstByte),
                                                               encoding, table.word(c, kComponent));
                                         });
        const float value = component * table.real(c, kFactor) + table.real(c, kOffset);
        out[to.element(to.pixel(n, y, x), c)] =
            static_cast<T>(std::is_same_v<T, float> ? value : rounded(value, byte_range(tensor.type)));
      }
    });
  });
  return {};
}

constexpr KernelRow kRows[] = {{kConvertPixels, convert_pixels}, {kGatherPixels, gather_pixels}};

}  // namespace

std::span<const KernelRow> pixels_kernels() { return kRows; }

}  // namespace nnvk::cpu
