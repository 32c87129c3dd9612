// binary16 conversions: every half, and the rounding of floats between two halves.
#include "core/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nnvk {
namespace {

TEST(Half, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = half_to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value))));
    } else {
      ASSERT_EQ(float_to_half(value), half) << std::hex << bits;
    }
  }
}

TEST(Half, KnownValuesConvertExactly) {
  EXPECT_EQ(half_to_float(0x3C00), 1.0F);
  EXPECT_EQ(half_to_float(0xC000), -2.0F);
  EXPECT_EQ(half_to_float(0x7BFF), 65504.0F);
  EXPECT_EQ(half_to_float(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(half_to_float(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
}

// Between every two neighbouring halves: a quarter rounds down, three quarters up, the middle to the even one.
TEST(Half, FloatsRoundToTheNearestHalfAndTiesToEven) {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const float low = half_to_float(static_cast<uint16_t>(bits));
    const float high = half_to_float(static_cast<uint16_t>(bits + 1));
    ASSERT_EQ(float_to_half(low + (high - low) * 0.25F), bits);
    ASSERT_EQ(float_to_half(low + (high - low) * 0.75F), bits + 1);
    ASSERT_EQ(float_to_half(low + (high - low) * 0.5F), bits + (bits & 1U));
    ASSERT_EQ(float_to_half(-(low + (high - low) * 0.5F)), 0x8000U | (bits + (bits & 1U)));
  }
}

TEST(Half, LargeMagnitudesBecomeInfinity) {
  EXPECT_EQ(float_to_half(65519.99F), 0x7BFF);
  EXPECT_EQ(float_to_half(65520.0F), 0x7C00);
  EXPECT_EQ(float_to_half(-1e30F), 0xFC00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), 0x7C00);
}

TEST(Half, TinyMagnitudesBecomeZeroWithTheirSign) {
  EXPECT_EQ(float_to_half(std::ldexp(1.0F, -25)), 0x0000);
  EXPECT_EQ(float_to_half(std::nextafter(std::ldexp(1.0F, -25), 1.0F)), 0x0001);
  EXPECT_EQ(float_to_half(-1e-30F), 0x8000);
}

}  // namespace
}  // namespace nnvk
