// CONVERT_PIXELS and GATHER_PIXELS on Vulkan against the CPU reference: the same bytes, in every pair of types and every layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "core/operations/parameters/pixel_conversion.h"
#include "core/operations/parameters/pixel_gathering.h"
#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;

constexpr OperandType kTypes[] = {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned};

OperandInfo side(OperandType type, uint32_t elements) { return tensor(type, {elements}, is_quant8_asymm(type) ? 1.0F : 0.0F); }

OneNode conversion_of(const PixelConversion& conversion, OperandType from, std::vector<std::byte> bytes, OperandType to) {
  const std::vector<int32_t> integers = pixel_integers(conversion);
  const std::vector<float> reals = pixel_reals(conversion);
  OneNode node(kConvertPixels);
  const auto elements = [&](OperandType type, uint32_t channels) {
    return conversion.pixels * (type == kTensorInt32 ? 1 : channels);
  };
  node.input(side(from, elements(from, conversion.from.channels)), std::move(bytes));
  node.constant(tensor(kTensorInt32, {static_cast<uint32_t>(integers.size())}), raw_values(integers));
  node.constant(tensor(kTensorFloat32, {static_cast<uint32_t>(reals.size())}), raw_values(reals));
  return node.output(side(to, elements(to, conversion.to.channels)));
}

std::vector<std::byte> random_elements(OperandType type, size_t count, uint32_t seed) {
  std::minstd_rand random(seed);
  if (!is_float_tensor(type)) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() >> 7);
    return raw_values(bytes);
  }
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 4001) / 1000 - 2;
  return float_values(type, values);
}

TEST(PixelsKernel, EveryTypeBecomesEveryOtherInEveryLayout) {
  NNVK_REQUIRE_VULKAN();
  uint32_t seed = 1;
  for (const OperandType from : kTypes) {
    for (const OperandType to : kTypes) {
      for (const auto& [from_channels, to_channels] : {std::pair{1U, 1U}, {4U, 3U}, {3U, 4U}, {4U, 4U}}) {
        for (const uint32_t layouts : {0U, 1U, 2U}) {
          SCOPED_TRACE(testing::Message() << operand_type_name(from) << " " << from_channels << " to " << operand_type_name(to)
                                          << " " << to_channels << ", layouts " << layouts);
          PixelConversion conversion;
          conversion.pixels = 13 * 7;
          conversion.from = {from_channels, layouts == 1};
          conversion.to = {to_channels, layouts == 2};
          conversion.source = {from_channels == 1 ? 0U : 2U, 1, 0, from_channels == 4 ? 3U : PixelConversion::kNoSource};
          conversion.factor = {0.7F, 1.0F / 3, 61.7F, -2};
          conversion.offset = {0.1F, -17, 3.4F, 255};
          const size_t count = size_t{conversion.pixels} * from_channels;
          expect_same_bytes(conversion_of(conversion, from, random_elements(from, count, seed++), to));
        }
      }
    }
  }
}

