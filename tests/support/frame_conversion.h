// The expected conversion of a frame, computed in double precision from its bytes and the standards' formulas, without the
// library's code.
#pragma once

#include <nnvk/hardware_buffer.h>
#include <nnvk/picture.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace nnvk::test {

// The bytes of a frame's planes, by descriptor index.
struct RawFrame {
  nnvk_FrameLayout layout{};
  std::vector<const uint8_t*> memories;

  const uint8_t* row(uint32_t plane, uint32_t y) const {
    const nnvk_FramePlane& p = layout.planes[plane];
    return memories[p.fdIndex] + p.offset + static_cast<size_t>(y) * p.rowPitch;
  }
  uint32_t ten_bits(uint32_t plane, uint32_t sample, uint32_t y) const {
    const uint8_t* at = row(plane, y) + 2 * static_cast<size_t>(sample);
    return static_cast<uint32_t>(at[0] + 256 * at[1]) / 64;
  }

  // The stored number of component c (Y, Cb, Cr, or R, G, B, A) at one of its samples.
  double stored(int c, uint32_t x, uint32_t y) const {
    const auto c1 = static_cast<uint32_t>(c - 1);
    switch (layout.fourcc) {
      case NNVK_FRAME_NV12:
        return c == 0 ? row(0, y)[x] : row(1, y)[2 * x + c1];
      case NNVK_FRAME_NV21:
        return c == 0 ? row(0, y)[x] : row(1, y)[2 * x + 1 - c1];
      case NNVK_FRAME_YUV420:
        return row(static_cast<uint32_t>(c), y)[x];
      case NNVK_FRAME_YVU420:
        return row(c == 0 ? 0 : c == 1 ? 2 : 1, y)[x];
      case NNVK_FRAME_P010:
      case NNVK_FRAME_P210:
        return c == 0 ? ten_bits(0, x, y) : ten_bits(1, 2 * x + c1, y);
      case NNVK_FRAME_YUYV:
        return c == 0 ? row(0, y)[2 * x] : row(0, y)[4 * x + 1 + 2 * c1];
      case NNVK_FRAME_BGR888:
        return c == 3 ? 255 : row(0, y)[3 * x + static_cast<uint32_t>(c)];
      case NNVK_FRAME_ABGR8888:
        return row(0, y)[4 * x + static_cast<uint32_t>(c)];
      case NNVK_FRAME_XBGR8888:
        return c == 3 ? 255 : row(0, y)[4 * x + static_cast<uint32_t>(c)];
      case NNVK_FRAME_ARGB8888:
        return row(0, y)[4 * x + static_cast<uint32_t>(c == 3 ? 3 : 2 - c)];
      default:  // XRGB8888
        return c == 3 ? 255 : row(0, y)[4 * x + static_cast<uint32_t>(2 - c)];
    }
  }
  bool is_yuv() const {
    return layout.fourcc != NNVK_FRAME_BGR888 && layout.fourcc != NNVK_FRAME_ABGR8888 && layout.fourcc != NNVK_FRAME_XBGR8888 &&
           layout.fourcc != NNVK_FRAME_ARGB8888 && layout.fourcc != NNVK_FRAME_XRGB8888;
  }
  double bits() const { return layout.fourcc == NNVK_FRAME_P010 || layout.fourcc == NNVK_FRAME_P210 ? 10 : 8; }
  uint32_t chroma_height() const { return layout.fourcc == NNVK_FRAME_P210 || layout.fourcc == NNVK_FRAME_YUYV ? 1 : 2; }
};

