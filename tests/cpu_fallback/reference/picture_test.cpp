// PICTURE_TO_TENSOR against results worked out by hand, and pictures that it cannot convert.
#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "core/base/half.h"
#include "tests/cpu_fallback/reference/device_runner.h"
#include "tests/support/test_picture.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

// Leaves channels unchanged: real values from 0 to 255.
PictureConversion unchanged() {
  PictureConversion conversion;
  conversion.deviation = {1, 1, 1, 1};
  return conversion;
}

template <class T>
Computed<T> convert(const TestPicture& picture, const PictureConversion& conversion, const OperandInfo& tensor_info) {
  const std::vector<int32_t> integers = picture_integers(picture.layout, conversion);
  const std::vector<float> reals = picture_reals(conversion);
  std::vector<Operand> inputs = {quant8({static_cast<uint32_t>(picture.bytes.size())}, picture.bytes, 1.0F, 0),
                                 ints({static_cast<uint32_t>(integers.size())}, integers),
                                 floats({static_cast<uint32_t>(reals.size())}, reals)};
  if (!conversion.crops.empty()) {
    const std::vector<uint32_t> taps = crop_taps(picture.layout, conversion, tensor_info);
    inputs.push_back(ints({static_cast<uint32_t>(taps.size())}, {taps.begin(), taps.end()}));
  }
  return run_outputs(kPictureToTensor, inputs, {tensor_info});
}

std::vector<float> to_floats(const TestPicture& picture, const PictureConversion& conversion, Shape shape) {
  const auto computed = convert<float>(picture, conversion, picture_tensor(kTensorFloat32, std::move(shape)));
  EXPECT_TRUE(computed.status) << (computed.status ? "" : computed.status.error().message);
  return computed.values;
}

// One row of grey pixels.
TestPicture grey_row(const std::vector<uint8_t>& greys, PictureFormat format = PictureFormat::kRgb) {
  TestPicture picture = make_picture(format, static_cast<uint32_t>(greys.size()), 1, 5);
  for (uint32_t x = 0; x < greys.size(); ++x) {
    for (uint32_t c = 0; c < 3; ++c) picture.at(x, 0, c) = greys[x];
  }
  return picture;
}

// The red channel of every pixel.
std::vector<float> reds(const std::vector<float>& values) {
  std::vector<float> result;
  for (size_t i = 0; i < values.size(); i += 3) result.push_back(values[i]);
  return result;
}

TEST(PictureToTensor, EveryChannelKeepsItsPlace) {
  TestPicture picture = make_picture(PictureFormat::kRgba, 2, 1, 4);
  picture.bytes = {255, 51, 0, 102, 0, 204, 153, 255, 9, 9, 9, 9};
  EXPECT_THAT(to_floats(picture, {}, {1, 1, 2, 3}), Pointwise(FloatNear(1e-6F), {1.0F, 0.2F, 0.0F, 0.0F, 0.8F, 0.6F}));
  EXPECT_THAT(to_floats(picture, unchanged(), {1, 1, 2, 4}), ElementsAre(255, 51, 0, 102, 0, 204, 153, 255));
  PictureConversion conversion = unchanged();
  conversion.order = ChannelOrder::kBgr;
  EXPECT_THAT(to_floats(picture, conversion, {1, 1, 2, 4}), ElementsAre(0, 51, 255, 102, 153, 204, 0, 255));
  conversion.nchw = true;
  EXPECT_THAT(to_floats(picture, conversion, {1, 3, 1, 2}), ElementsAre(0, 153, 51, 204, 255, 0));
}

TEST(PictureToTensor, AlphaIs255WhereTheFormatHasNone) {
  TestPicture picture = make_picture(PictureFormat::kRgbx, 1, 1);
  picture.bytes = {1, 2, 3, 77};
  EXPECT_THAT(to_floats(picture, unchanged(), {1, 1, 1, 4}), ElementsAre(1, 2, 3, 255));
  picture = make_picture(PictureFormat::kRgb, 1, 1);
  picture.bytes = {1, 2, 3};
  EXPECT_THAT(to_floats(picture, unchanged(), {1, 1, 1, 4}), ElementsAre(1, 2, 3, 255));
}

