// Decoded parameters that CPU kernels and GPU emitters share: resize positions, requantization of concatenated bytes, padding.
#include <gtest/gtest.h>

#include "core/operations/parameters/data_movement_parameters.h"
#include "core/operations/parameters/resize_parameters.h"
#include "tests/support/operation_fixture.h"

namespace nnvk {
namespace {

using enum OperandType;

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

OperandInfo bytes(OperandType type, float scale, int32_t zero_point) { return {type, {4}, scale, zero_point, nullptr, nullptr}; }

TEST(RequantizationTable, HalvesAndSaturates) {
  const auto table = requantization_table(bytes(kTensorQuant8Asymm, 2.0F, 10), bytes(kTensorQuant8Asymm, 1.0F, 5));
  EXPECT_EQ(table[10], 5);  // zero point to zero point
  EXPECT_EQ(table[11], 7);  // one step of 2.0 is two of 1.0
  EXPECT_EQ(table[0], 0);   // -20 + 5 saturates
  EXPECT_EQ(table[255], 255);
}

TEST(RequantizationTable, RoundsHalvesAwayFromZero) {
  const auto table = requantization_table(bytes(kTensorQuant8Asymm, 1.0F, 100), bytes(kTensorQuant8Asymm, 2.0F, 100));
  EXPECT_EQ(table[101], 101);  // 0.5 -> 1
  EXPECT_EQ(table[99], 99);    // -0.5 -> -1
}

TEST(RequantizationTable, SignedBytesFollowTheUnsignedPathMovedBy128) {
  const auto plain = requantization_table(bytes(kTensorQuant8Asymm, 0.3F, 60), bytes(kTensorQuant8Asymm, 0.7F, 140));
  const auto shifted =
      requantization_table(bytes(kTensorQuant8AsymmSigned, 0.3F, 60 - 128), bytes(kTensorQuant8AsymmSigned, 0.7F, 140 - 128));
  for (int value = 0; value < 256; ++value) {
    EXPECT_EQ(shifted[static_cast<uint8_t>(value - 128)], static_cast<uint8_t>(plain[static_cast<size_t>(value)] - 128)) << value;
  }
}

TEST(PaddingPairs, AreReadPerDimension) {
  test::OperationFixture operation(OperationCode::kPad);
  operation.tensor({2, 3}).list({1, 0, 2, 3}, {2, 2}).output({3, 8});
  const auto pairs = padding_pairs(operation.view(), 1, 2);
  ASSERT_TRUE(pairs);
  EXPECT_EQ((*pairs)[1].before, 2U);
  EXPECT_EQ((*pairs)[1].after, 3U);
  EXPECT_FALSE(padding_pairs(operation.view(), 1, 3));
}

TEST(TransposePermutation, IsTheSwapOfAMatrixWhenOmitted) {
  test::OperationFixture operation(OperationCode::kTranspose);
  operation.tensor({2, 3}).omitted({kUnknownDimension}, kTensorInt32).output({3, 2});
  const auto permutation = transpose_permutation(operation.view());
  ASSERT_TRUE(permutation);
  EXPECT_EQ(*permutation, (std::vector<uint32_t>{1, 0}));
}

}  // namespace
}  // namespace nnvk
