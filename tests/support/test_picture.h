// Pictures in memory, in every format, with rows longer than their pixels; and the operands of the operation that converts them.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "core/operations/parameters/picture_conversion.h"

namespace nnvk::test {

struct TestPicture {
  PictureLayout layout;
  std::vector<uint8_t> bytes;

  // Sample `channel` (of the plane `channel` for YUV) at column x and row y of its plane.
  uint8_t& at(uint32_t x, uint32_t y, uint32_t channel) {
    const bool is_yuv = layout.picture.format == PictureFormat::kYuv420;
    const PicturePlane& plane = layout.planes[is_yuv ? channel : 0];
    return bytes[plane.offset + y * plane.row_stride + x * plane.pixel_stride + (is_yuv ? 0 : channel)];
  }
};

// Zeros. Rows end with `padding` bytes that belong to nobody, chroma is interleaved, Cb first.
inline TestPicture make_picture(PictureFormat format, uint32_t width, uint32_t height, uint32_t padding = 0) {
  TestPicture picture;
  picture.layout.picture = {format, width, height};
  const uint32_t pixel = format == PictureFormat::kYuv420 ? 1 : format == PictureFormat::kRgb ? 3 : 4;
  const uint32_t row = width * pixel + padding;
  uint32_t size = row * height;
  picture.layout.planes[0] = {0, pixel, row};
  if (format == PictureFormat::kYuv420) {
    const uint32_t chroma_row = (width + 1) / 2 * 2 + padding;
    picture.layout.planes[1] = {size, 2, chroma_row};
    picture.layout.planes[2] = {size + 1, 2, chroma_row};
    size += chroma_row * ((height + 1) / 2);
  }
  picture.bytes.resize(size);
  return picture;
}

inline TestPicture random_picture(PictureFormat format, uint32_t width, uint32_t height, uint32_t padding, uint32_t seed) {
  TestPicture picture = make_picture(format, width, height, padding);
  std::minstd_rand random(seed);
  for (uint8_t& byte : picture.bytes) byte = static_cast<uint8_t>(random() >> 7);
  return picture;
}

inline OperandInfo picture_tensor(OperandType type, Shape shape, float scale = 0, int32_t zero_point = 0) {
  OperandInfo info;
  info.type = type;
  info.shape = std::move(shape);
  info.scale = scale;
  info.zero_point = zero_point;
  return info;
}

}  // namespace nnvk::test