TEST(PictureToTensor, BilinearWeighsMiddlesOfPixels) {
  // Four columns over two pixels sample at 0.25, 0.75, 1.25, 1.75; the pixel centres are 0.5 and 1.5.
  EXPECT_THAT(reds(to_floats(grey_row({0, 100}), unchanged(), {1, 1, 4, 3})), ElementsAre(0, 25, 75, 100));
  // Two columns over four pixels sample at 1 and 3.
  EXPECT_THAT(reds(to_floats(grey_row({0, 100, 200, 220}), unchanged(), {1, 1, 2, 3})), ElementsAre(50, 210));
  TestPicture square = make_picture(PictureFormat::kRgb, 2, 2, 1);
  square.at(0, 0, 0) = 8;
  square.at(1, 0, 0) = 16;
  square.at(0, 1, 0) = 40;
  square.at(1, 1, 0) = 80;
  EXPECT_THAT(reds(to_floats(square, unchanged(), {1, 1, 1, 3})), ElementsAre(36));  // (12 + 60) / 2
}

TEST(PictureToTensor, NearestTakesThePixelUnderThePosition) {
  PictureConversion conversion = unchanged();
  conversion.filter = PictureFilter::kNearest;
  EXPECT_THAT(reds(to_floats(grey_row({7, 9}), conversion, {1, 1, 4, 3})), ElementsAre(7, 7, 9, 9));
  // Three columns over four pixels sample at 0.67, 2 and 3.33.
  EXPECT_THAT(reds(to_floats(grey_row({1, 2, 3, 4}), conversion, {1, 1, 3, 3})), ElementsAre(1, 3, 4));
}

TEST(PictureToTensor, AreaIsTheMeanOfTheCoveredPixels) {
  PictureConversion conversion = unchanged();
  conversion.filter = PictureFilter::kArea;
  const auto reds_of = [&](const std::vector<uint8_t>& greys, uint32_t width) {
    return reds(to_floats(grey_row(greys), conversion, {1, 1, width, 3}));
  };
  EXPECT_THAT(reds_of({0, 100, 200, 220}, 2), ElementsAre(50, 210));
  EXPECT_THAT(reds_of({1, 2, 3, 4, 5, 6, 7, 8}, 1), ElementsAre(4.5F));
  // Two columns over five pixels: 1 + 1 + 0.5 pixels each.
  EXPECT_THAT(reds_of({0, 50, 100, 150, 200}, 2), Pointwise(FloatNear(1e-4F), {40.0F, 160.0F}));
  // Four columns over five pixels: 1 and 0.25; 0.75 and 0.5; and the same from the right.
  EXPECT_THAT(reds_of({0, 50, 100, 150, 200}, 4), Pointwise(FloatNear(1e-4F), {10.0F, 70.0F, 130.0F, 190.0F}));
  // Nothing shrinks: the result is that of the bilinear filter.
  EXPECT_THAT(reds_of({0, 100}, 4), ElementsAre(0, 25, 75, 100));
  conversion.crop = {0.5F, 0, 3, 1};
  EXPECT_THAT(reds_of({0, 60, 120, 240}, 1), ElementsAre(FloatNear(100, 1e-4F)));  // (0 / 2 + 60 + 120 + 240 / 2) / 3
  conversion.crop = {};
  TestPicture tall = make_picture(PictureFormat::kRgb, 2, 4);
  for (uint32_t y = 0; y < 4; ++y) tall.at(0, y, 0) = tall.at(1, y, 0) = static_cast<uint8_t>(40 * y);
  tall.at(1, 3, 0) = 200;
  EXPECT_THAT(reds(to_floats(tall, conversion, {1, 1, 1, 3})), ElementsAre(70));      // (40 + 40 + 80 + 80 + 120 + 200) / 8
  EXPECT_THAT(reds(to_floats(tall, conversion, {1, 1, 2, 3})), ElementsAre(60, 80));  // only the rows shrink
}

