#include "tools/image/picture_shape.h"

#include <algorithm>

namespace nnvk::tools {
namespace {

bool are_channels(uint32_t count) { return count == 1 || count == 3 || count == 4; }

// Returns where a tensor holds value `channel` of a pixel.
size_t place_of(const PictureShape& shape, size_t pixel, size_t channel) {
  return shape.channels_first ? channel * shape.height * shape.width + pixel : pixel * shape.channels + channel;
}

}  // namespace

std::optional<PictureShape> picture_shape(std::span<const uint32_t> dimensions, std::optional<bool> channels_first) {
  std::vector<uint32_t> d(dimensions.begin(), dimensions.end());
  if (std::ranges::find(d, 0U) != d.end()) return std::nullopt;
  constexpr uint32_t kLeast = 8;  // [1, 64] is a list of values rather than a picture
  if (d.size() == 2) {
    if (d[0] < kLeast || d[1] < kLeast) return std::nullopt;
    d = {1, d[0], d[1], 1};
  }
  if (d.size() == 3) {
    const bool last = are_channels(d[2]) && !channels_first.value_or(false);
    const bool first = !last && (channels_first.value_or(d[0] == 3));
    if (last || first) {
      d.insert(d.begin(), 1);
    } else {
      d.push_back(1);  // grey pictures
    }
  }
  if (d.size() != 4) return std::nullopt;
  const bool is_first = channels_first.value_or(!are_channels(d[3]));
  const PictureShape shape = is_first ? PictureShape{d[0], d[2], d[3], d[1], true} : PictureShape{d[0], d[1], d[2], d[3], false};
  if (!are_channels(shape.channels)) return std::nullopt;
  return shape;
}

Picture picture_of(std::span<const float> values, const PictureShape& shape, const Normalisation& normalisation) {
  Picture picture{.width = shape.width, .height = shape.height, .channels = shape.channels, .values = {}};
  for (size_t i = 0; i < shape.values(); ++i) {
    const double value = values[place_of(shape, i / shape.channels, i % shape.channels)];
    picture.values.push_back(static_cast<float>(value * normalisation.deviation + normalisation.mean));
  }
  return picture;
}

}  // namespace nnvk::tools
