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
      case NNVK_FRAME_NV16:
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
      case NNVK_FRAME_UYVY:
        return c == 0 ? row(0, y)[2 * x + 1] : row(0, y)[4 * x + 2 * c1];
      case NNVK_FRAME_R8:
        return c == 3 ? 255 : row(0, y)[x];
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
           layout.fourcc != NNVK_FRAME_R8 && layout.fourcc != NNVK_FRAME_ARGB8888 && layout.fourcc != NNVK_FRAME_XRGB8888;
  }
  double bits() const { return layout.fourcc == NNVK_FRAME_P010 || layout.fourcc == NNVK_FRAME_P210 ? 10 : 8; }
  uint32_t chroma_height() const {
    const bool has_all_rows = layout.fourcc == NNVK_FRAME_P210 || layout.fourcc == NNVK_FRAME_YUYV ||
                              layout.fourcc == NNVK_FRAME_UYVY || layout.fourcc == NNVK_FRAME_NV16;
    return has_all_rows ? 1 : 2;
  }
};

// The weight of every sample of a plane along one axis, for element i of n. Each sample covers `coverage` pixels.
inline std::vector<double> weights_of(uint32_t i, uint32_t n, double begin, double length, uint32_t pixels, uint32_t coverage,
                                      int32_t filter) {
  std::vector<double> weights((pixels + coverage - 1) / coverage);
  const double last = static_cast<double>(weights.size()) - 1;
  const double position = begin + (i + 0.5) * length / n;
  if (filter == NNVK_PICTURE_NEAREST) {
    weights[static_cast<size_t>(std::min(position / coverage, last))] = 1;
    return weights;
  }
  const double low = begin + i * length / n;
  const double high = low + length / n;
  // A crop is resized as if it had been cut out: no position lies beyond the centres of its outermost pixels.
  const double margin = std::min(0.5, length / 2);
  const double inside = std::clamp(position, begin + margin, begin + length - margin);
  const double sample = std::clamp(inside / coverage - 0.5, 0.0, last);
  for (size_t k = 0; k < weights.size(); ++k) {
    const auto at = static_cast<double>(k);
    weights[k] = filter == NNVK_PICTURE_AREA && high - low > coverage
                     ? std::max(0.0, std::min(high, (at + 1) * coverage) - std::max(low, at * coverage)) / (high - low)
                     : std::max(0.0, 1 - std::abs(at - sample));
  }
  return weights;
}

// A place in a grid of rows and columns.
struct Place {
  uint32_t row, column;
};
// The element of the upright tensor of `rows` by `columns` that comes to lie at `to` when it is mirrored, then turned.
inline Place upright_place(Place to, uint32_t rows, uint32_t columns, const nnvk_PictureConversion& how) {
  Place from = to;
  if (how.rotation == 90) from = {rows - 1 - to.column, to.row};
  if (how.rotation == 180) from = {rows - 1 - to.row, columns - 1 - to.column};
  if (how.rotation == 270) from = {to.column, columns - 1 - to.row};
  if (how.mirrored != 0) from.column = columns - 1 - from.column;
  return from;
}

// The elements of a tensor of `channels` by height and width, NHWC, before mean and deviation: 0 to 255.
inline std::vector<double> convert_in_doubles(const RawFrame& frame, const nnvk_PictureConversion& how, uint32_t out_height,
                                              uint32_t out_width, uint32_t channels) {
  const bool whole = how.cropWidth == 0;
  const double left = how.cropLeft;
  const double top = how.cropTop;
  const double width = whole ? frame.layout.width : how.cropWidth;
  const double height = whole ? frame.layout.height : how.cropHeight;
  const bool on_side = how.rotation % 180 != 0;
  const uint32_t rows = on_side ? out_width : out_height;
  const uint32_t columns = on_side ? out_height : out_width;
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
      const Place from = upright_place({oy, ox}, rows, columns, how);
      const auto sample = [&](int c) {
        const bool chroma = frame.is_yuv() && c > 0;
        const auto across = weights_of(from.column, columns, left, width, frame.layout.width, chroma ? 2 : 1, how.filter);
        const auto down =
            weights_of(from.row, rows, top, height, frame.layout.height, chroma ? frame.chroma_height() : 1, how.filter);
        double sum = 0;
        for (uint32_t y = 0; y < down.size(); ++y) {
          for (uint32_t x = 0; x < across.size() && down[y] != 0; ++x) {
            if (across[x] != 0) sum += frame.stored(c, x, y) * down[y] * across[x];
          }
        }
        return sum;
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
