// CONVERT_PIXELS on Vulkan against the CPU reference: the same bytes, in every pair of types and every layout.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/operations/parameters/pixel_conversion.h"
#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;

constexpr OperandType kTypes[] = {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned};

OperandInfo side(OperandType type, uint32_t elements) { return tensor(type, {elements}, is_float_tensor(type) ? 0.0F : 1.0F); }

OneNode conversion_of(const PixelConversion& conversion, OperandType from, std::vector<std::byte> bytes, OperandType to) {
  const std::vector<int32_t> integers = pixel_integers(conversion);
  const std::vector<float> reals = pixel_reals(conversion);
  OneNode node(kConvertPixels);
  node.input(side(from, conversion.pixels * conversion.from.channels), std::move(bytes));
  node.constant(tensor(kTensorInt32, {static_cast<uint32_t>(integers.size())}), raw_values(integers));
  node.constant(tensor(kTensorFloat32, {static_cast<uint32_t>(reals.size())}), raw_values(reals));
  return node.output(side(to, conversion.pixels * conversion.to.channels));
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

}  // namespace
}  // namespace nnvk::vulkan::rig
