// Writes the table of GATHER_PIXELS.
#include "core/operations/parameters/pixel_gathering.h"

#include <bit>

namespace nnvk {
namespace {

using namespace gathering_words;

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

void add(std::vector<uint32_t>& words, const std::vector<PictureTap>& taps) {
  for (const PictureTap& tap : taps) {
    words.insert(words.end(), {tap.low, tap.high, bits(tap.weight), bits(tap.low_weight), bits(tap.scale), tap.stride});
  }
}

bool is_packed(ComponentEncoding encoding) {
  return encoding == ComponentEncoding::kFloats11And10 || encoding == ComponentEncoding::kIntegers10And2;
}

uint32_t component_bytes(ComponentEncoding encoding) {
  return encoding == ComponentEncoding::kByte ? 1 : encoding == ComponentEncoding::kHalf ? 2 : 4;
}

// Returns the filter that kernels use: kArea is kBilinear for an image that does not shrink.
PictureFilter used_filter(const GatheredImage& image, uint32_t height, uint32_t width) {
  if (image.height == height && image.width == width) return PictureFilter::kNearest;
  const bool shrinks = image.height > height || image.width > width;
  return image.filter == PictureFilter::kArea && !shrinks ? PictureFilter::kBilinear : image.filter;
}

}  // namespace

std::vector<uint32_t> gathering_table(std::span<const GatheredImage> images, std::span<const GatheredChannel> channels,
                                      uint32_t height, uint32_t width) {
  std::vector<uint32_t> words;
  words.reserve(gathering_table_words(images.size(), channels.size(), height, width));
  for (const GatheredChannel& channel : channels) {
    const GatheredImage& image = images[channel.image];
    const uint32_t rows = static_cast<uint32_t>(channels.size()) * kChannelWords + channel.image * (height + width) * kTapWords;
    const uint32_t first_byte = is_packed(image.encoding) ? 0 : channel.component * component_bytes(image.encoding);
    words.insert(words.end(),
                 {static_cast<uint32_t>(image.encoding), static_cast<uint32_t>(used_filter(image, height, width)),
                  channel.component, first_byte, rows, rows + height * kTapWords, bits(channel.factor), bits(channel.offset)});
  }
  for (const GatheredImage& image : images) {
    const PictureFilter filter = used_filter(image, height, width);
    const uint32_t row_bytes = image.width * image.pixel_bytes;
    add(words, taps_of({image.height, 1, image.offset, row_bytes}, {0, double(image.height)}, height, filter));
    add(words, taps_of({image.width, 1, 0, image.pixel_bytes}, {0, double(image.width)}, width, filter));
  }
  return words;
}

uint64_t gathering_table_words(size_t images, size_t channels, uint64_t height, uint64_t width) {
  return channels * kChannelWords + images * (height + width) * kTapWords;
}

}  // namespace nnvk
