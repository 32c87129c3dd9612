// REDUCE_* and ARGMIN, with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <limits>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;
using testing::ElementsAre;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Operand booleans(Shape shape, const std::vector<uint8_t>& values) { return tensor(kTensorBool8, std::move(shape), values); }

TEST(Reduce, AxesMayBeNegativeAndRepeat) {
  const Operand in = floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto kept =
      run_operation<float>(OperationCode::kReduceSum, {in, ints({3}, {0, -1, 2}), bool_scalar(true)}, kTensorFloat32);
  EXPECT_EQ(kept.shape, Shape({1, 2, 1}));
  EXPECT_THAT(kept.values, ElementsAre(14, 22));
  const auto all =
      run_operation<float>(OperationCode::kReduceSum, {in, ints({3}, {0, 1, 2}), bool_scalar(false)}, kTensorFloat32);
  EXPECT_EQ(all.shape, Shape({1}));
  EXPECT_THAT(all.values, ElementsAre(36));
}

TEST(Reduce, RefusesAxesOutsideTheRankAndEmptyLists) {
  const Operand in = floats({2}, {1, 2});
  for (const int32_t axis : {1, -2, INT32_MAX, INT32_MIN}) {
    const auto r = run_operation<float>(OperationCode::kReduceSum, {in, ints({1}, {axis}), bool_scalar(false)}, kTensorFloat32);
    ASSERT_FALSE(r.status);
    EXPECT_EQ(r.status.error().code, Code::kOpFailed);
  }
  EXPECT_FALSE(run_operation<float>(OperationCode::kReduceSum, {in, ints({0}, {}), bool_scalar(false)}, kTensorFloat32).status);
}

TEST(Reduce, ZeroAbsorbsProducts) {
  const auto r =
      run_operation<float>(OperationCode::kReduceProd,
                           {floats({3, 2}, {0, kInfinity, kNan, 0, 2, -3}), ints({1}, {1}), bool_scalar(false)}, kTensorFloat32);
  EXPECT_THAT(r.values, ElementsAre(0, 0, -6));
}

TEST(Reduce, ExtremaIgnoreNanAndStartFinite) {
  const Operand in = floats({3, 2}, {kNan, 1, kNan, kNan, -kInfinity, kInfinity});
  const auto largest = run_operation<float>(OperationCode::kReduceMax, {in, ints({1}, {1}), bool_scalar(false)}, kTensorFloat32);
  EXPECT_THAT(largest.values, ElementsAre(1, -FLT_MAX, kInfinity));
  const auto least = run_operation<float>(OperationCode::kReduceMin, {in, ints({1}, {1}), bool_scalar(false)}, kTensorFloat32);
  EXPECT_THAT(least.values, ElementsAre(1, FLT_MAX, -kInfinity));
}

TEST(Reduce, HalfExtremaStartAtTheHalfRange) {
  const Operand in = tensor<uint16_t>(kTensorFloat16, {1, 1}, {0xFC00});  // minus infinity
  const auto r = run_operation<uint16_t>(OperationCode::kReduceMax, {in, ints({1}, {0}), bool_scalar(false)}, kTensorFloat16);
  EXPECT_THAT(r.values, ElementsAre(0xFBFF));  // -65504
}

TEST(Reduce, BytesAreComparedRaw) {
  const auto r = run_operation<int8_t>(OperationCode::kReduceMin,
                                       {signed8({2, 2}, {-128, 127, 5, 3}, 0.5F, 9), ints({1}, {0}), bool_scalar(false)},
                                       kTensorQuant8AsymmSigned, 0.5F, 9);
  EXPECT_THAT(r.values, ElementsAre(-128, 3));
}

TEST(Reduce, BooleansComeOutAsZeroOrOne) {
  const Operand in = booleans({3, 2}, {2, 255, 0, 7, 0, 0});
  const auto all = run_operation<uint8_t>(OperationCode::kReduceAll, {in, ints({1}, {1}), bool_scalar(false)}, kTensorBool8);
  EXPECT_THAT(all.values, ElementsAre(1, 0, 0));
  const auto any = run_operation<uint8_t>(OperationCode::kReduceAny, {in, ints({1}, {1}), bool_scalar(false)}, kTensorBool8);
  EXPECT_THAT(any.values, ElementsAre(1, 1, 0));
}

TEST(Argmin, TiesKeepTheLowestIndexAndNanWinsOnlyAtTheStart) {
  const auto r = run_operation<int32_t>(OperationCode::kArgmin,
                                        {floats({3, 3}, {2, 1, 1, kNan, 0, -5, 4, kNan, 3}), int_scalar(-1)}, kTensorInt32);
  EXPECT_THAT(r.values, ElementsAre(1, 0, 2));
  const auto bytes =
      run_operation<int32_t>(OperationCode::kArgmin, {signed8({3}, {5, -128, -128}, 1, 0), int_scalar(0)}, kTensorInt32);
  EXPECT_EQ(bytes.shape, Shape({1}));
  EXPECT_THAT(bytes.values, ElementsAre(1));
}

}  // namespace
}  // namespace nnvk::cpu
