// Which tensors hold pictures, and how: the batch, height, width, channels and their order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/image/picture.h"

namespace nnvk::tools {

// A tensor [batch, height, width, channels], or [batch, channels, height, width] if `channels_first`.
struct PictureShape {
  uint32_t batch = 1;
  uint32_t height = 0;
  uint32_t width = 0;
  uint32_t channels = 1;
  bool channels_first = false;

  size_t values() const { return size_t{height} * width * channels; }  // of one picture
};

// Returns how a tensor of these dimensions holds pictures of 1, 3 or 4 channels: four dimensions; three, without the batch or
// without the channel; or two. Without `channels_first`, the last dimension holds the channels if it can, else the first one
// behind the batch. The result is empty for other tensors.
std::optional<PictureShape> picture_shape(std::span<const uint32_t> dimensions,
                                          std::optional<bool> channels_first = std::nullopt);

// Returns the bytes that a picture of 1, 3 or 4 channels takes in a tensor of type `info`. nnvk/picture.h converts and resizes
// it, by NNVK_PICTURE_AREA. `normalisations`: one for all channels, one per channel, or none: then float tensors get values from
// -1 to 1, and 8-bit tensors the pixels (signed: minus 128).
Result<std::vector<uint8_t>> picture_bytes(const Picture& picture, const PictureShape& shape, const OperandInfo& info,
                                           std::span<const Normalisation> normalisations);

// Does the opposite for an output: returns the picture that the values hold. `normalisation` gave the input its values.
Picture picture_of(std::span<const float> values, const PictureShape& shape, const Normalisation& normalisation);

// Two pictures show the same with `to` and `from` rows (or columns). Returns the row of the second one that is nearest to row
// `at` of the first one.
constexpr size_t nearest_place(size_t at, size_t to, size_t from) { return (2 * at + 1) * from / (2 * to); }

}  // namespace nnvk::tools