TEST(PixelsKernel, ValuesBeyondABytesRangeSaturateAndNanIsTheLowest) {
  NNVK_REQUIRE_VULKAN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {-kInfinity, -1e20F, -129, -128.5F, -0.5F,     0.49999997F,  0.5F,
                                     127.5F,     254.5F, 256,  1e20F,   kInfinity, std::nanf("")};
  for (const OperandType to : {kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
    PixelConversion conversion;
    conversion.pixels = static_cast<uint32_t>(values.size());
    conversion.from = {1, false};
    conversion.to = {1, false};
    conversion.factor[0] = 1;
    expect_same_bytes(conversion_of(conversion, kTensorFloat32, raw_values(values), to));
  }
}

constexpr PixelPacking kPackings[] = {PixelPacking::kFloats11And10, PixelPacking::kIntegers10And2};

// `mask`: the bits that may be set. Devices and the reference may give a NaN other bits, so tests of floats have none.
std::vector<std::byte> random_words(size_t count, uint32_t seed, uint32_t mask) {
  std::mt19937 random(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t& word : words) word = static_cast<uint32_t>(random()) & mask;
  return raw_values(words);
}
// All exponents of the small floats but the highest, for infinity and NaN, and the highest but one.
constexpr uint32_t kSmallFloatsBelowTwo = 0x7FDFFBFF;
constexpr uint32_t kAnyBits = 0xFFFFFFFF;

uint32_t channels_of(PixelPacking packing) { return packing == PixelPacking::kFloats11And10 ? 3 : 4; }

TEST(PixelsKernel, PackedPixelsBecomeEveryType) {
  NNVK_REQUIRE_VULKAN();
  uint32_t seed = 1;
  for (const PixelPacking packing : kPackings) {
    for (const OperandType to : kTypes) {
      for (const bool is_planar : {false, true}) {
        PixelConversion conversion;
        conversion.pixels = 4093;
        conversion.packing = packing;
        conversion.from = {channels_of(packing), false};
        conversion.to = {3, is_planar};
        conversion.source = {2, 1, 0, 0};
        conversion.factor = {0.7F, 1.0F / 3, 1, 1};
        conversion.offset = {0.1F, -17, 0, 0};
        const uint32_t mask = packing == PixelPacking::kFloats11And10 && is_float_tensor(to) ? kSmallFloatsBelowTwo : kAnyBits;
        expect_same_bytes(conversion_of(conversion, kTensorInt32, random_words(conversion.pixels, seed++, mask), to));
      }
    }
  }
}

TEST(PixelsKernel, EveryTypeBecomesPackedPixels) {
  NNVK_REQUIRE_VULKAN();
  uint32_t seed = 1;
  for (const PixelPacking packing : kPackings) {
    for (const OperandType from : kTypes) {
      PixelConversion conversion;
      conversion.pixels = 13 * 7;
      conversion.packing = packing;
      conversion.from = {3, seed % 2 == 0};
      conversion.to = {channels_of(packing), false};
      conversion.source = {2, 1, 0, PixelConversion::kNoSource};
      conversion.factor = {0.7F, 300.0F, 1.0F / 3, 0};
      conversion.offset = {0.1F, 20, 0, 3};
      const size_t count = size_t{conversion.pixels} * 3;
      expect_same_bytes(conversion_of(conversion, from, random_elements(from, count, seed++), kTensorInt32));
    }
  }
}

// All powers of two, their neighbours, and ties between two small floats.
TEST(PixelsKernel, FloatsWithoutSignAreRoundedAsByTheReference) {
  NNVK_REQUIRE_VULKAN();
  std::vector<float> values = {0.0F,
                               -0.0F,
                               -1.0F,
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               std::nanf(""),
                               64512.0F,
                               65024.0F,
                               65025.0F,
                               1e30F,
                               -1e30F};
  for (int exponent = -24; exponent <= 17; ++exponent) {
    for (const float mantissa :
         {1.0F, 1.25F, 1.5F, 1 + 0x1p-6F, 1 + 0x1p-7F, 1 + 0x3p-7F, 1 + 0x1p-5F, 2 - 0x1p-7F, 2 - 0x1p-23F}) {
      const float value = std::ldexp(mantissa, exponent);
      values.insert(values.end(), {value, std::nextafter(value, 0.0F), std::nextafter(value, 1e30F)});
    }
  }
  while (values.size() % 3 != 0) values.push_back(1);
  PixelConversion conversion;
  conversion.pixels = static_cast<uint32_t>(values.size()) / 3;
  conversion.packing = PixelPacking::kFloats11And10;
  conversion.from = {3, false};
  conversion.to = {3, false};
  conversion.factor = {1, 1, 1, 1};
  for (const std::array<uint32_t, 4>& order : {std::array{0U, 1U, 2U, 0U}, {1U, 2U, 0U, 0U}}) {
    conversion.source = order;
    expect_same_bytes(conversion_of(conversion, kTensorFloat32, raw_values(values), kTensorInt32));
  }
}

// Images of every encoding and of three sizes, into the channels of one tensor.
TEST(PixelsKernel, ImagesOfOtherSizesFillTheChannelsOfATensor) {
  NNVK_REQUIRE_VULKAN();
  constexpr uint32_t kHeight = 6, kWidth = 9;
  uint32_t seed = 1;
  for (const OperandType to : kTypes) {
    for (const bool is_planar : {false, true}) {
      for (const PictureFilter filter : {PictureFilter::kBilinear, PictureFilter::kNearest, PictureFilter::kArea}) {
        SCOPED_TRACE(testing::Message() << operand_type_name(to) << ", planar " << is_planar << ", filter "
                                        << static_cast<int>(filter));
        const GatheredImage images[] = {
            {0, 9, 6, 4, ComponentEncoding::kByte, filter},
            {224, 4, 3, 4, ComponentEncoding::kHalf, filter},
            {272, 20, 15, 4, ComponentEncoding::kFloats11And10, filter},
            {1472, 20, 5, 4, ComponentEncoding::kIntegers10And2, filter},
            {1872, 5, 5, 4, ComponentEncoding::kFloat, filter},
        };
        const GatheredChannel channels[] = {{0, 2, 0.5F, 1}, {0, 0, 1, 0},     {1, 1, 3, -1},     {2, 0, 1, 0},
                                            {2, 2, 2, 0.5F}, {3, 3, 40, 0.1F}, {3, 1, 0.125F, 0}, {4, 0, 1, 0}};
        std::vector<std::byte> pixels = random_words(1872 / 4, seed++, kSmallFloatsBelowTwo);
        const auto halves = random_elements(kTensorFloat16, 24, seed++);
        const auto floats = random_elements(kTensorFloat32, 25, seed++);
        std::ranges::copy(halves, pixels.begin() + 224);
        pixels.insert(pixels.end(), floats.begin(), floats.end());
        const std::vector<uint32_t> table = gathering_table(images, channels, kHeight, kWidth);
        OneNode node(kGatherPixels);
        node.input(side(kTensorQuant8Asymm, static_cast<uint32_t>(pixels.size())), pixels);
        node.input(side(kTensorInt32, static_cast<uint32_t>(table.size())), raw_values(table));
        node.scalar(is_planar);
        const Shape shape = is_planar ? Shape{1, 8, kHeight, kWidth} : Shape{1, kHeight, kWidth, 8};
        expect_same_bytes(node.output(tensor(to, shape, is_quant8_asymm(to) ? 1.0F : 0.0F)));
      }
    }
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