TEST(PictureToTensor, AreaWeighsChromaSamplesByTheirPixels) {
  // Full range, luma 100, Cr of 128, 138, 148 for pixels 0 and 1, 2 and 3, 4. Red = 100 + 1.402 * (Cr - 128).
  TestPicture picture = make_picture(PictureFormat::kYuv420, 5, 1);
  for (uint32_t x = 0; x < 5; ++x) picture.at(x, 0, 0) = 100;
  for (uint32_t x = 0; x < 3; ++x) picture.at(x, 0, 1) = 128;
  for (uint32_t x = 0; x < 3; ++x) picture.at(x, 0, 2) = static_cast<uint8_t>(128 + 10 * x);
  PictureConversion conversion = unchanged();
  conversion.range = ColourRange::kFull;
  conversion.filter = PictureFilter::kArea;
  EXPECT_THAT(reds(to_floats(picture, conversion, {1, 1, 1, 3})), ElementsAre(FloatNear(111.216F, 1e-3F)));  // 8 above 128
  // Pixels 0 to 2.5: 2 of 128 and 0.5 of 138, so 2 above 128. Pixels 2.5 to 5: 1.5 of 138 and 1 of 148, so 14 above.
  EXPECT_THAT(reds(to_floats(picture, conversion, {1, 1, 2, 3})), Pointwise(FloatNear(1e-3F), {102.804F, 119.628F}));
}

TEST(PictureToTensor, PicturesAreMirroredThenTurned) {
  TestPicture picture = make_picture(PictureFormat::kRgb, 3, 2);
  for (uint32_t i = 0; i < 6; ++i) picture.at(i % 3, i / 3, 0) = static_cast<uint8_t>(i);  // 0 1 2 above 3 4 5
  struct Case {
    int32_t rotation;
    bool mirrored;
    std::vector<float> wanted;
  };
  const Case cases[] = {
      {0, false, {0, 1, 2, 3, 4, 5}},   {90, false, {3, 0, 4, 1, 5, 2}}, {180, false, {5, 4, 3, 2, 1, 0}},
      {270, false, {2, 5, 1, 4, 0, 3}}, {0, true, {2, 1, 0, 5, 4, 3}},   {90, true, {5, 2, 4, 1, 3, 0}},
      {180, true, {3, 4, 5, 0, 1, 2}},  {270, true, {0, 3, 1, 4, 2, 5}},
  };
  for (const Case& c : cases) {
    for (const PictureFilter filter : {PictureFilter::kBilinear, PictureFilter::kNearest, PictureFilter::kArea}) {
      PictureConversion conversion = unchanged();
      conversion.filter = filter;
      conversion.rotation = c.rotation;
      conversion.mirrored = c.mirrored;
      const bool on_side = c.rotation % 180 != 0;
      const Shape shape = on_side ? Shape{1, 3, 2, 3} : Shape{1, 2, 3, 3};
      EXPECT_EQ(reds(to_floats(picture, conversion, shape)), c.wanted) << c.rotation << (c.mirrored ? " mirrored" : "");
    }
  }
}

