// Picture files: the result of each format's decoder, and errors for damaged files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <turbojpeg.h>

#include <cmath>
#include <fstream>
#include <random>

#include "tests/support/temporary_folder.h"
#include "tools/image/decoders.h"
#include "tools/image/picture.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

// Colours that no two neighbours share.
Picture gradient(uint32_t width, uint32_t height, uint32_t channels) {
  Picture picture{width, height, channels, {}};
  for (uint32_t i = 0; i < width * height * channels; ++i) picture.values.push_back(static_cast<float>((i * 37) % 256));
  return picture;
}

Bytes png_of(const Picture& picture) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(save_picture(picture, folder.file("picture.png")));
  const auto bytes = read_file(folder.file("picture.png"));
  return bytes ? *bytes : Bytes();
}

Bytes jpeg_of(uint32_t width, uint32_t height, uint8_t red, uint8_t green, uint8_t blue) {
  Bytes pixels;
  for (uint32_t i = 0; i < width * height; ++i) pixels.insert(pixels.end(), {red, green, blue});
  const tjhandle compressor = tjInitCompress();
  unsigned char* file = nullptr;
  unsigned long size = 0;
  EXPECT_EQ(tjCompress2(compressor, pixels.data(), static_cast<int>(width), 0, static_cast<int>(height), TJPF_RGB, &file, &size,
                        TJSAMP_444, 100, 0),
            0);
  const Bytes bytes(file, file + size);
  tjFree(file);
  tjDestroy(compressor);
  return bytes;
}

void put32(Bytes& file, size_t at, uint32_t value) {
  for (int i = 0; i < 4; ++i) file[at + static_cast<size_t>(i)] = static_cast<uint8_t>(value >> (8 * i));
}

// A BMP file without its pixels: two headers and `palette` colours.
Bytes bmp_header(uint32_t width, uint32_t height, uint8_t bits, uint32_t palette = 0) {
  Bytes file(54 + 4 * palette);
  file[0] = 'B';
  file[1] = 'M';
  put32(file, 10, static_cast<uint32_t>(file.size()));
  put32(file, 14, 40);
  put32(file, 18, width);
  put32(file, 22, height);
  file[26] = 1;
  file[28] = bits;
  put32(file, 46, palette);
  return file;
}

std::string problem_of(const Bytes& file) {
  const auto picture = decode_picture(file, 3);
  return picture ? "" : picture.error().message;
}

TEST(PictureFiles, APngComesBackAsItWasSaved) {
  for (const uint32_t channels : {1U, 3U, 4U}) {
    const Picture saved = gradient(7, 5, channels);
    const auto loaded = decode_picture(png_of(saved), channels);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->width, 7U);
    EXPECT_EQ(loaded->height, 5U);
    EXPECT_EQ(loaded->values, saved.values) << channels;
  }
}

TEST(PictureFiles, GreyIsHowBrightAColourLooks) {
  const Picture colours{3, 1, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255}};
  const auto grey = decode_picture(png_of(colours), 1);
  ASSERT_TRUE(grey);
  EXPECT_THAT(grey->values, ElementsAre(76, 149, 28));
}

TEST(PictureFiles, AJpegIsItsColours) {
  const auto picture = decode_picture(jpeg_of(17, 9, 200, 100, 50), 3);
  ASSERT_TRUE(picture) << picture.error().message;
  EXPECT_EQ(picture->width, 17U);
  EXPECT_EQ(picture->height, 9U);
  for (size_t i = 0; i < picture->values.size(); i += 3) {
    EXPECT_NEAR(picture->values[i], 200, 3);
    EXPECT_NEAR(picture->values[i + 1], 100, 3);
    EXPECT_NEAR(picture->values[i + 2], 50, 3);
  }
}

