// Rules and shapes of the element-wise operations: binary, comparison, unary, casts.
#include <gtest/gtest.h>

#include "core/operations/operation_enumerators.h"
#include "tests/support/operation_fixture.h"

namespace nnvk {
namespace {

using test::OperationFixture;
using enum OperandType;
constexpr uint32_t kOpen = kUnknownDimension;

OperationFixture add(Shape a, Shape b, int32_t activation = 0) {
  OperationFixture operation(OperationCode::kAdd);
  operation.tensor(std::move(a)).tensor(std::move(b)).scalar(activation).output(Shape::unknown_rank());
  return operation;
}

TEST(Broadcast, AlignsAtTheLastDimensionAndStretchesOnes) {
  EXPECT_EQ(add({2, 1, 3}, {4, 3}).shape(), "[2, 4, 3]");
  EXPECT_EQ(add({1}, {5, 6}).shape(), "[5, 6]");
}

TEST(Broadcast, AnEmptyDimensionPairsWithZeroOrOneOnly) {
  EXPECT_EQ(add({0, 3}, {1, 3}).shape(), "[0, 3]");
  EXPECT_EQ(add({0}, {2}).shape(), "OP_FAILED");
}

TEST(Broadcast, UnknownDimensionsAreFilledOnlyWhereNothingElseFits) {
  EXPECT_EQ(add({kOpen, kOpen, kOpen}, {7, 1, kOpen}).shape(), "[7, ?, ?]");
  EXPECT_EQ(add(Shape::unknown_rank(), {2, 2}).shape(), "[unknown rank]");
}

TEST(Broadcast, DifferentSizesFail) { EXPECT_EQ(add({2, 3}, {2, 4}).shape(), "OP_FAILED"); }

TEST(Arithmetic, RankFiveIsRefusedWhenAddedOnlyIfBothRanksAreKnown) {
  EXPECT_FALSE(add({1, 1, 1, 1, 1}, {1}).check());
  OperationFixture open(OperationCode::kAdd);
  open.tensor({1, 1, 1, 1, 1}).tensor(Shape::unknown_rank()).scalar(0).output(Shape::unknown_rank());
  EXPECT_TRUE(open.check());
  EXPECT_EQ(open.shape(), "OP_FAILED");
}

TEST(Arithmetic, ActivationCodesOutsideZeroToThreeFail) {
  EXPECT_EQ(add({1}, {1}, 3).shape(), "[1]");
  for (const int32_t activation : {-1, 4, INT32_MIN, INT32_MAX}) EXPECT_EQ(add({1}, {1}, activation).shape(), "OP_FAILED");
}

TEST(Arithmetic, IntegersTakeNoActivation) {
  for (const int32_t activation : {0, 1}) {
    OperationFixture operation(OperationCode::kMul);
    operation.tensor({2}, kTensorInt32).tensor({2}, kTensorInt32).scalar(activation).output({2}, kTensorInt32);
    EXPECT_EQ(operation.shape(), activation == 0 ? "[2]" : "OP_FAILED");
  }
}

TEST(Arithmetic, AQuantizedProductNeedsAnOutputScaleAboveTheProductOfTheInputScales) {
  for (const float scale : {0.25F, 0.26F}) {
    OperationFixture operation(OperationCode::kMul);
    operation.tensor({1}, kTensorQuant8Asymm, 0.5F).tensor({1}, kTensorQuant8Asymm, 0.5F).scalar(0);
    operation.output({1}, kTensorQuant8Asymm, scale);
    EXPECT_EQ(operation.check().has_value(), scale > 0.25F);
  }
}

TEST(Arithmetic, AQuantizedSumNeedsAnOutputMultiplierBelowOne) {
  OperationFixture operation(OperationCode::kAdd);
  operation.tensor({1}, kTensorQuant8Asymm, 2.0F).tensor({1}, kTensorQuant8Asymm, 1.0F).scalar(0);
  operation.output({1}, kTensorQuant8Asymm, 1e-6F);
  EXPECT_EQ(operation.shape(), "OP_FAILED");
}

TEST(Arithmetic, TheFeatureLevelFollowsTheTypes) {
  const auto level = [](OperationCode code, OperandType type) {
    OperationFixture operation(code);
    operation.tensor({1}, type, 0.5F).tensor({1}, type, 0.5F).scalar(0).output({1}, type, 0.5F);
    return operation.level();
  };
  EXPECT_EQ(level(OperationCode::kAdd, kTensorFloat32), 1);
  EXPECT_EQ(level(OperationCode::kSub, kTensorFloat32), 2);
  EXPECT_EQ(level(OperationCode::kSub, kTensorQuant8Asymm), 3);
  EXPECT_EQ(level(OperationCode::kAdd, kTensorFloat16), 3);
  EXPECT_EQ(level(OperationCode::kMul, kTensorQuant8AsymmSigned), 4);
  EXPECT_EQ(level(OperationCode::kDiv, kTensorQuant8Asymm), 0);
  EXPECT_EQ(level(OperationCode::kAdd, kTensorBool8), 0);
}

TEST(Arithmetic, AnUnknownRankNeedsLevelThree) {
  OperationFixture operation(OperationCode::kAdd);
  operation.tensor(Shape::unknown_rank()).tensor({1}).scalar(0).output({1});
  EXPECT_EQ(operation.level(), 3);
}

TEST(Arithmetic, MissingOperandsFailWithTheCodeOfTheirGroup) {
  OperationFixture sum(OperationCode::kAdd);
  sum.tensor({1}).omitted({1}, kTensorFloat32).scalar(0).output({1});
  EXPECT_EQ(sum.shape(), "OP_FAILED");
  OperationFixture maximum(OperationCode::kMaximum);
  maximum.tensor({1}).omitted({1}, kTensorFloat32).output({1});
  EXPECT_EQ(maximum.shape(), "BAD_DATA");
}

TEST(Extremum, TakesNoEmptyTensors) {
  OperationFixture operation(OperationCode::kMaximum);
  operation.tensor({0}).tensor({1}).output(Shape::unknown_rank());
  EXPECT_EQ(operation.shape(), "BAD_DATA");
}

TEST(Comparison, GivesBooleansOfTheBroadcastShape) {
  OperationFixture operation(OperationCode::kLess);
  operation.tensor({2, 1}, kTensorInt32).tensor({3}, kTensorInt32).output({kOpen, 3}, kTensorBool8);
  EXPECT_EQ(operation.level(), 3);
  EXPECT_EQ(operation.shape(), "[2, 3]");
}

TEST(Unary, CopiesTheShapeAndTheLimitOfRankFour) {
  const auto apply = [](OperationCode code, Shape shape) {
    OperationFixture operation(code);
    operation.tensor(std::move(shape)).output(Shape::unknown_rank());
    return operation;
  };
  EXPECT_EQ(apply(OperationCode::kRelu, {2, kOpen}).shape(), "[2, ?]");
  EXPECT_EQ(apply(OperationCode::kRelu, {0, 4}).shape(), "[0, 4]");
  EXPECT_EQ(apply(OperationCode::kFloor, {0, 4}).shape(), "OP_FAILED");
  EXPECT_FALSE(apply(OperationCode::kFloor, {1, 1, 1, 1, 1}).check());
  EXPECT_TRUE(apply(OperationCode::kAbs, {1, 1, 1, 1, 1}).check());
}

TEST(Unary, RectifiersKeepTheQuantization) {
  OperationFixture operation(OperationCode::kRelu6);
  operation.tensor({2}, kTensorQuant8Asymm, 0.5F, 3).output({2}, kTensorQuant8Asymm, 0.5F, 4);
  EXPECT_TRUE(operation.check());
  EXPECT_EQ(operation.shape(), "OP_FAILED");
}

TEST(Unary, LogisticAndTanhHaveOneOutputQuantizationPerType) {
  const auto apply = [](OperationCode code, OperandType type, float scale, int32_t zero_point) {
    OperationFixture operation(code);
    operation.tensor({2}, type, 0.1F, 7).output({2}, type, scale, zero_point);
    return operation.shape();
  };
  EXPECT_EQ(apply(OperationCode::kLogistic, kTensorQuant8Asymm, 1 / 256.0F, 0), "[2]");
  EXPECT_EQ(apply(OperationCode::kLogistic, kTensorQuant8AsymmSigned, 1 / 256.0F, -128), "[2]");
  EXPECT_EQ(apply(OperationCode::kLogistic, kTensorQuant8Asymm, 1 / 128.0F, 0), "OP_FAILED");
  EXPECT_EQ(apply(OperationCode::kTanh, kTensorQuant8Asymm, 1 / 128.0F, 128), "[2]");
  EXPECT_EQ(apply(OperationCode::kTanh, kTensorQuant8AsymmSigned, 1 / 128.0F, 128), "OP_FAILED");
}

TEST(Unary, HardSwishLimitsTheRatioOfTheScales) {
  for (const float scale : {127.0F, 128.0F}) {
    OperationFixture operation(OperationCode::kHardSwish);
    operation.tensor({2}, kTensorQuant8Asymm, scale).output({2}, kTensorQuant8Asymm, 1.0F);
    EXPECT_EQ(operation.shape(), scale < 128 ? "[2]" : "OP_FAILED");
  }
}

TEST(Cast, AFullyDeclaredOutputMustRepeatTheDeclaredInput) {
  const auto apply = [](Shape input, Shape output) {
    OperationFixture operation(OperationCode::kCast);
    operation.tensor(std::move(input), kTensorInt32).output(std::move(output), kTensorFloat32);
    return operation.check().has_value();
  };
  EXPECT_TRUE(apply({2, 3}, {2, 3}));
  EXPECT_FALSE(apply({2, 3}, {3, 2}));
  EXPECT_FALSE(apply({2, kOpen}, {2, 3}));
  EXPECT_TRUE(apply({2, 3}, {2, kOpen}));
  EXPECT_TRUE(apply(Shape::unknown_rank(), {2, 3}));
}

TEST(Cast, OnlyListedConversionsAreTaken) {
  OperationFixture operation(OperationCode::kCast);
  operation.tensor({1}, kTensorBool8).output({1}, kTensorFloat32);
  EXPECT_FALSE(operation.check());
}

TEST(DeclaredOutputs, MustAgreeWithWhatIsComputedUnlessThatIsEmpty) {
  OperationFixture wrong(OperationCode::kAdd);
  wrong.tensor({2, 3}).tensor({2, 3}).scalar(0).output({2, 4});
  EXPECT_EQ(wrong.shape(), "OP_FAILED");
  OperationFixture rank(OperationCode::kAdd);
  rank.tensor({2, 3}).tensor({2, 3}).scalar(0).output({6});
  EXPECT_EQ(rank.shape(), "OP_FAILED");
  OperationFixture empty(OperationCode::kAdd);
  empty.tensor({0, 3}).tensor({0, 3}).scalar(0).output({2, 3});
  EXPECT_EQ(empty.shape(), "[0, 3]");
}

TEST(DeclaredOutputs, FillWhatTheInputsLeaveOpen) {
  OperationFixture operation(OperationCode::kRelu);
  operation.tensor(Shape::unknown_rank()).output({2, kOpen});
  EXPECT_EQ(operation.shape(), "[2, ?]");
}

TEST(DeclaredOutputs, BeyondFourGigabytesFail) {
  OperationFixture operation(OperationCode::kAdd);
  operation.tensor({65536, 1}).tensor({1, 65536}).scalar(0).output(Shape::unknown_rank());
  EXPECT_EQ(operation.shape(), "OP_FAILED");
}

}  // namespace
}  // namespace nnvk
