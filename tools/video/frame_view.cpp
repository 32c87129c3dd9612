#include "tools/video/frame_view.h"

#include <algorithm>
#include <cmath>

namespace nnvk::tools::video {
namespace {

constexpr float kMost = 255;
constexpr float kMiddle = 128;
constexpr size_t kRed = 0;
constexpr size_t kGreen = 1;
constexpr size_t kBlue = 2;
constexpr size_t kAlpha = 3;
constexpr size_t kLuma = 0;
constexpr size_t kCb = 1;

// The weights of red and blue in luma; green has the rest.
struct LumaWeights {
  float red;
  float blue;
};

LumaWeights luma_weights(int32_t matrix) {
  if (matrix == NNVK_PICTURE_BT709) return {0.2126F, 0.0722F};
  if (matrix == NNVK_PICTURE_BT2020) return {0.2627F, 0.0593F};
  return {0.299F, 0.114F};
}

// The range of the numbers of luma and chroma.
struct Spans {
  float luma;
  float chroma;
  float black;
};

Spans spans(int32_t range) { return range == NNVK_PICTURE_FULL_RANGE ? Spans{kMost, kMost, 0} : Spans{219, 224, 16}; }

uint8_t rounded(float value) { return static_cast<uint8_t>(std::clamp(value + 0.5F, 0.0F, kMost)); }

// The samples of a larger component that a sample of a smaller one covers.
struct Block {
  uint32_t first;
  uint32_t end;
};

Block block_of(uint32_t at, uint32_t count, uint32_t larger) {
  const uint32_t step = samples_of(larger, count);
  return {std::min(at * step, larger - 1), std::min((at + 1) * step, larger)};
}

// The opaque part of the pixels of a sample, and their colour.
struct Cover {
  float alpha = 0;  // 0 to 1
  std::array<float, 3> colour{};
};

Cover cover_of(const Picture& picture, const Block& columns, const Block& rows) {
  Cover cover;
  for (size_t y = rows.first; y < rows.end; ++y) {
    for (size_t x = columns.first; x < columns.end; ++x) {
      const float* pixel = picture.values.data() + (y * picture.width + x) * picture.channels;
      const float alpha = picture.channels > kAlpha ? pixel[kAlpha] / kMost : 1;
      cover.alpha += alpha;
      for (const size_t c : {kRed, kGreen, kBlue}) cover.colour[c] += pixel[picture.channels == 1 ? 0 : c] * alpha;
    }
  }
  if (cover.alpha <= 0) return cover;
  for (float& colour : cover.colour) colour /= cover.alpha;
  cover.alpha /= static_cast<float>((columns.end - columns.first) * (rows.end - rows.first));
  return cover;
}

float mixed(const Mixture& mixture, const std::array<float, 3>& colour) {
  float value = mixture.offset;
  for (size_t c = 0; c < colour.size(); ++c) value += mixture.weights[c] * colour[c];
  return value;
}

}  // namespace

Mixture luma_or_chroma(const Colours& colours, size_t index) {
  const auto [red, blue] = luma_weights(colours.matrix);
  const std::array<float, 3> luma = {red, 1 - red - blue, blue};
  const auto [luma_span, chroma_span, black] = spans(colours.range);
  Mixture mixture;
  if (index == kLuma) {
    for (size_t c = 0; c < luma.size(); ++c) mixture.weights[c] = luma[c] * luma_span / kMost;
    mixture.offset = black;
    return mixture;
  }
  const size_t own = index == kCb ? kBlue : kRed;
  for (size_t c = 0; c < luma.size(); ++c) {
    const float difference = (c == own ? 1.0F : 0.0F) - luma[c];
    mixture.weights[c] = difference / (2 * (1 - luma[own])) * chroma_span / kMost;
  }
  mixture.offset = kMiddle;
  return mixture;
}

Mixture red_green_or_blue(size_t index) {
  Mixture mixture;
  mixture.weights[index] = 1;
  return mixture;
}

void lay_over(const FrameView& frame, const Picture& picture) {
  for (size_t c = 0; c < frame.count; ++c) {
    const Component& to = frame.all[c];
    const Mixture mixture = frame.is_yuv ? luma_or_chroma(frame.colours, c) : red_green_or_blue(c);
    for (uint32_t y = 0; y < to.height; ++y) {
      const Block rows = block_of(y, to.height, picture.height);
      for (uint32_t x = 0; x < to.width; ++x) {
        const Cover cover = cover_of(picture, block_of(x, to.width, picture.width), rows);
        if (cover.alpha <= 0) continue;
        uint8_t& sample = to.at(x, y);
        sample = rounded(static_cast<float>(sample) * (1 - cover.alpha) + mixed(mixture, cover.colour) * cover.alpha);
      }
    }
  }
}

Picture picture_of(const FrameView& frame) {
  constexpr uint32_t kChannels = 3;
  Picture picture{.width = frame.width, .height = frame.height, .channels = kChannels, .values = {}};
  picture.values.reserve(size_t{frame.width} * frame.height * kChannels);
  const auto [red, blue] = luma_weights(frame.colours.matrix);
  const auto [luma_span, chroma_span, black] = spans(frame.colours.range);
  for (uint32_t y = 0; y < frame.height; ++y) {
    for (uint32_t x = 0; x < frame.width; ++x) {
      const auto sample = [&](size_t c) {
        if (c >= frame.count) return kMiddle;
        const Component& component = frame.all[c];
        return static_cast<float>(
            component.at(x / samples_of(frame.width, component.width), y / samples_of(frame.height, component.height)));
      };
      std::array<float, kChannels> rgb = {sample(kRed), sample(kGreen), sample(kBlue)};
      if (frame.is_yuv) {
        const float luma = (rgb[0] - black) * kMost / luma_span;
        const float cb = (rgb[1] - kMiddle) * kMost / chroma_span;
        const float cr = (rgb[2] - kMiddle) * kMost / chroma_span;
        rgb[kRed] = luma + 2 * (1 - red) * cr;
        rgb[kBlue] = luma + 2 * (1 - blue) * cb;
        rgb[kGreen] = (luma - red * rgb[kRed] - blue * rgb[kBlue]) / (1 - red - blue);
      }
      for (const float value : rgb) picture.values.push_back(std::clamp(value, 0.0F, kMost));
    }
  }
  return picture;
}

void copy(const FrameView& from, const FrameView& to) {
  for (size_t c = 0; c < to.count; ++c) {
    const Component& source = from.all[c];
    const Component& target = to.all[c];
    for (uint32_t y = 0; y < target.height; ++y) {
      const Block rows = block_of(y, target.height, source.height);
      for (uint32_t x = 0; x < target.width; ++x) {
        const Block columns = block_of(x, target.width, source.width);
        uint32_t sum = 0;
        for (uint32_t row = rows.first; row < rows.end; ++row) {
          for (uint32_t column = columns.first; column < columns.end; ++column) sum += source.at(column, row);
        }
        const uint32_t count = (columns.end - columns.first) * (rows.end - rows.first);
        target.at(x, y) = static_cast<uint8_t>((sum + count / 2) / count);
      }
    }
  }
}

}  // namespace nnvk::tools::video
