// CONVERT_PIXELS and GATHER_PIXELS against results worked out by hand or in double precision, and unsupported conversions.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/operations/parameters/picture_conversion.h"
#include "core/operations/parameters/pixel_gathering.h"
#include "tests/cpu_fallback/reference/device_runner.h"
#include "tests/support/test_picture.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Converts two pixels of four channels to three channels in reverse order.
PixelConversion reversed() {
  PixelConversion conversion;
  conversion.pixels = 2;
  conversion.from = {4, false};
  conversion.to = {3, false};
  conversion.source = {2, 1, 0, 0};
  conversion.factor = {1, 1, 1, 1};
  return conversion;
}

template <class T>
Computed<T> convert(const PixelConversion& conversion, const Operand& from, OperandType to, uint32_t elements) {
  const std::vector<int32_t> integers = pixel_integers(conversion);
  const std::vector<float> reals = pixel_reals(conversion);
  OperandInfo info = output_of(to, is_float_tensor(to) ? 0.0F : 1.0F);
  info.shape = {elements};
  return run_outputs(
      kConvertPixels,
      {from, ints({static_cast<uint32_t>(integers.size())}, integers), floats({static_cast<uint32_t>(reals.size())}, reals)},
      {info});
}

const Operand kBytes = quant8({8}, {0, 10, 20, 30, 100, 110, 120, 255}, 1, 0);

TEST(ConvertPixels, EveryChannelComesFromItsSource) {
  PixelConversion conversion = reversed();
  EXPECT_THAT(convert<float>(conversion, kBytes, kTensorFloat32, 6).values, ElementsAre(20, 10, 0, 120, 110, 100));
  conversion.to.is_planar = true;
  EXPECT_THAT(convert<float>(conversion, kBytes, kTensorFloat32, 6).values, ElementsAre(20, 120, 10, 110, 0, 100));
  conversion.to.is_planar = false;
  conversion.from.is_planar = true;
  EXPECT_THAT(convert<float>(conversion, kBytes, kTensorFloat32, 6).values, ElementsAre(100, 20, 0, 110, 30, 10));
  conversion.source[1] = PixelConversion::kNoSource;
  conversion.offset[1] = 7;
  EXPECT_THAT(convert<float>(conversion, kBytes, kTensorFloat32, 6).values, ElementsAre(100, 7, 0, 110, 7, 10));
}

TEST(ConvertPixels, ValuesAreScaledMovedAndRoundedToTheNearest) {
  PixelConversion conversion;
  conversion.pixels = 6;
  conversion.from = {1, false};
  conversion.to = {1, false};
  conversion.factor[0] = 2;
  conversion.offset[0] = 0.5F;
  const Operand values = floats({6}, {-300, -1, 0, 0.25F, 127, std::nanf("")});
  EXPECT_THAT(convert<uint8_t>(conversion, values, kTensorQuant8Asymm, 6).values, ElementsAre(0, 0, 1, 1, 255, 0));
  EXPECT_THAT(convert<int8_t>(conversion, values, kTensorQuant8AsymmSigned, 6).values, ElementsAre(-128, -1, 1, 1, 127, -128));
}

TEST(ConvertPixels, SidesThatDoNotFitAreRefused) {
  const auto refuse = [](const std::function<void(PixelConversion&)>& change, const char* text) {
    PixelConversion conversion = reversed();
    change(conversion);
    const auto computed = convert<float>(conversion, kBytes, kTensorFloat32, 6);
    ASSERT_FALSE(computed.status);
    EXPECT_THAT(computed.status.error().message, HasSubstr(text));
  };
  refuse([](PixelConversion& c) { c.pixels = 3; }, "8 elements");
  refuse([](PixelConversion& c) { c.from.channels = 5; }, "1 to 4 channels");
  refuse([](PixelConversion& c) { c.to.channels = 0; }, "1 to 4 channels");
  refuse(
      [](PixelConversion& c) {
        c.from.channels = 2;
        c.pixels = 4;
      },
      "comes from channel 2");
  refuse([](PixelConversion& c) { c.packing = PixelPacking::kFloats11And10; }, "packing 1 without words");
}

