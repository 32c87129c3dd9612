// Lookups, selections, random draws and hashes, with results worked out by hand or by independent implementations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/philox.h"
#include "core/base/sort_key.h"
#include "tests/cpu_fallback/reference/operation_outputs.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using testing::ElementsAre;
using enum OperandType;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Gather, PicksSlicesAndKeepsTheShapeOfTheIndices) {
  const auto in = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto r = run_operation<float>(OperationCode::kGather, {in, int_scalar(1), ints({2, 1}, {2, 0})}, kTensorFloat32);
  EXPECT_EQ(r.shape, Shape({2, 2, 1}));
  EXPECT_THAT(r.values, ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(run_operation<float>(OperationCode::kGather, {in, int_scalar(-2), ints({3}, {1, 1, 0})}, kTensorFloat32).values,
              ElementsAre(4, 5, 6, 4, 5, 6, 1, 2, 3));
}

TEST(Gather, RefusesIndicesOutsideTheAxis) {
  for (const int32_t index : {-1, 3, INT32_MIN, INT32_MAX}) {
    const auto r =
        run_operation<float>(OperationCode::kGather, {floats({3}, {1, 2, 3}), int_scalar(0), ints({1}, {index})}, kTensorFloat32);
    ASSERT_FALSE(r.status);
    EXPECT_EQ(r.status.error().code, Code::kOpFailed);
  }
}

TEST(EmbeddingLookup, CopiesRowsOfAnyRank) {
  const auto r =
      run_operation<int32_t>(OperationCode::kEmbeddingLookup, {ints({2}, {1, 0}), ints({2, 1, 2}, {1, 2, 3, 4})}, kTensorInt32);
  EXPECT_EQ(r.shape, Shape({2, 1, 2}));
  EXPECT_THAT(r.values, ElementsAre(3, 4, 1, 2));
  EXPECT_FALSE(
      run_operation<int32_t>(OperationCode::kEmbeddingLookup, {ints({1}, {2}), ints({2, 1}, {1, 2})}, kTensorInt32).status);
}

TEST(HashtableLookup, MissingKeysGiveZeroBytes) {
  const auto r = run_outputs(OperationCode::kHashtableLookup,
                             {ints({4}, {5, INT32_MAX, INT32_MIN, 6}), ints({3}, {INT32_MIN, 5, INT32_MAX}),
                              quant8({3, 2}, {1, 2, 3, 4, 5, 6}, 0.5F, 100)},
                             {output_of(kTensorQuant8Asymm, 0.5F, 100), output_of(kTensorQuant8Asymm, 1.0F, 0)});
  ASSERT_TRUE(r.status);
  EXPECT_THAT(r.values<uint8_t>(0), ElementsAre(3, 4, 5, 6, 1, 2, 0, 0));
  EXPECT_THAT(r.values<uint8_t>(1), ElementsAre(1, 1, 1, 0));
}

TEST(HashtableLookup, RefusesKeysThatDoNotMatchTheRows) {
  EXPECT_FALSE(run_outputs(OperationCode::kHashtableLookup, {ints({1}, {5}), ints({2}, {1, 2}), floats({3, 1}, {1, 2, 3})},
                           {output_of(kTensorFloat32), output_of(kTensorQuant8Asymm, 1.0F, 0)})
                   .status);
}

TEST(SortKey, OrdersLikeTheFloats) {
  const float ordered[] = {-kInfinity, -3.0F, -1e-40F, 0.0F, 1e-40F, 2.5F, kInfinity};
  for (size_t i = 1; i < std::size(ordered); ++i) EXPECT_LT(sort_key(ordered[i - 1]), sort_key(ordered[i])) << ordered[i];
  EXPECT_EQ(sort_key(-0.0F), sort_key(0.0F));
  EXPECT_GT(sort_key(kNan), sort_key(kInfinity));
  EXPECT_LT(sort_key(INT32_MIN), sort_key(-1));
  EXPECT_LT(sort_key(-1), sort_key(0));
}

TEST(Topk, EqualValuesComeWithTheLargerIndexFirst) {
  const auto r = run_outputs(OperationCode::kTopkV2, {floats({2, 4}, {1, 3, 3, 2, 0.0F, -0.0F, 0.0F, -1}), int_scalar(3)},
                             {output_of(kTensorFloat32), output_of(kTensorInt32)});
  ASSERT_TRUE(r.status);
  EXPECT_EQ(r.infos[0].shape, Shape({2, 3}));
  EXPECT_THAT(r.values<float>(0), ElementsAre(3, 3, 2, 0, 0, 0));
  EXPECT_THAT(r.values<int32_t>(1), ElementsAre(2, 1, 3, 2, 1, 0));
}

TEST(Topk, ComparesRawIntegersOfEveryType) {
  const auto bytes = run_outputs(OperationCode::kTopkV2, {signed8({4}, {-128, 127, -1, 0}, 1, 5), int_scalar(2)},
                                 {output_of(kTensorQuant8AsymmSigned, 1, 5), output_of(kTensorInt32)});
  EXPECT_THAT(bytes.values<int8_t>(0), ElementsAre(127, 0));
  const auto words = run_outputs(OperationCode::kTopkV2, {ints({3}, {INT32_MIN, INT32_MAX, -1}), int_scalar(3)},
                                 {output_of(kTensorInt32), output_of(kTensorInt32)});
  EXPECT_THAT(words.values<int32_t>(1), ElementsAre(1, 2, 0));
}

TEST(Topk, RefusesAKOutsideTheRow) {
  for (const int32_t k : {0, -1, 4, INT32_MAX}) {
    EXPECT_EQ(run_outputs(OperationCode::kTopkV2, {floats({3}, {1, 2, 3}), int_scalar(k)},
                          {output_of(kTensorFloat32), output_of(kTensorInt32)})
                  .code(),
              Code::kOpFailed)
        << k;
  }
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

std::vector<int32_t> project(const Operand& seeds, const Operand& input, const Operand& weight, int32_t type) {
  const auto r = run_operation<int32_t>(OperationCode::kLshProjection, {seeds, input, weight, int_scalar(type)}, kTensorInt32);
  EXPECT_TRUE(r.status) << r.status.error().message;
  return r.values;
}

Operand no_weight() {
  Operand none = floats({0}, {});
  none.present = false;
  return none;
}

TEST(LshProjection, GivesThePublishedHashes) {
  const auto seeds = floats({4, 2}, {0.123F, 0.456F, -0.321F, -0.654F, 1.234F, 5.678F, -4.321F, -8.765F});
  const auto input = ints({3, 2}, {12345, 54321, 67890, 9876, -12345678, -87654321});
  EXPECT_THAT(project(seeds, input, floats({3}, {0.12F, 0.34F, 0.56F}), 2), ElementsAre(1, 1, 1, 0, 1, 1, 1, 0));
  EXPECT_THAT(project(seeds, input, no_weight(), 3), ElementsAre(1, 6, 10, 12));
  EXPECT_THAT(project(seeds, input, no_weight(), 1), ElementsAre(1, 2, 2, 0));
}

// Signs of the fingerprints of (seed 1, 2 ... 32, one row of bytes 11 + 37 i), computed with Google's FarmHash library. The
// lengths reach every branch of the fingerprint and both sides of its borders.
TEST(LshProjection, HashesKeysOfEveryLength) {
  std::vector<float> seeds(32);
  std::iota(seeds.begin(), seeds.end(), 1.0F);
  const std::pair<uint32_t, uint32_t> known[] = {
      {1, 0xBBCA1B9C},   {4, 0x73043010},   {5, 0x33602BFC},   {12, 0xB034975C},   {13, 0x8199BF90},
      {28, 0x45738105},  {29, 0x17D63463},  {60, 0x120FDB0C},  {61, 0xBABE08DD},   {124, 0x1C17589B},
      {125, 0x6E020DBA}, {188, 0x64465937}, {200, 0xCD8055C9}, {1000, 0xF35D7EAD},
  };
  for (const auto& [length, signs] : known) {
    std::vector<uint8_t> row(length);
    for (uint32_t i = 0; i < length; ++i) row[i] = static_cast<uint8_t>(11 + 37 * i);
    EXPECT_THAT(project(floats({1, 32}, seeds), quant8({1, length}, row, 1, 0), no_weight(), 1),
                ElementsAre(static_cast<int32_t>(signs)))
        << length << " bytes";
  }
}

TEST(LshProjection, NanWeightsClearTheBitAndInfinitiesDecideIt) {
  const auto seeds = floats({2, 1}, {1, 2});
  const auto input = quant8({1, 1}, {11}, 1, 0);  // signs + and -: 0xBBCA1B9C begins with 10
  EXPECT_THAT(project(seeds, input, floats({1}, {kNan}), 2), ElementsAre(0, 0));
  EXPECT_THAT(project(seeds, input, floats({1}, {kInfinity}), 2), ElementsAre(1, 0));
  EXPECT_THAT(project(seeds, input, floats({1}, {-kInfinity}), 2), ElementsAre(0, 1));
  EXPECT_THAT(project(seeds, input, floats({1}, {0}), 2), ElementsAre(0, 0));
}

}  // namespace
}  // namespace nnvk::cpu