TEST(PictureToTensor, CropsAreResizedAsIfCutOutFirst) {
  PictureConversion conversion = unchanged();
  conversion.crop = {1, 0, 2, 1};
  EXPECT_THAT(reds(to_floats(grey_row({255, 0, 100, 255}), conversion, {1, 1, 4, 3})), ElementsAre(0, 25, 75, 100));
  // Positions 0.75 and 1.25 of a crop that begins inside a pixel: a quarter from its middle, and three quarters.
  conversion.crop = {0.5F, 0, 1, 1};
  EXPECT_THAT(reds(to_floats(grey_row({0, 80, 255}), conversion, {1, 1, 1, 3})), ElementsAre(40));
  conversion.filter = PictureFilter::kNearest;
  conversion.crop = {2.25F, 0, 0.5F, 1};
  EXPECT_THAT(reds(to_floats(grey_row({1, 2, 3, 4}), conversion, {1, 1, 2, 3})), ElementsAre(3, 3));
  TestPicture tall = make_picture(PictureFormat::kRgb, 1, 3);
  tall.at(0, 1, 0) = 60;
  tall.at(0, 2, 0) = 90;
  conversion.crop = {0, 1, 1, 2};
  EXPECT_THAT(reds(to_floats(tall, conversion, {1, 2, 1, 3})), ElementsAre(60, 90));
}

// A YUV picture of one colour.
std::vector<float> of_yuv(uint8_t y, uint8_t cb, uint8_t cr, ColourMatrix matrix, ColourRange range, uint32_t channels = 3) {
  TestPicture picture = make_picture(PictureFormat::kYuv420, 1, 1);
  picture.bytes = {y, cb, cr};
  PictureConversion conversion = unchanged();
  conversion.matrix = matrix;
  conversion.range = range;
  return to_floats(picture, conversion, {1, 1, 1, channels});
}

TEST(PictureToTensor, YuvBecomesRgbByItsMatrixAndRange) {
  using enum ColourMatrix;
  using enum ColourRange;
  const auto is = [](float r, float g, float b) { return Pointwise(FloatNear(0.01F), {r, g, b}); };
  EXPECT_THAT(of_yuv(16, 128, 128, kBt601, kLimited), is(0, 0, 0));
  EXPECT_THAT(of_yuv(235, 128, 128, kBt709, kLimited), is(255, 255, 255));
  EXPECT_THAT(of_yuv(126, 128, 128, kBt2020, kLimited), is(128.08F, 128.08F, 128.08F));  // 110 * 255 / 219
  EXPECT_THAT(of_yuv(100, 128, 128, kBt601, kFull), is(100, 100, 100));
  // 1.16438 * 65 + 1.59603 * 112; green and blue are below 0.
  EXPECT_THAT(of_yuv(81, 90, 240, kBt601, kLimited), is(254.44F, 0, 0));
  // 100 + 1.402 * 20; 100 - 0.344136 * 10 - 0.714136 * 20; 100 + 1.772 * 10
  EXPECT_THAT(of_yuv(100, 138, 148, kBt601, kFull), is(128.04F, 82.276F, 117.72F));
  // 100 + 1.5748 * 20; 100 - 0.187324 * 10 - 0.468124 * 20; 100 + 1.8556 * 10
  EXPECT_THAT(of_yuv(100, 138, 148, kBt709, kFull), is(131.496F, 88.764F, 118.556F));
  // 100 + 1.4746 * 20; 100 - 0.164553 * 10 - 0.571353 * 20; 100 + 1.8814 * 10
  EXPECT_THAT(of_yuv(100, 138, 148, kBt2020, kFull), is(129.492F, 86.927F, 118.814F));
}

TEST(PictureToTensor, ChromaLiesInTheMiddleOfFourPixels) {
  TestPicture picture = make_picture(PictureFormat::kYuv420, 4, 2, 2);
  for (uint32_t x = 0; x < 4; ++x) picture.at(x, 0, 0) = picture.at(x, 1, 0) = 100;
  for (uint32_t x = 0; x < 2; ++x) picture.at(x, 0, 1) = 128;
  picture.at(0, 0, 2) = 128;
  picture.at(1, 0, 2) = 148;
  PictureConversion conversion = unchanged();
  conversion.range = ColourRange::kFull;
  // Pixels at 0.5, 1.5, 2.5, 3.5 are 0.25, 0.75, 1.25, 1.75 in chroma samples: 128, 133, 143, 148.
  EXPECT_THAT(reds(to_floats(picture, conversion, {1, 1, 4, 3})),
              Pointwise(FloatNear(1e-3F), {100.0F, 107.01F, 121.03F, 128.04F}));
  conversion.filter = PictureFilter::kNearest;
  EXPECT_THAT(reds(to_floats(picture, conversion, {1, 1, 4, 3})),
              Pointwise(FloatNear(1e-3F), {100.0F, 100.0F, 128.04F, 128.04F}));
}

