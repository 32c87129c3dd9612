// Decoders of the element-wise, reduction, concatenation and data movement families: short signatures, values that are unknown
// or invalid.
#include <gtest/gtest.h>

#include <memory>

#include "core/operations/parameters/argmax_parameters.h"
#include "core/operations/parameters/cast_quantize_parameters.h"
#include "core/operations/parameters/concatenation_parameters.h"
#include "core/operations/parameters/data_movement_parameters.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/lookup_parameters.h"
#include "core/operations/parameters/rearrangement.h"
#include "core/operations/parameters/reduce_parameters.h"
#include "core/operations/parameters/slicing_padding_parameters.h"
#include "core/operations/parameters/space_depth_parameters.h"
#include "core/operations/parameters/unary_parameters.h"
#include "tests/support/operation_fixture.h"

namespace nnvk {
namespace {

using test::OperationFixture;
using enum OperandType;

TEST(ArgmaxSlices, LieAlongTheAxisCountedFromEitherEnd) {
  const auto slices = [](int32_t axis) {
    OperationFixture operation(OperationCode::kArgmax);
    operation.tensor({2, 3, 5}).scalar(axis).output({2, 5}, kTensorInt32);
    return argmax_slices(operation.view());
  };
  for (const int32_t axis : {1, -2}) {
    ASSERT_TRUE(slices(axis));
    EXPECT_EQ(slices(axis)->outer, 2U);
    EXPECT_EQ(slices(axis)->size, 3U);
    EXPECT_EQ(slices(axis)->inner, 5U);
  }
  EXPECT_FALSE(slices(3));
  OperationFixture unknown(OperationCode::kArgmin);
  unknown.tensor({2, 3}).unknown_scalar().output({2}, kTensorInt32);
  EXPECT_FALSE(argmax_slices(unknown.view()));
}

TEST(DequantizeParameters, IgnoreTheZeroPointOfSymmetricTypes) {
  for (const OperandType type : {kTensorQuant8AsymmSigned, kTensorQuant8Symm}) {
    OperationFixture operation(OperationCode::kDequantize);
    operation.tensor({2}, type, 0.5F, 7).output({2});
    const auto parameters = dequantize_parameters(operation.view());
    ASSERT_TRUE(parameters);
    EXPECT_EQ(parameters->zero_point, type == kTensorQuant8Symm ? 0 : 7);
    EXPECT_EQ(parameters->scale, 0.5F);
    EXPECT_TRUE(parameters->channel_scales.empty());
  }
}

TEST(DequantizeParameters, NeedOneScalePerChannel) {
  for (const uint32_t dimension : {0U, 1U, 2U}) {
    OperandInfo in{kTensorQuant8SymmPerChannel, {3, 2}, 0, 0, nullptr, nullptr};
    in.channel_quant = std::make_shared<ChannelQuant>(ChannelQuant{dimension, {1.0F, 2.0F}});
    const OperandView inputs[] = {{&in}};
    const auto parameters = dequantize_parameters({OperationCode::kDequantize, inputs, {}});
    ASSERT_EQ(parameters.has_value(), dimension == 1) << dimension;
    if (!parameters) continue;
    EXPECT_EQ(parameters->channels.size, 2U);
    EXPECT_EQ(parameters->channel_scales[1], 2.0F);
  }
}

Result<ElementwiseBinaryParameters> bytes_of_scales(OperationCode code, float a, float b, float out) {
  OperationFixture operation(code);
  operation.tensor({4}, kTensorQuant8Asymm, a).tensor({4}, kTensorQuant8Asymm, b);
  if (code != OperationCode::kPrelu) operation.scalar(1);
  operation.output({4}, kTensorQuant8Asymm, out);
  return elementwise_binary_parameters(operation.view());
}

TEST(ElementwiseBinaryParameters, ScaleBothOperandsOfASumAndNegateTheSecondOfADifference) {
  const auto sum = bytes_of_scales(OperationCode::kAdd, 0.5F, 0.25F, 1.0F);
  const auto difference = bytes_of_scales(OperationCode::kSub, 0.5F, 0.25F, 1.0F);
  ASSERT_TRUE(sum && difference);
  EXPECT_EQ(sum->activation, FusedActivation::kRelu);
  EXPECT_EQ(sum->first, decompose_multiplier(0.5));
  EXPECT_EQ(sum->second, decompose_multiplier(0.25));
  EXPECT_EQ(sum->result, decompose_multiplier(1.0 / (1 << kSumGuardBits)));
  EXPECT_EQ(difference->first, sum->first);
  EXPECT_EQ(difference->second.mantissa, -sum->second.mantissa);
}

TEST(ElementwiseBinaryParameters, OfProductsComeFromTheProductOfTheScales) {
  const auto product = bytes_of_scales(OperationCode::kMul, 0.5F, 0.25F, 1.0F);
  const auto prelu = bytes_of_scales(OperationCode::kPrelu, 0.5F, 0.25F, 0.125F);
  ASSERT_TRUE(product && prelu);
  EXPECT_EQ(product->result, decompose_multiplier(0.125));
  EXPECT_EQ(prelu->activation, FusedActivation::kNone);
  EXPECT_EQ(prelu->first, decompose_multiplier(4.0));
  EXPECT_EQ(prelu->second, decompose_multiplier(1.0));
  EXPECT_FALSE(bytes_of_scales(OperationCode::kMul, 1.0F, 1.0F, 1.0F));
  EXPECT_FALSE(bytes_of_scales(OperationCode::kAdd, 1.0F, 1.0F, 1e-7F));
}

TEST(EluAlpha, IsWidenedFromHalf) {
  const OperandInfo x{kTensorFloat16, {1}, 0, 0, nullptr, nullptr};
  const OperandInfo alpha{kFloat16, {}, 0, 0, nullptr, nullptr};
  const uint16_t half = 0x3E00;  // 1.5
  const OperandView known[] = {{&x}, {&alpha, true, std::as_bytes(std::span(&half, 1))}};
  const OperandView unknown[] = {{&x}, {&alpha}};
  EXPECT_EQ(elu_alpha({OperationCode::kElu, known, {}}).value(), 1.5F);
  EXPECT_FALSE(elu_alpha({OperationCode::kElu, unknown, {}}));
}

TEST(ReducedDimensions, MayBeNamedTwiceAndFromTheEnd) {
  const auto reduced = [](const std::vector<int32_t>& axes) {
    OperationFixture operation(OperationCode::kReduceSum);
    operation.tensor({2, 3, 4}).list(axes).flag(true).output(Shape::unknown_rank());
    return reduced_dimensions(operation.view());
  };
  EXPECT_EQ(reduced({0, -1, 2}).value(), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(reduced({}).value(), (std::vector<bool>{false, false, false}));
  EXPECT_FALSE(reduced({3}));
  EXPECT_FALSE(reduced({-4}));
}

TEST(KeepsDimensions, IsANumberForMeanAndAFlagElsewhere) {
  for (const int32_t number : {-1, 0, 1}) {
    OperationFixture mean(OperationCode::kMean);
    EXPECT_EQ(keeps_dimensions(mean.tensor({2}).list({0}).scalar(number).view()), number > 0);
  }
  OperationFixture sum(OperationCode::kReduceSum);
  EXPECT_EQ(keeps_dimensions(sum.tensor({2}).list({0}).flag(true).view()), true);
  OperationFixture unknown(OperationCode::kReduceSum);
  EXPECT_EQ(keeps_dimensions(unknown.tensor({2}).list({0}).unknown_scalar(kBool).view()), std::nullopt);
}

TEST(GatherParameters, NameTheValuesAndTheIndices) {
  OperationFixture gathers(OperationCode::kGather);
  gathers.tensor({2, 3}).scalar(-1).list({0, 2}).output({2, 2});
  OperationFixture embeds(OperationCode::kEmbeddingLookup);
  embeds.list({0, 1}).tensor({2, 3}).output({2, 3});
  const auto along = gather_parameters(gathers.view());
  const auto rows = gather_parameters(embeds.view());
  ASSERT_TRUE(along && rows);
  EXPECT_EQ(along->values, size_t{gather::kInput});
  EXPECT_EQ(along->indices, size_t{gather::kIndices});
  EXPECT_EQ(along->axis, 1U);
  EXPECT_EQ(rows->values, size_t{embedding_lookup::kValues});
  EXPECT_EQ(rows->axis, 0U);
}

TEST(JoinedInputs, HaveTheAxisLastOrFirst) {
  OperationFixture concatenates(OperationCode::kConcatenation);
  concatenates.tensor({2}).tensor({3}).scalar(0).output({5});
  OperationFixture packs(OperationCode::kPack);
  packs.scalar(1).tensor({2}).tensor({2}).output({2, 2});
  EXPECT_EQ(joined_inputs(concatenates.view()).first, 0U);
  EXPECT_EQ(joined_inputs(concatenates.view()).end, 2U);
  EXPECT_EQ(joined_axis(concatenates.view()).value(), 0U);
  EXPECT_EQ(joined_inputs(packs.view()).first, 1U);
  EXPECT_EQ(joined_inputs(packs.view()).end, 3U);
  EXPECT_EQ(joined_axis(packs.view()).value(), 1U);
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
  OperationFixture operation(OperationCode::kPad);
  operation.tensor({2, 3}).list({1, 0, 2, 3}, {2, 2}).output({3, 8});
  const auto pairs = padding_pairs(operation.view());
  ASSERT_TRUE(pairs);
  EXPECT_EQ((*pairs)[1].before, 2U);
  EXPECT_EQ((*pairs)[1].after, 3U);
  EXPECT_FALSE(padding_list(operation.view(), pad::kPaddings, 3));
}

TEST(TransposePermutation, IsTheSwapOfAMatrixWhenOmitted) {
  OperationFixture operation(OperationCode::kTranspose);
  operation.tensor({2, 3}).omitted({kUnknownDimension}, kTensorInt32).output({3, 2});
  const auto permutation = transpose_permutation(operation.view());
  ASSERT_TRUE(permutation);
  EXPECT_EQ(*permutation, (std::vector<uint32_t>{1, 0}));
}

// Of the input [4, 5], whose rows are 5 elements apart.
TEST(Rearrangement, OfASliceStepsThroughTheInputAndLeavesOutShrunkDimensions) {
  OperationFixture slice(OperationCode::kSlice);
  slice.tensor({4, 5}).list({1, 2}).list({2, -1}).output({2, 3});
  const auto whole = rearrangement(slice.view());
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->first, 7);
  EXPECT_EQ(whole->axes, (std::vector<WalkedAxis>{{2, 5}, {3, 1}}));
  OperationFixture strided(OperationCode::kStridedSlice);
  strided.tensor({4, 5}).list({2, 4}).list({3, -6}).list({1, -2});
  strided.scalar(0).scalar(0).scalar(1).output({3});
  const auto row = rearrangement(strided.view());
  ASSERT_TRUE(row);
  EXPECT_EQ(row->first, 14);
  EXPECT_EQ(row->axes, (std::vector<WalkedAxis>{{3, -2}}));
}

TEST(Rearrangement, OfATransposeExchangesTheStepsOfDimensions) {
  OperationFixture operation(OperationCode::kTranspose);
  operation.tensor({2, 3, 4}).list({2, 0, 1}).output({4, 2, 3});
  const auto walk = rearrangement(operation.view());
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->axes, (std::vector<WalkedAxis>{{4, 1}, {2, 12}, {3, 4}}));
}

TEST(PaddingElement, IsTheRealZeroOrTheBitsOfTheGivenValue) {
  OperationFixture zero(OperationCode::kPad);
  zero.tensor({2}, kTensorQuant8AsymmSigned, 1.0F, -3).list({0, 1}, {1, 2}).output({3}, kTensorQuant8AsymmSigned, 1.0F, -3);
  OperationFixture given(OperationCode::kPadV2);
  given.tensor({2}).list({0, 1}, {1, 2}).scalar(1.0F).output({3});
  EXPECT_EQ(padding_element(zero.view()).value(), -3);
  EXPECT_EQ(padding_element(given.view()).value(), 0x3F800000);
}

TEST(FillElement, HasTheBitsOfAHalfInItsLowBytes) {
  const OperandInfo dimensions{kTensorInt32, {1}, 0, 0, nullptr, nullptr};
  const OperandInfo value{kFloat16, {}, 0, 0, nullptr, nullptr};
  const uint16_t half = 0x3C00;
  const OperandView inputs[] = {{&dimensions}, {&value, true, std::as_bytes(std::span(&half, 1))}};
  EXPECT_EQ(fill_element({OperationCode::kFill, inputs, {}}).value(), 0x3C00);
}

TEST(BlockParameters, PadTheImageInItsLayout) {
  const auto blocks = [](bool nchw, int32_t height, int32_t padding) {
    OperationFixture operation(OperationCode::kSpaceToBatchNd);
    operation.tensor({1, 4, 6, 2}).list({height, 3}).list({padding, 1, 0, 2}, {2, 2}).flag(nchw).output(Shape::unknown_rank());
    return block_parameters(operation.view());
  };
  for (const bool nchw : {false, true}) {
    const auto known = blocks(nchw, 2, 5);
    ASSERT_TRUE(known && *known);
    EXPECT_EQ((*known)->height, 2);
    EXPECT_EQ((*known)->width, 3);
    EXPECT_EQ((*known)->paddings[nchw ? 2 : 1].before, 5U);
    EXPECT_EQ((*known)->paddings[nchw ? 3 : 2].after, 2U);
    EXPECT_EQ((*known)->paddings[nchw ? 1 : 3].before, 0U);
  }
  EXPECT_FALSE(blocks(false, 0, 0));
  EXPECT_FALSE(blocks(false, 2, -1));
}

TEST(BlockParameters, AreOpenWhileOneOfThemIsUnknown) {
  OperationFixture size(OperationCode::kDepthToSpace);
  size.tensor({1, 2, 2, 4}).unknown_scalar().output(Shape::unknown_rank());
  OperationFixture layout(OperationCode::kDepthToSpace);
  layout.tensor({1, 2, 2, 4}).scalar(2).unknown_scalar(kBool).output(Shape::unknown_rank());
  for (const OperationFixture* operation : {&size, &layout}) {
    const auto blocks = block_parameters(operation->view());
    ASSERT_TRUE(blocks);
    EXPECT_FALSE(*blocks);
    EXPECT_FALSE(known_blocks(operation->view()));
  }
}

}  // namespace
}  // namespace nnvk