TEST(PictureFiles, ABmpMayStandOnItsHeadAndHaveAPalette) {
  Bytes upright = bmp_header(1, 2, 24);
  for (const uint8_t byte : {3, 2, 1, 0, 6, 5, 4, 0}) upright.push_back(byte);  // blue, green, red, padding
  EXPECT_THAT(decode_picture(upright, 3)->values, ElementsAre(4, 5, 6, 1, 2, 3)) << "the bottom row comes first";
  put32(upright, 22, static_cast<uint32_t>(-2));
  EXPECT_THAT(decode_picture(upright, 3)->values, ElementsAre(1, 2, 3, 4, 5, 6));
  Bytes palette = bmp_header(2, 1, 8, 2);
  put32(palette, 54, 0x102030);
  put32(palette, 58, 0x405060);
  for (const uint8_t byte : {1, 0, 0, 0}) palette.push_back(byte);
  EXPECT_THAT(decode_picture(palette, 3)->values, ElementsAre(0x40, 0x50, 0x60, 0x10, 0x20, 0x30));
  palette[62] = 2;
  EXPECT_THAT(problem_of(palette), HasSubstr("palette"));
  Bytes wide = bmp_header(1, 1, 32);
  for (const uint8_t byte : {3, 2, 1, 0}) wide.push_back(byte);
  EXPECT_THAT(decode_picture(wide, 4)->values, ElementsAre(1, 2, 3, 255));
}

TEST(PictureFiles, WhatIsNoPictureIsRefused) {
  EXPECT_THAT(problem_of({}), HasSubstr("not a PNG, JPEG or BMP"));
  const std::string gif = "GIF89a\x01\x01";
  EXPECT_THAT(problem_of(Bytes(gif.begin(), gif.end())), HasSubstr("not a PNG, JPEG or BMP"));
  EXPECT_FALSE(load_picture("/nonexistent/picture.png", 3));
  EXPECT_THAT(load_picture("/", 3).error().message, HasSubstr("folder"));
  EXPECT_THAT(load_picture("/dev/zero", 3).error().message, HasSubstr("more than"));
}

TEST(PictureFiles, AHugePictureIsRefusedBeforeAnythingIsAllocated) {
  EXPECT_THAT(problem_of(bmp_header(100'000, 100'000, 24)), HasSubstr("at most"));
  EXPECT_THAT(problem_of(bmp_header(0x7fffffff, 0x80000000, 32)), HasSubstr("at most"));
  EXPECT_THAT(problem_of(bmp_header(8, 0, 24)), HasSubstr("no pixels"));
  Bytes png = png_of(gradient(4, 4, 1));
  png[16] = 0x7f;  // the width; its checksum is wrong now, which is an error as well
  EXPECT_NE(problem_of(png), "");
}

TEST(PictureFiles, EveryTruncationAndEveryDamageEndsWell) {
  Bytes bmp = bmp_header(5, 3, 24);
  bmp.resize(bmp.size() + 3 * 16, 0x55);
  std::mt19937 random(5);
  for (const Bytes& whole : {png_of(gradient(9, 8, 3)), jpeg_of(24, 16, 1, 2, 3), bmp}) {
    ASSERT_EQ(problem_of(whole), "");
    constexpr size_t kEnd = 16;  // the end marker of the file may be missing: all pixels are there
    for (size_t size = 0; size < whole.size() - kEnd; ++size) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_NE(problem_of(cut), "") << size << " of " << whole.size() << " bytes";
    }
    for (int round = 0; round < 3000; ++round) {
      Bytes damaged = whole;
      for (int i = 0; i < 1 + round % 4; ++i) damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
      (void)problem_of(damaged);  // some damage is only another colour
    }
  }
}

TEST(Files, ADiskThatIsFullIsAnError) {
  EXPECT_THAT(write_file("/dev/full", std::string_view("text")).error().message, HasSubstr("No space left"));
  EXPECT_FALSE(save_picture(gradient(2, 2, 1), "/dev/full"));
}

}  // namespace
}  // namespace nnvk::tools
