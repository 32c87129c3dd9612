// Random draws: the generator against its published answers, common properties of draws, and the number order of draws and
// selections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/philox.h"
#include "core/base/sort_key.h"
#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using testing::ElementsAre;
using enum OperandType;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(SortKey, OrdersLikeTheFloats) {
  const float ordered[] = {-kInfinity, -3.0F, -1e-40F, 0.0F, 1e-40F, 2.5F, kInfinity};
  for (size_t i = 1; i < std::size(ordered); ++i) EXPECT_LT(sort_key(ordered[i - 1]), sort_key(ordered[i])) << ordered[i];
  EXPECT_EQ(sort_key(-0.0F), sort_key(0.0F));
  EXPECT_GT(sort_key(kNan), sort_key(kInfinity));
  EXPECT_LT(sort_key(INT32_MIN), sort_key(-1));
  EXPECT_LT(sort_key(-1), sort_key(0));
}

// The known answers published with the generator.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_THAT(philox_block({}, 0), ElementsAre(0x6627E8D5U, 0xE169C58DU, 0xBC57AC4CU, 0x9B00DBD8U));
  EXPECT_THAT(philox_block({{~0U, ~0U}, {~0U, ~0U}}, ~uint64_t{0}),
              ElementsAre(0x408F276DU, 0x41C83B0EU, 0xA20BC7C6U, 0x6D5451FDU));
  EXPECT_THAT(philox_block({{0xA4093822U, 0x299F31D0U}, {0x13198A2EU, 0x03707344U}}, 0x85A308D3243F6A88U),
              ElementsAre(0xD16CFE09U, 0x94FDCCEBU, 0x5001E420U, 0x24126EA1U));
}

TEST(Philox, SeedsAreSignExtended) {
  const PhiloxSeed seed = philox_seed(-2, 7);
  EXPECT_THAT(seed.key, ElementsAre(0xFFFFFFFEU, 0xFFFFFFFFU));
  EXPECT_THAT(seed.counter_high, ElementsAre(7U, 0U));
}

std::vector<int32_t> draw(const Operand& logits, int32_t samples, const std::vector<int32_t>& seeds) {
  const auto r =
      run_operation<int32_t>(OperationCode::kRandomMultinomial, {logits, int_scalar(samples), ints({2}, seeds)}, kTensorInt32);
  EXPECT_TRUE(r.status) << r.status.error().message;
  return r.values;
}

TEST(RandomMultinomial, FrequenciesFollowTheLogits) {
  const auto samples = draw(floats({1, 3}, {0, std::log(2.0F), std::log(5.0F)}), 8000, {1, 2});
  for (const auto& [value, share] : {std::pair{0, 0.125}, {1, 0.25}, {2, 0.625}}) {
    EXPECT_NEAR(static_cast<double>(std::count(samples.begin(), samples.end(), value)) / 8000, share, 0.02);
  }
}

TEST(RandomMultinomial, EqualSeedsRepeatAndZeroSeedsDoNot) {
  const auto logits = floats({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(draw(logits, 50, {3, 0}), draw(logits, 50, {3, 0}));
  EXPECT_NE(draw(logits, 50, {3, 0}), draw(logits, 50, {4, 0}));
  EXPECT_NE(draw(logits, 50, {0, 0}), draw(logits, 50, {0, 0}));
}

TEST(RandomMultinomial, OnlyFiniteLogitsAreDrawn) {
  for (const int32_t sample : draw(floats({1, 4}, {kInfinity, -kInfinity, 1e30F, kNan}), 20, {1, 1})) EXPECT_EQ(sample, 2);
  for (const int32_t sample : draw(floats({1, 3}, {kNan, kInfinity, -kInfinity}), 5, {1, 1})) EXPECT_EQ(sample, 2);
  EXPECT_TRUE(draw(floats({1, 1}, {0}), 0, {1, 1}).empty());
  EXPECT_FALSE(run_operation<int32_t>(OperationCode::kRandomMultinomial, {floats({1, 1}, {0}), int_scalar(-1), ints({2}, {1, 1})},
                                      kTensorInt32)
                   .status);
}

}  // namespace
}  // namespace nnvk::cpu