TEST(PictureToTensor, BlueMayComeFirst) {
  TestPicture picture = make_picture(PictureFormat::kBgra, 1, 1);
  picture.bytes = {200, 50, 100, 7};
  EXPECT_THAT(to_floats(picture, unchanged(), {1, 1, 1, 4}), ElementsAre(100, 50, 200, 7));
  EXPECT_THAT(to_floats(picture, unchanged(), {1, 1, 1, 1}), ElementsAre(FloatNear(82.05F, 1e-4F)));  // 29.9 + 29.35 + 22.8
  PictureConversion conversion = unchanged();
  conversion.order = ChannelOrder::kBgr;
  EXPECT_THAT(to_floats(picture, conversion, {1, 1, 1, 4}), ElementsAre(200, 50, 100, 7));
  picture = make_picture(PictureFormat::kBgrx, 1, 1);
  picture.bytes = {200, 50, 100, 7};
  EXPECT_THAT(to_floats(picture, unchanged(), {1, 1, 1, 4}), ElementsAre(100, 50, 200, 255));
}

TEST(PictureToTensor, TenBitsAreFinerStepsOfTheSameColours) {
  TestPicture picture = make_picture(PictureFormat::kYuv420Ten, 1, 1);
  const auto of_ten = [&](uint32_t y, uint32_t cb, uint32_t cr, ColourRange range) {
    picture.set_ten(0, 0, 0, y);
    picture.set_ten(0, 0, 1, cb);
    picture.set_ten(0, 0, 2, cr);
    PictureConversion conversion = unchanged();
    conversion.range = range;
    return to_floats(picture, conversion, {1, 1, 1, 3});
  };
  const auto is = [](float r, float g, float b) { return Pointwise(FloatNear(0.01F), {r, g, b}); };
  using enum ColourRange;
  EXPECT_THAT(of_ten(64, 512, 512, kLimited), is(0, 0, 0));
  EXPECT_THAT(of_ten(940, 512, 512, kLimited), is(255, 255, 255));
  EXPECT_THAT(of_ten(65, 512, 512, kLimited), is(0.29F, 0.29F, 0.29F));  // 255 / 876
  EXPECT_THAT(of_ten(324, 360, 960, kLimited), is(254.44F, 0, 0));       // four times 81, 90, 240
  EXPECT_THAT(of_ten(1023, 512, 512, kFull), is(255, 255, 255));
  // A step is 255 / 1023: (400 + 1.402 * 80) steps; 400 - 0.344136 * 40 - 0.714136 * 80; 400 + 1.772 * 40.
  EXPECT_THAT(of_ten(400, 552, 592, kFull), is(127.665F, 82.036F, 117.375F));
  // The bits below the ten used bits are ignored.
  picture.bytes[0] |= 0x3f;
  PictureConversion conversion = unchanged();
  conversion.range = kFull;
  EXPECT_THAT(to_floats(picture, conversion, {1, 1, 1, 3}), is(127.665F, 82.036F, 117.375F));
}

