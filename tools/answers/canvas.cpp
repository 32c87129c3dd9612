#include "tools/answers/canvas.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tools/answers/font.h"

namespace nnvk::tools::answers {
namespace {

constexpr uint32_t kSmall = 256;          // smaller pictures are enlarged
constexpr int kPixelsPerTextScale = 250;  // of the longer side
constexpr int kPixelsPerStroke = 250;
constexpr float kTint = 0.55F;  // the part of the colour

// Returns the picture in red, green, blue and perhaps alpha, with every pixel repeated `factor` times in both directions.
Picture enlarged(const Picture& from, uint32_t factor) {
  Picture to{.width = from.width * factor, .height = from.height * factor, .channels = std::max(3U, from.channels), .values = {}};
  to.values.reserve(size_t{to.width} * to.height * to.channels);
  for (size_t y = 0; y < to.height; ++y) {
    for (size_t x = 0; x < to.width; ++x) {
      const size_t pixel = (y / factor * from.width + x / factor) * from.channels;
      for (size_t c = 0; c < to.channels; ++c) to.values.push_back(from.values[pixel + (from.channels < 3 ? 0 : c)]);
    }
  }
  return to;
}

bool is_bright(const Colour& colour) {
  constexpr float kMiddle = 140;
  return 0.299F * colour[0] + 0.587F * colour[1] + 0.114F * colour[2] > kMiddle;
}

}  // namespace

Colour colour_of(size_t number) {
  // Steps of the golden section around the circle of hues come near to each other late; every third colour is darker.
  constexpr double kGoldenSection = 0.61803398875;
  constexpr double kSaturation = 0.8;
  const double hue = std::fmod(static_cast<double>(number) * kGoldenSection, 1.0) * 6;
  const double brightness = number % 3 == 2 ? 190 : 255;
  const auto channel = [&](double shift) {
    const double place = std::fmod(hue + shift, 6.0);
    const double part = std::clamp(std::abs(place - 3) - 1, 0.0, 1.0);
    return static_cast<float>(brightness * (1 - kSaturation * (1 - part)));
  };
  return {channel(0), channel(4), channel(2)};
}

Canvas::Canvas(const Picture& picture) {
  const uint32_t longer = std::max(picture.width, picture.height);
  picture_ = enlarged(picture, longer >= kSmall ? 1 : (kSmall + longer - 1) / longer);
  const int side = std::max(width(), height());
  stroke_ = std::max(2, (side + kPixelsPerStroke / 2) / kPixelsPerStroke);
  text_scale_ = std::max(1, (side + kPixelsPerTextScale / 2) / kPixelsPerTextScale);
}

int Canvas::text_height() const { return (kGlyphHeight + 2) * text_scale_; }

int Canvas::text_width(std::string_view text) const {
  return (static_cast<int>(text.size()) * (kGlyphWidth + 1) + 1) * text_scale_;
}

void Canvas::put(int x, int y, const Colour& colour) {
  if (x < 0 || y < 0 || x >= width() || y >= height()) return;
  float* const pixel =
      picture_.values.data() + (static_cast<size_t>(y) * picture_.width + static_cast<size_t>(x)) * picture_.channels;
  std::ranges::copy(colour, pixel);
  if (picture_.channels == 4) pixel[3] = 255;
}

void Canvas::fill(int left, int top, int right, int bottom, const Colour& colour) {
  for (int y = std::max(top, 0); y < std::min(bottom, height()); ++y) {
    for (int x = std::max(left, 0); x < std::min(right, width()); ++x) put(x, y, colour);
  }
}

void Canvas::frame(int left, int top, int right, int bottom, const Colour& colour) {
  fill(left, top, right, top + stroke_, colour);
  fill(left, bottom - stroke_, right, bottom, colour);
  fill(left, top, left + stroke_, bottom, colour);
  fill(right - stroke_, top, right, bottom, colour);
}

void Canvas::disc(int x, int y, int radius, const Colour& colour) {
  const int most = radius * radius + radius;  // rounder than radius * radius
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) {
      if (dx * dx + dy * dy <= most) put(x + dx, y + dy, colour);
    }
  }
}

void Canvas::line(int x0, int y0, int x1, int y1, const Colour& colour) {
  const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
  for (int i = 0; i <= steps; ++i) {
    const auto between = [&](int from, int to) {
      return static_cast<int>(std::lround(from + static_cast<double>(to - from) * i / steps));
    };
    disc(between(x0, x1), between(y0, y1), stroke_ / 2, colour);
  }
}

void Canvas::tint(int x, int y, const Colour& colour) {
  if (x < 0 || y < 0 || x >= width() || y >= height()) return;
  float* const pixel =
      picture_.values.data() + (static_cast<size_t>(y) * picture_.width + static_cast<size_t>(x)) * picture_.channels;
  // The part of the pixel that stays, and that of both together, as for layers that lie on each other.
  const float below = (picture_.channels == 4 ? pixel[3] / 255 : 1) * (1 - kTint);
  const float both = below + kTint;
  for (size_t c = 0; c < 3; ++c) pixel[c] = (pixel[c] * below + colour[c] * kTint) / both;
  if (picture_.channels == 4) pixel[3] = both * 255;
}

void Canvas::label(int left, int top, std::string_view text, const Colour& background) {
  left = std::max(0, std::min(left, width() - text_width(text)));
  top = std::max(0, std::min(top, height() - text_height()));
  fill(left, top, left + text_width(text), top + text_height(), background);
  const Colour ink = is_bright(background) ? Colour{0, 0, 0} : Colour{255, 255, 255};
  for (size_t i = 0; i < text.size(); ++i) {
    const int x = left + (static_cast<int>(i) * (kGlyphWidth + 1) + 1) * text_scale_;
    for (int pixel = 0; pixel < kGlyphWidth * kGlyphHeight; ++pixel) {
      const int column = pixel % kGlyphWidth;
      const int row = pixel / kGlyphWidth;
      if (!is_ink(text[i], column, row)) continue;
      const int px = x + column * text_scale_;
      const int py = top + (row + 1) * text_scale_;
      fill(px, py, px + text_scale_, py + text_scale_, ink);
    }
  }
}

}  // namespace nnvk::tools::answers
