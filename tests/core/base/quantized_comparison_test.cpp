// Scales of 8-bit comparisons are normalized, to avoid overflow and underflow. No comparison's result may change.
#include "core/base/quantized_comparison.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <limits>

namespace nnvk {
namespace {

TEST(ComparableScales, MultiplyBothByOnePowerOfTwo) {
  const ComparableScales scales = comparable_scales(0.3F, 0.1F);
  EXPECT_EQ(scales.a, 0.3F * 4);
  EXPECT_EQ(scales.b, 0.1F * 4);
}

TEST(ComparableScales, DecideLikeTheScalesThemselvesForEveryPairOfDifferences) {
  const float pairs[][2] = {{0.3F, 0.1F}, {0.1F, 0.7F}, {1.0F / 3, 1.0F / 7}, {12345.0F, 0.0625F}, {1e-20F, 1e-20F}};
  for (const auto& [a, b] : pairs) {
    const ComparableScales scales = comparable_scales(a, b);
    for (int x = -255; x <= 255; ++x) {
      for (int y = -255; y <= 255; ++y) {
        const auto fx = static_cast<float>(x);
        const auto fy = static_cast<float>(y);
        ASSERT_EQ(fx * a < fy * b, fx * scales.a < fy * scales.b) << x << " of " << a << ", " << y << " of " << b;
        ASSERT_EQ(fx * a == fy * b, fx * scales.a == fy * scales.b) << x << " of " << a << ", " << y << " of " << b;
      }
    }
  }
}

TEST(ComparableScales, ProductsAreNeverDenormalNorInfinite) {
  const float ends[] = {std::numeric_limits<float>::denorm_min(), 1e-40F, FLT_MIN, 1.0F, FLT_MAX,
                        std::numeric_limits<float>::infinity()};
  for (const float a : ends) {
    for (const float b : ends) {
      const ComparableScales scales = comparable_scales(a, b);
      for (const float scale : {scales.a, scales.b}) {
        EXPECT_GE(scale, FLT_MIN) << a << " beside " << b;
        EXPECT_LE(255.0F * scale, FLT_MAX) << a << " beside " << b;
      }
    }
  }
}

}  // namespace
}  // namespace nnvk