TEST(PictureToTensor, ChromaOfTwoPixelsLiesBetweenThem) {
  TestPicture picture = make_picture(PictureFormat::kYuv422, 4, 2, 2);
  for (uint32_t y = 0; y < 2; ++y) {
    for (uint32_t x = 0; x < 4; ++x) picture.at(x, y, 0) = 100;
    for (uint32_t x = 0; x < 2; ++x) picture.at(x, y, 1) = 128;
    picture.at(0, y, 2) = 128;
    picture.at(1, y, 2) = y == 0 ? 148 : 128;  // each row has its own chroma
  }
  PictureConversion conversion = unchanged();
  conversion.range = ColourRange::kFull;
  EXPECT_THAT(reds(to_floats(picture, conversion, {1, 2, 4, 3})),
              Pointwise(FloatNear(1e-3F), {100.0F, 107.01F, 121.03F, 128.04F, 100.0F, 100.0F, 100.0F, 100.0F}));
}

TEST(PictureToTensor, OneChannelIsTheLuma) {
  TestPicture picture = make_picture(PictureFormat::kRgb, 1, 1);
  picture.bytes = {100, 50, 200};
  PictureConversion conversion = unchanged();
  EXPECT_THAT(to_floats(picture, conversion, {1, 1, 1, 1}), ElementsAre(FloatNear(82.05F, 1e-4F)));  // 29.9 + 29.35 + 22.8
  conversion.matrix = ColourMatrix::kBt709;
  EXPECT_THAT(to_floats(picture, conversion, {1, 1, 1, 1}), ElementsAre(FloatNear(71.46F, 1e-4F)));  // 21.26 + 35.76 + 14.44
  EXPECT_THAT(of_yuv(235, 1, 255, ColourMatrix::kBt601, ColourRange::kLimited, 1), ElementsAre(FloatNear(255, 1e-4F)));
  EXPECT_THAT(of_yuv(42, 1, 255, ColourMatrix::kBt601, ColourRange::kFull, 1), ElementsAre(42));
}

TEST(PictureToTensor, ValuesAreNormalisedPerChannelAndQuantized) {
  TestPicture picture = make_picture(PictureFormat::kRgb, 2, 1);
  picture.bytes = {0, 128, 255, 10, 20, 30};
  PictureConversion conversion;
  conversion.mean = {10, 20, 30, 0};
  conversion.deviation = {2, 4, -5, 1};
  EXPECT_THAT(to_floats(picture, conversion, {1, 1, 2, 3}),
              Pointwise(FloatNear(1e-5F), {-5.0F, 27.0F, -45.0F, 0.0F, 0.0F, 0.0F}));
  const auto quantized = [&](OperandType type, float scale, int32_t zero_point, auto tag) {
    return convert<decltype(tag)>(picture, conversion, picture_tensor(type, {1, 1, 2, 3}, scale, zero_point)).values;
  };
  // -5 / 0.5 + 60 = 50; 27 / 0.5 + 60 = 114; -45 / 0.5 + 60 = -30, which is none.
  EXPECT_THAT(quantized(kTensorQuant8Asymm, 0.5F, 60, uint8_t{}), ElementsAre(50, 114, 0, 60, 60, 60));
  EXPECT_THAT(quantized(kTensorQuant8AsymmSigned, 0.25F, 100, int8_t{}), ElementsAre(80, 127, -80, 100, 100, 100));
  conversion = {};
  EXPECT_THAT(quantized(kTensorQuant8Asymm, 1.0F / 255, 0, uint8_t{}), ElementsAre(0, 128, 255, 10, 20, 30));
  EXPECT_THAT(quantized(kTensorQuant8AsymmSigned, 1.0F / 255, -128, int8_t{}), ElementsAre(-128, 0, 127, -118, -108, -98));
  // Halves are rounded up: 0.5, 64 and 127.5; 5, 10 and 15.
  conversion.deviation = {2, 2, 2, 2};
  picture.bytes[0] = 1;
  EXPECT_THAT(quantized(kTensorQuant8Asymm, 1.0F, 0, uint8_t{}), ElementsAre(1, 64, 128, 5, 10, 15));
}

