// Formats of frames: where planes lie, how networks read and paint them, and the arithmetic of colours.
#include "tools/video/frame_format.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "tools/image/drawn_picture.h"

namespace nnvk::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace video = tools::video;
using video::FrameShape;

FrameShape shape_of(std::string_view format, uint32_t width, uint32_t height) {
  return {.format = video::find_format(format), .width = width, .height = height};
}

TEST(FrameFormat, FramesHaveTheBytesThatFfmpegGivesThem) {
  // Sizes of av_image_get_buffer_size() with an alignment of 1.
  const std::tuple<const char*, size_t, size_t> sizes[] = {
      {"nv12", 96, 27},  {"nv21", 96, 27},     {"yuv420p", 96, 27},  {"yuv422p", 128, 33}, {"yuv444p", 192, 45},
      {"gray", 64, 15},  {"yuyv422", 128, 36}, {"uyvy422", 128, 36}, {"rgb24", 192, 45},   {"bgr24", 192, 45},
      {"rgba", 256, 60}, {"rgb0", 256, 60},    {"bgra", 256, 60},    {"bgr0", 256, 60}};
  for (const auto& [name, even, odd] : sizes) {
    EXPECT_EQ(shape_of(name, 8, 8).bytes(), even) << name;
    EXPECT_EQ(shape_of(name, 5, 3).bytes(), odd) << name;
  }
  EXPECT_EQ(std::size(sizes) + 4, video::format_words().size()) << "a format without a size here";
}

TEST(FrameFormat, EveryFormatHoldsAPictureAndGivesItBack) {
  const auto picture = tools::drawn_picture(33, 20, 3);
  for (const std::string& name : video::format_words()) {
    for (const int32_t range : {NNVK_PICTURE_LIMITED_RANGE, NNVK_PICTURE_FULL_RANGE}) {
      for (const int32_t matrix : {NNVK_PICTURE_BT601, NNVK_PICTURE_BT709, NNVK_PICTURE_BT2020}) {
        FrameShape shape = shape_of(name, 33, 20);
        shape.colours = {.matrix = matrix, .range = range};
        std::vector<uint8_t> bytes(shape.bytes());
        const video::FrameView view = shape.view(bytes);
        video::lay_over(view, picture);
        const auto back = video::picture_of(view);
        const bool is_exact = !shape.format->is_yuv;
        const double least = is_exact ? 200 : shape.format->chroma_width == 1 ? 40 : shape.format->count == 1 ? 8 : 20;
        EXPECT_GE(tools::psnr(back, picture), least) << name << " " << matrix << " " << range;
      }
    }
  }
}

TEST(FrameFormat, LumaAndChromaAreThoseOfTheStandards) {
  const auto of = [](const video::Colours& colours, size_t component, float red, float green, float blue) {
    const auto mixture = video::luma_or_chroma(colours, component);
    return std::lround(mixture.offset + mixture.weights[0] * red + mixture.weights[1] * green + mixture.weights[2] * blue);
  };
  // Red, and white, by BT.601 and BT.709 in the limited and by BT.601 in the full range.
  const auto all = [&](const video::Colours& colours, float green_and_blue) {
    std::vector<long> values;
    for (const size_t c : {0U, 1U, 2U}) values.push_back(of(colours, c, 255, green_and_blue, green_and_blue));
    return values;
  };
  EXPECT_THAT(all({}, 0), ElementsAre(81, 90, 240));
  EXPECT_THAT(all({.matrix = NNVK_PICTURE_BT709}, 0), ElementsAre(63, 102, 240));
  EXPECT_THAT(all({.range = NNVK_PICTURE_FULL_RANGE}, 0), ElementsAre(76, 85, 256));  // clamped when it is stored
  EXPECT_THAT(all({}, 255), ElementsAre(235, 128, 128));
  EXPECT_THAT(all({.matrix = NNVK_PICTURE_BT2020, .range = NNVK_PICTURE_FULL_RANGE}, 255), ElementsAre(255, 128, 128));
}

TEST(FrameFormat, OnlyOpaquePartsOfALayerChangeTheFrame) {
  const FrameShape shape = shape_of("rgb24", 2, 1);
  std::vector<uint8_t> bytes = {10, 20, 30, 10, 20, 30};
  const tools::Picture layer{.width = 2, .height = 1, .channels = 4, .values = {200, 100, 0, 0, 200, 100, 0, 255}};
  video::lay_over(shape.view(bytes), layer);
  EXPECT_THAT(bytes, ElementsAre(10, 20, 30, 200, 100, 0));
}

TEST(FrameFormat, ACopyOfFewerSamplesHasTheirMeans) {
  FrameShape shape = shape_of("yuv444p", 3, 2);
  std::vector<uint8_t> bytes(shape.bytes());
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  const FrameShape copied = shape.copied();
  EXPECT_EQ(copied.format->name, "yuv420p");
  std::vector<uint8_t> copy(copied.bytes());
  video::copy(shape.view(bytes), copied.view(copy));
  EXPECT_THAT(copy, ElementsAre(0, 1, 2, 3, 4, 5, 8, 10, 14, 16));
}

TEST(FrameFormat, NetworksSeeFormatsWithoutANumberInPlace) {
  const auto half = shape_of("yuv422p", 8, 5).layout();
  EXPECT_EQ(half.fourcc, static_cast<uint32_t>(NNVK_FRAME_YUV420));
  EXPECT_EQ(half.planes[1].rowPitch, 8U) << "every other row of chroma";
  EXPECT_EQ(half.planes[2].offset, 40U + 20U);
  const auto grey = shape_of("gray", 8, 4).layout();
  EXPECT_EQ(grey.planeCount, 3U);
  EXPECT_EQ(grey.planes[2].fdIndex, 1U) << "chroma in memory of its own";
}

TEST(FrameFormat, PackedChromaCannotBePainted) {
  EXPECT_EQ(shape_of("nv12", 8, 8).painted()->at(1).components.size(), 2U);
  EXPECT_EQ(shape_of("rgba", 8, 8).painted()->at(0).components.at(3).offset, 255);
  const auto packed = shape_of("yuyv422", 8, 8).painted();
  ASSERT_FALSE(packed);
  EXPECT_THAT(packed.error().message, HasSubstr("cannot write larger frames of yuyv422; use one of nv12"));
}

TEST(FrameFormat, SizesAreTwoNumbersWithAnX) {
  EXPECT_EQ(video::parse_size("640x360")->height, 360U);
  for (const char* text : {"", "640", "640x", "x360", "0x360", "640x360x", "640*360", "-1x5", "640x16385"}) {
    EXPECT_FALSE(video::parse_size(text)) << text;
  }
}

}  // namespace
}  // namespace nnvk::test