TEST(ConvertPixels, WordsNeedAPacking) {
  PixelConversion conversion;
  conversion.pixels = 2;
  conversion.from = {3, false};
  conversion.to = {3, false};
  const auto computed = convert<float>(conversion, ints({2}, {0, 0}), kTensorFloat32, 6);
  ASSERT_FALSE(computed.status);
  EXPECT_THAT(computed.status.error().message, HasSubstr("packing 0 of words"));
}

// The value of a float without sign: 5 bits of exponent, the rest is the mantissa.
double small_float(uint32_t number, uint32_t mantissa_bits) {
  const double mantissa = std::ldexp(number & ((1U << mantissa_bits) - 1), -static_cast<int>(mantissa_bits));
  const int exponent = static_cast<int>(number >> mantissa_bits);
  return exponent == 0 ? std::ldexp(mantissa, -14) : std::ldexp(1 + mantissa, exponent - 15);
}

TEST(PackedPixels, EveryFloatWithoutSignIsReadAndWrittenExactly) {
  const auto check = [](uint32_t channel, uint32_t first_bit, uint32_t mantissa_bits) {
    for (uint32_t number = 0; number < 31U << mantissa_bits; ++number) {
      const uint32_t word = number << first_bit;
      const float value = unpacked(PixelPacking::kFloats11And10, word, channel);
      ASSERT_EQ(value, small_float(number, mantissa_bits)) << number;
      std::array<float, 4> values{};
      values[channel] = value;
      ASSERT_EQ(packed(PixelPacking::kFloats11And10, values), word) << number;
    }
    EXPECT_TRUE(std::isinf(unpacked(PixelPacking::kFloats11And10, 31U << mantissa_bits << first_bit, channel)));
    EXPECT_TRUE(std::isnan(unpacked(PixelPacking::kFloats11And10, ((31U << mantissa_bits) | 1) << first_bit, channel)));
  };
  check(0, 0, 6);
  check(1, 11, 6);
  check(2, 22, 5);
}