TEST(PictureToTensor, HalvesAreRoundedOnce) {
  TestPicture picture = make_picture(PictureFormat::kRgb, 1, 1);
  picture.bytes = {255, 1, 85};
  const auto computed = convert<uint16_t>(picture, {}, picture_tensor(kTensorFloat16, {1, 1, 1, 3}));
  ASSERT_TRUE(computed.status);
  EXPECT_THAT(computed.values, ElementsAre(float_to_half(1.0F), float_to_half(1.0F / 255), float_to_half(1.0F / 3)));
}

TEST(PictureToTensor, WhatCannotBeConvertedIsBadDataThatSaysWhy) {
  struct Refusal {
    const char* why;
    std::function<void(TestPicture&, PictureConversion&, OperandInfo&)> spoil;
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<Refusal> refusals = {
      {"the crop begins at left -1",
       [](auto&, auto& c, auto&) {
         c.crop = {-1, 0, 2, 2};
       }},
      {"width of 0 pixels",
       [](auto&, auto& c, auto&) {
         c.crop = {1, 0, 0, 2};
       }},
      {"the picture has 4",
       [](auto&, auto& c, auto&) {
         c.crop = {2, 0, 2.5F, 2};
       }},
      {"height of 3",
       [](auto&, auto& c, auto&) {
         c.crop = {0, 1, 2, 3};
       }},
      {"not finite", [](auto&, auto& c, auto&) { c.crop.top = kNan; }},
      {"deviation[2]", [](auto&, auto& c, auto&) { c.deviation[2] = 0; }},
      {"deviation[0]", [](auto&, auto& c, auto&) { c.deviation[0] = kInfinity; }},
      {"mean[3]", [](auto&, auto& c, auto&) { c.mean[3] = kNan; }},
      {"deviation[1] is 1e-39", [](auto&, auto& c, auto&) { c.deviation[1] = 1e-39F; }},
      {"the filter is 3", [](auto&, auto& c, auto&) { c.filter = PictureFilter{3}; }},
      {"the rotation is 1 degrees", [](auto&, auto& c, auto&) { c.rotation = 1; }},
      {"the channel order is -1", [](auto&, auto& c, auto&) { c.order = ChannelOrder{-1}; }},
      {"the colour matrix is 3", [](auto&, auto& c, auto&) { c.matrix = ColourMatrix{3}; }},
      {"the colour range is 2", [](auto&, auto& c, auto&) { c.range = ColourRange{2}; }},
      {"1, 3 or 4 channels",
       [](auto&, auto&, auto& t) {
         t.shape = {1, 3, 4, 2};
       }},
      {"[1, channels, height, width]",
       [](auto&, auto& c, auto& t) {
         c.nchw = true, t.shape = {1, 2, 4, 3};
       }},
      {"the tensor is [2, 3, 4, 3]",
       [](auto&, auto&, auto& t) {
         t.shape = {2, 3, 4, 3};
       }},
      {"the tensor is [3, 4, 3]",
       [](auto&, auto&, auto& t) {
         t.shape = {3, 4, 3};
       }},
      {"the tensor is [1, 0, 4, 3]",
       [](auto&, auto&, auto& t) {
         t.shape = {1, 0, 4, 3};
       }},
      {"not TENSOR_INT32", [](auto&, auto&, auto& t) { t.type = kTensorInt32; }},
      {"ends behind", [](auto& p, auto&, auto&) { p.bytes.pop_back(); }},
      {"ends behind", [](auto& p, auto&, auto&) { p.layout.planes[0].row_stride = UINT32_MAX; }},
      {"ends behind", [](auto& p, auto&, auto&) { p.layout.planes[0].offset = 1; }},
      {"the format is 10", [](auto& p, auto&, auto&) { p.layout.picture.format = PictureFormat{10}; }},
      {"the format is -1", [](auto& p, auto&, auto&) { p.layout.picture.format = PictureFormat{-1}; }},
      {"is empty", [](auto& p, auto&, auto&) { p.layout.picture.height = 0; }},
  };
  for (const Refusal& refusal : refusals) {
    TestPicture picture = make_picture(PictureFormat::kRgb, 4, 3);
    PictureConversion conversion;
    OperandInfo tensor_info = picture_tensor(kTensorFloat32, {1, 3, 4, 3});
    EXPECT_TRUE(convert<float>(picture, conversion, tensor_info).status);
    refusal.spoil(picture, conversion, tensor_info);
    const Status status = convert<float>(picture, conversion, tensor_info).status;
    ASSERT_FALSE(status) << refusal.why;
    EXPECT_EQ(status.error().code, Code::kBadData) << refusal.why;
    EXPECT_THAT(status.error().message, HasSubstr(refusal.why));
  }
  const auto tiny_scale = picture_tensor(kTensorQuant8Asymm, {1, 3, 4, 3}, 1e-38F);
  PictureConversion conversion;
  conversion.deviation.fill(1e-3F);
  const Status status = convert<uint8_t>(make_picture(PictureFormat::kRgb, 4, 3), conversion, tiny_scale).status;
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("too small for the tensor's scale"));
}