// The two samples along one axis around a position in the picture.
struct Between {
  uint32_t low, high;
  double weight;
};
inline Between between(double position, double crop_begin, double crop_length, uint32_t pixels, uint32_t coverage, bool nearest) {
  const uint32_t last = (pixels + coverage - 1) / coverage - 1;
  if (nearest) {
    const auto at = std::min(static_cast<uint32_t>(position / coverage), last);
    return {at, at, 0};
  }
  // A crop is resized as if it had been cut out: no position lies beyond the centres of its outermost pixels.
  const double margin = std::min(0.5, crop_length / 2);
  const double inside = std::clamp(position, crop_begin + margin, crop_begin + crop_length - margin);
  const double sample = std::clamp(inside / coverage - 0.5, 0.0, static_cast<double>(last));
  const auto low = static_cast<uint32_t>(sample);
  return {low, std::min(low + 1, last), sample - low};
}

// The elements of a tensor of `channels` by height and width, NHWC, before mean and deviation: 0 to 255.
inline std::vector<double> convert_in_doubles(const RawFrame& frame, const nnvk_PictureConversion& how, uint32_t out_height,
                                              uint32_t out_width, uint32_t channels) {
  const bool whole = how.cropWidth == 0;
  const double left = how.cropLeft;
  const double top = how.cropTop;
  const double width = whole ? frame.layout.width : how.cropWidth;
  const double height = whole ? frame.layout.height : how.cropHeight;
  const bool nearest = how.filter == NNVK_PICTURE_NEAREST;
  const double red = how.colourMatrix == NNVK_PICTURE_BT709 ? 0.2126 : how.colourMatrix == NNVK_PICTURE_BT2020 ? 0.2627 : 0.299;
  const double blue = how.colourMatrix == NNVK_PICTURE_BT709 ? 0.0722 : how.colourMatrix == NNVK_PICTURE_BT2020 ? 0.0593 : 0.114;
  const double green = 1 - red - blue;
  const double step = std::pow(2.0, frame.bits() - 8);
  const bool limited = how.colourRange == NNVK_PICTURE_LIMITED_RANGE;
  const double luma_low = limited ? 16 * step : 0;
  const double luma_span = limited ? 219 * step : std::pow(2.0, frame.bits()) - 1;
  const double chroma_span = limited ? 224 * step : std::pow(2.0, frame.bits()) - 1;
  std::vector<double> result;
  for (uint32_t oy = 0; oy < out_height; ++oy) {
    for (uint32_t ox = 0; ox < out_width; ++ox) {
      const double x = left + (ox + 0.5) * width / out_width;
      const double y = top + (oy + 0.5) * height / out_height;
      const auto sample = [&](int c) {
        const bool chroma = frame.is_yuv() && c > 0;
        const Between across = between(x, left, width, frame.layout.width, chroma ? 2 : 1, nearest);
        const Between down = between(y, top, height, frame.layout.height, chroma ? frame.chroma_height() : 1, nearest);
        const auto row = [&](uint32_t at) {
          return frame.stored(c, across.low, at) * (1 - across.weight) + frame.stored(c, across.high, at) * across.weight;
        };
        return row(down.low) * (1 - down.weight) + row(down.high) * down.weight;
      };
      std::array<double, 4> rgba{};
      double luma = 0;
      if (frame.is_yuv()) {
        luma = (sample(0) - luma_low) / luma_span;
        const double cb = (sample(1) - 128 * step) / chroma_span;
        const double cr = (sample(2) - 128 * step) / chroma_span;
        const double r = luma + 2 * (1 - red) * cr;
        const double b = luma + 2 * (1 - blue) * cb;
        rgba = {r, (luma - red * r - blue * b) / green, b, 1};
      } else {
        for (int c = 0; c < 4; ++c) rgba[static_cast<size_t>(c)] = sample(c) / 255;
        luma = red * rgba[0] + green * rgba[1] + blue * rgba[2];
      }
      if (how.channelOrder == NNVK_PICTURE_BGR) std::swap(rgba[0], rgba[2]);
      if (channels == 1) rgba[0] = luma;
      for (uint32_t c = 0; c < channels; ++c) result.push_back(std::clamp(rgba[c], 0.0, 1.0) * 255);
    }
  }
  return result;
}

}  // namespace nnvk::test