// Between two neighbours, the nearer one; in the middle, the even one.
TEST(PackedPixels, FloatsWithoutSignAreRoundedToTheNearest) {
  const auto number_of = [](double value) { return packed(PixelPacking::kFloats11And10, {static_cast<float>(value), 0, 0, 0}); };
  for (uint32_t number = 0; number + 1 < 31U << 6; ++number) {
    const double low = small_float(number, 6);
    const double high = small_float(number + 1, 6);
    ASSERT_EQ(number_of(low + (high - low) * 0.5), number % 2 == 0 ? number : number + 1);
    ASSERT_EQ(number_of(low + (high - low) * 0.375), number);
    ASSERT_EQ(number_of(low + (high - low) * 0.625), number + 1);
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr uint32_t kLargest = (31U << 6) - 1;
  EXPECT_EQ(number_of(1e30), kLargest);
  EXPECT_EQ(number_of(65535), kLargest);
  EXPECT_EQ(number_of(kInfinity), 31U << 6);
  EXPECT_EQ(number_of(-kInfinity), 0U);
  EXPECT_EQ(number_of(-1), 0U);
  EXPECT_EQ(number_of(1e-30), 0U);
  EXPECT_EQ(number_of(std::nanf("")), (31U << 6) | 32U);
}

TEST(PackedPixels, WholeNumbersAreRoundedIntoTheirRange) {
  EXPECT_EQ(packed(PixelPacking::kIntegers10And2, {1023, 0.5F, 511.49F, 3}), 1023U | 1U << 10 | 511U << 20 | 3U << 30);
  EXPECT_EQ(packed(PixelPacking::kIntegers10And2, {2000, -5, std::nanf(""), 9}), 1023U | 3U << 30);
  const uint32_t word = 7U | 8U << 10 | 9U << 20 | 2U << 30;
  const float expected[] = {7, 8, 9, 2};
  for (uint32_t c = 0; c < 4; ++c) EXPECT_EQ(unpacked(PixelPacking::kIntegers10And2, word, c), expected[c]);
}

template <class T>
Computed<T> gather(const std::vector<uint8_t>& pixels, std::span<const GatheredImage> images,
                   std::span<const GatheredChannel> channels, const OperandInfo& tensor, bool is_planar = false) {
  const size_t rows = is_planar ? 2 : 1;
  const std::vector<uint32_t> table = gathering_table(images, channels, tensor.shape[rows], tensor.shape[rows + 1]);
  EXPECT_EQ(table.size(), gathering_table_words(images.size(), channels.size(), tensor.shape[rows], tensor.shape[rows + 1]));
  return run_outputs(kGatherPixels,
                     {quant8({static_cast<uint32_t>(pixels.size())}, pixels, 1, 0),
                      ints({static_cast<uint32_t>(table.size())}, {table.begin(), table.end()}), bool_scalar(is_planar)},
                     {tensor});
}

// Two pixels of R G B A, and one pixel that is enlarged beside them.
TEST(GatherPixels, ChannelsFollowEachOther) {
  const std::vector<uint8_t> pixels = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 100};
  const GatheredImage images[] = {{0, 2, 1, 4, ComponentEncoding::kByte, PictureFilter::kNearest},
                                  {16, 1, 1, 1, ComponentEncoding::kByte, PictureFilter::kBilinear}};
  const GatheredChannel channels[] = {{0, 2, 1, 0}, {0, 0, 2, 0.5F}, {1, 0, 0.01F, 0}};
  const OperandInfo tensor = test::picture_tensor(kTensorFloat32, {1, 1, 2, 3});
  EXPECT_THAT(gather<float>(pixels, images, channels, tensor).values, ElementsAre(3, 2.5F, 1, 7, 10.5F, 1));
  const OperandInfo planar = test::picture_tensor(kTensorFloat32, {1, 3, 1, 2});
  EXPECT_THAT(gather<float>(pixels, images, channels, planar, true).values, ElementsAre(3, 7, 2.5F, 10.5F, 1, 1));
}

// Pictures define the filters: the same bits, also for images that shrink in one direction and grow in the other.
TEST(GatherPixels, ImagesAreResizedAsPictures) {
  for (const PictureFilter filter : {PictureFilter::kBilinear, PictureFilter::kNearest, PictureFilter::kArea}) {
    for (const auto& [height, width] : {std::pair{5U, 7U}, {30U, 7U}, {5U, 40U}, {31U, 40U}, {9U, 13U}}) {
      const test::TestPicture picture = test::random_picture(PictureFormat::kRgba, 13, 9, 0, height + width);
      PictureConversion conversion;
      conversion.filter = filter;
      const std::vector<int32_t> integers = picture_integers(picture.layout, conversion);
      const std::vector<float> reals = picture_reals(conversion);
      const OperandInfo tensor = test::picture_tensor(kTensorFloat32, {1, height, width, 4});
      const Computed<float> expected = run_outputs(
          kPictureToTensor,
          {quant8({static_cast<uint32_t>(picture.bytes.size())}, picture.bytes, 1, 0),
           ints({static_cast<uint32_t>(integers.size())}, integers), floats({static_cast<uint32_t>(reals.size())}, reals)},
          {tensor});
      const GatheredImage image{0, 13, 9, 4, ComponentEncoding::kByte, filter};
      std::vector<GatheredChannel> channels;
      for (uint32_t c = 0; c < 4; ++c) channels.push_back({0, c, static_cast<float>(1.0 / 255), 0});
      ASSERT_EQ(gather<float>(picture.bytes, {&image, 1}, channels, tensor).values, expected.values)
          << height << "x" << width << ", filter " << static_cast<int>(filter);
    }
  }
}

}  // namespace
}  // namespace nnvk::cpu