TEST(PictureToTensor, AGreyPictureHasThreeEqualColours) {
  TestPicture picture = make_picture(PictureFormat::kGrey, 3, 1, 2);
  picture.bytes = {0, 100, 255, 9, 9};
  EXPECT_THAT(to_floats(picture, unchanged(), {1, 1, 3, 3}), ElementsAre(0, 0, 0, 100, 100, 100, 255, 255, 255));
  EXPECT_THAT(to_floats(picture, unchanged(), {1, 1, 3, 1}), ElementsAre(0, 100, 255));
  EXPECT_THAT(to_floats(picture, unchanged(), {1, 1, 1, 4}), ElementsAre(100, 100, 100, 255));
}

// Each of the crops shrinks, so that the filter area needs no other arithmetic for a crop alone.
TEST(PictureToTensor, ABatchHasTheElementsOfItsCrops) {
  for (const PictureFormat format : kAllPictureFormats) {
    const TestPicture picture = random_picture(format, 13, 9, 7, 5);
    for (const PictureFilter filter : {PictureFilter::kBilinear, PictureFilter::kNearest, PictureFilter::kArea}) {
      for (const bool nchw : {false, true}) {
        PictureConversion conversion;
        conversion.filter = filter;
        conversion.nchw = nchw;
        conversion.rotation = nchw ? 270 : 0;
        const std::vector<PictureConversion::Crop> crops = {{0, 0, 5, 7}, {6.5F, 2.25F, 6.5F, 6.75F}, {}, {3, 3, 2, 6}};
        std::vector<float> wanted;
        for (const PictureConversion::Crop& crop : crops) {
          conversion.crop = crop;
          const std::vector<float> one = to_floats(picture, conversion, nchw ? Shape{1, 3, 4, 3} : Shape{1, 4, 3, 3});
          wanted.insert(wanted.end(), one.begin(), one.end());
        }
        conversion.crop = {};
        conversion.crops = crops;
        EXPECT_EQ(to_floats(picture, conversion, nchw ? Shape{4, 3, 4, 3} : Shape{4, 4, 3, 3}), wanted)
            << static_cast<int>(format) << ", filter " << static_cast<int>(filter);
      }
    }
  }
}

TEST(PictureToTensor, ABatchNeedsTheTapsOfAllItsCrops) {
  PictureConversion conversion;
  conversion.crops.resize(2);
  const auto computed =
      convert<float>(make_picture(PictureFormat::kRgb, 4, 3), conversion, picture_tensor(kTensorFloat32, {3, 3, 4, 3}));
  ASSERT_FALSE(computed.status);
  EXPECT_THAT(computed.status.error().message, HasSubstr("42 words of taps; 3 crops have 63"));
}

}  // namespace
}  // namespace nnvk::cpu
