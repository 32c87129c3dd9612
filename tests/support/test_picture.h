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

  // Byte `channel` of a pixel (the first byte of a sample of the plane `channel` for YUV) at column x and row y of its plane.
  uint8_t& at(uint32_t x, uint32_t y, uint32_t channel) {
    const bool is_yuv = facts_of(layout.picture.format).is_yuv();
    const PicturePlane& plane = layout.planes[is_yuv ? channel : 0];
    return bytes[plane.offset + y * plane.row_stride + x * plane.pixel_stride + (is_yuv ? 0 : channel)];
  }
  // A sample of ten bits.
  void set_ten(uint32_t x, uint32_t y, uint32_t channel, uint32_t value) {
    const auto low = static_cast<size_t>(&at(x, y, channel) - bytes.data());
    bytes[low] = static_cast<uint8_t>(value << 6);
    bytes[low + 1] = static_cast<uint8_t>(value >> 2);
  }
};

constexpr PictureFormat kAllPictureFormats[] = {
    PictureFormat::kRgba, PictureFormat::kRgbx,      PictureFormat::kRgb,    PictureFormat::kYuv420,    PictureFormat::kBgra,
    PictureFormat::kBgrx, PictureFormat::kYuv420Ten, PictureFormat::kYuv422, PictureFormat::kYuv422Ten, PictureFormat::kGrey};

// Zeros. Rows end with `padding` unused bytes. Chroma is interleaved, Cb first; 8-bit 4:2:2 is YUYV.
inline TestPicture make_picture(PictureFormat format, uint32_t width, uint32_t height, uint32_t padding = 0) {
  TestPicture picture;
  picture.layout.picture = {format, width, height};
  const PictureFormatFacts& facts = facts_of(format);
  const uint32_t sample = facts.sample_bytes;
  auto& planes = picture.layout.planes;
  if (format == PictureFormat::kYuv422) {
    const uint32_t row = (width + 1) / 2 * 4 + padding;
    planes = {PicturePlane{0, 2, row}, PicturePlane{1, 4, row}, PicturePlane{3, 4, row}};
    picture.bytes.resize(size_t{row} * height);
    return picture;
  }
  const uint32_t row = width * sample + padding;
  uint32_t size = row * height;
  planes[0] = {0, sample, row};
  if (facts.is_yuv()) {
    const uint32_t chroma_row = (width + 1) / 2 * 2 * sample + padding;
    planes[1] = {size, 2 * sample, chroma_row};
    planes[2] = {size + sample, 2 * sample, chroma_row};
    size += chroma_row * ((height - 1) / facts.chroma_height + 1);
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
