// BATCH_MATMUL and GROUPED_CONV_2D with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using testing::ElementsAre;
using enum OperandType;

Computed<float> multiply(const Operand& x, const Operand& y, bool adjoint_x, bool adjoint_y) {
  return run_operation<float>(OperationCode::kBatchMatmul, {x, y, bool_scalar(adjoint_x), bool_scalar(adjoint_y)},
                              kTensorFloat32);
}

TEST(BatchMatmul, EitherSideMayBeTransposed) {
  const Operand x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Operand xt = floats({3, 2}, {1, 4, 2, 5, 3, 6});
  const Operand y = floats({3, 2}, {1, 0, 0, 1, 1, 1});
  const Operand yt = floats({2, 3}, {1, 0, 1, 0, 1, 1});
  for (const auto& r :
       {multiply(x, y, false, false), multiply(xt, y, true, false), multiply(x, yt, false, true), multiply(xt, yt, true, true)}) {
    ASSERT_TRUE(r.status) << r.status.error().message;
    EXPECT_EQ(r.shape, Shape({2, 2}));
    EXPECT_THAT(r.values, ElementsAre(4, 5, 10, 11));
  }
}

TEST(BatchMatmul, EveryMatrixOfABatchMeetsItsOwn) {
  const auto r = multiply(floats({2, 1, 1, 2}, {1, 2, 3, 4}), floats({2, 1, 2, 1}, {1, 1, 10, 10}), false, false);
  EXPECT_EQ(r.shape, Shape({2, 1, 1, 1}));
  EXPECT_THAT(r.values, ElementsAre(3, 70));
}

TEST(BatchMatmul, InfinitiesAreNotClamped) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(multiply(floats({1, 1}, {inf}), floats({1, 1}, {-2}), false, false).values, ElementsAre(-inf));
}

TEST(BatchMatmul, IntegersWrap) {
  const auto r = run_operation<int32_t>(
      OperationCode::kBatchMatmul, {ints({1, 2}, {INT32_MAX, 3}), ints({2, 1}, {2, 1}), bool_scalar(false), bool_scalar(false)},
      kTensorInt32);
  EXPECT_THAT(r.values, ElementsAre(1));  // 2^32 - 2 + 3
}

TEST(BatchMatmul, QuantizedSumsUseDifferencesToTheZeroPoints) {
  // (2 - 1) * (5 - 3) + (4 - 1) * (1 - 3) = -4 -> -4 * 0.5 * 0.5 / 0.25 + 7
  const auto r = run_operation<int8_t>(
      OperationCode::kBatchMatmul,
      {signed8({1, 2}, {2, 4}, 0.5F, 1), signed8({2, 1}, {5, 1}, 0.5F, 3), bool_scalar(false), bool_scalar(false)},
      kTensorQuant8AsymmSigned, 0.25F, 7);
  EXPECT_THAT(r.values, ElementsAre(3));
}

TEST(BatchMatmul, DifferentBatchesRanksAndInnerSizesFail) {
  const Operand one = floats({1, 2, 2}, {1, 2, 3, 4});
  EXPECT_FALSE(multiply(one, floats({2, 2, 2}, std::vector<float>(8)), false, false).status);
  EXPECT_FALSE(multiply(one, floats({2, 2}, std::vector<float>(4)), false, false).status);
  EXPECT_FALSE(multiply(one, floats({1, 3, 2}, std::vector<float>(6)), false, false).status);
  EXPECT_FALSE(multiply(floats({2}, {1, 2}), floats({2}, {1, 2}), false, false).status);
  EXPECT_FALSE(multiply(floats({1, 0}, {}), floats({0, 1}, {}), false, false).status);
}

// A 1x1 image with four channels, two groups of two; three outputs are no multiple of the groups.
Computed<float> grouped(const std::vector<float>& filter, uint32_t outputs, int32_t groups, bool nchw = false) {
  const Operand image = floats(nchw ? Shape{1, 4, 1, 1} : Shape{1, 1, 1, 4}, {1, 2, 3, 4});
  return run_operation<float>(OperationCode::kGroupedConv2d,
                              {image, floats({outputs, 1, 1, static_cast<uint32_t>(filter.size()) / outputs}, filter),
                               floats({outputs}, std::vector<float>(outputs, 0.5F)), int_scalar(2), int_scalar(1), int_scalar(1),
                               int_scalar(groups), int_scalar(0), bool_scalar(nchw)},
                              kTensorFloat32);
}

TEST(GroupedConv2d, EveryGroupReadsItsOwnChannels) {
  for (const bool nchw : {false, true}) {
    EXPECT_THAT(grouped({1, 1, 1, -1, 1, 1, 1, -1}, 4, 2, nchw).values, ElementsAre(3.5F, -0.5F, 7.5F, -0.5F));
    EXPECT_THAT(grouped({1, 2, 3, 4}, 4, 4, nchw).values, ElementsAre(1.5F, 4.5F, 9.5F, 16.5F));
    EXPECT_THAT(grouped({1, 1, 1, 1}, 1, 1, nchw).values, ElementsAre(10.5F));
  }
}

TEST(GroupedConv2d, GroupsThatDoNotDivideTheChannelsFail) {
  EXPECT_FALSE(grouped({1, 1, 1, 1, 1, 1}, 3, 2).status);
  EXPECT_FALSE(grouped({1, 1, 1, 1}, 2, 3).status);
  EXPECT_FALSE(grouped({1, 1, 1, 1}, 4, 0).status);
  EXPECT_FALSE(grouped({1, 1, 1, 1}, 4, -4).status);
}

}  // namespace
}  // namespace nnvk::cpu
