// Decoded parameters that CPU kernels and GPU emitters share: resize positions.
#include <gtest/gtest.h>

#include "core/operations/parameters/resize_parameters.h"

namespace nnvk {
namespace {

TEST(NearestSources, RoundDownFromTheUpperLeftCorner) {
  EXPECT_EQ(nearest_sources(4, 8, {}), (std::vector<uint32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(nearest_sources(4, 2, {}), (std::vector<uint32_t>{0, 2}));
}

TEST(NearestSources, RoundToTheNearestWithAlignedCorners) {
  EXPECT_EQ(nearest_sources(4, 3, {.align_corners = true}), (std::vector<uint32_t>{0, 2, 3}));
  EXPECT_EQ(nearest_sources(4, 1, {.align_corners = true}), (std::vector<uint32_t>{0}));
}

TEST(NearestSources, TakePixelCentresWithHalfPixelCenters) {
  EXPECT_EQ(nearest_sources(4, 2, {.half_pixel_centers = true}), (std::vector<uint32_t>{1, 3}));
}

TEST(BilinearTaps, NameBothNeighboursAndTheWeightOfTheSecond) {
  const auto taps = bilinear_taps(2, 4, {});
  ASSERT_EQ(taps.size(), 4U);
  EXPECT_EQ(taps[1].low, 0U);
  EXPECT_EQ(taps[1].high, 1U);
  EXPECT_EQ(taps[1].weight, 0.5F);
  EXPECT_EQ(taps[3].low, 1U);
  EXPECT_EQ(taps[3].high, 1U);  // the last element has no neighbour
}

TEST(BilinearTaps, AreTheSameElementBeforeTheFirstPixelCentre) {
  const auto taps = bilinear_taps(2, 4, {.half_pixel_centers = true});
  EXPECT_EQ(taps[0].low, 0U);
  EXPECT_EQ(taps[0].high, 0U);
  EXPECT_EQ(taps[0].weight, -0.25F);
}

TEST(BilinearTaps, StayInsideTheInputForAnySizes) {
  for (const uint32_t in : {1U, 2U, 3U, 7U, 100U, 16777217U}) {
    for (const uint32_t out : {1U, 2U, 5U, 99U}) {
      for (const ResizeMapping mapping : {ResizeMapping{}, ResizeMapping{true, false}, ResizeMapping{false, true}}) {
        for (const ResizeTap& tap : bilinear_taps(in, out, mapping)) {
          EXPECT_LT(tap.low, in);
          EXPECT_LT(tap.high, in);
        }
        for (const uint32_t source : nearest_sources(in, out, mapping)) EXPECT_LT(source, in);
      }
    }
  }
}

}  // namespace
}  // namespace nnvk
