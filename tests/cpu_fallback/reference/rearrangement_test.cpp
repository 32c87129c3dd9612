// Operations that put elements into another order, repeat or stack them, with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/cpu_fallback/reference/operation_outputs.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::ElementsAreArray;
using enum OperandType;

// 1, 2, 3 ... in a tensor of this shape.
Operand counting(Shape shape) {
  std::vector<float> values(shape.element_count());
  std::iota(values.begin(), values.end(), 1.0F);
  return floats(std::move(shape), values);
}

std::vector<float> run(OperationCode code, const std::vector<Operand>& inputs) {
  const auto computed = run_operation<float>(code, inputs, kTensorFloat32);
  EXPECT_TRUE(computed.status) << computed.status.error().message;
  return computed.values;
}

TEST(DepthToSpace, PutsTheSlowPartOfTheChannelIntoTheTile) {
  // One pixel of eight channels: the block offset is the slow part, two channels stay.
  EXPECT_THAT(run(OperationCode::kDepthToSpace, {counting({1, 1, 1, 8}), int_scalar(2)}), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  // Two pixels side by side: rows of the output take from both.
  EXPECT_THAT(run(OperationCode::kDepthToSpace, {counting({1, 1, 2, 4}), int_scalar(2)}), ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
  // The same in NCHW: channel (i*2+j)*2+k is plane 4i+2j+k.
  EXPECT_THAT(run(OperationCode::kDepthToSpace, {counting({1, 8, 1, 1}), int_scalar(2), bool_scalar(true)}),
              ElementsAre(1, 3, 5, 7, 2, 4, 6, 8));
}

TEST(SpaceToDepth, UndoesDepthToSpace) {
  EXPECT_THAT(run(OperationCode::kSpaceToDepth, {floats({1, 2, 4, 1}, {1, 2, 5, 6, 3, 4, 7, 8}), int_scalar(2)}),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(
      run(OperationCode::kSpaceToDepth, {floats({1, 2, 2, 2}, {1, 3, 5, 7, 2, 4, 6, 8}), int_scalar(2), bool_scalar(true)}),
      ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(BatchToSpace, TakesTheTileOffsetFromTheSlowPartOfTheBatch) {
  // Four batches of one pixel become one image; with two images the tile offset is the slow part.
  EXPECT_THAT(run(OperationCode::kBatchToSpaceNd, {counting({4, 1, 1, 1}), ints({2}, {2, 2})}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(run(OperationCode::kBatchToSpaceNd, {counting({4, 1, 1, 1}), ints({2}, {1, 2})}), ElementsAre(1, 3, 2, 4));
}

TEST(SpaceToBatch, PadsWithTheZeroPointAndCutsIntoTiles) {
  EXPECT_THAT(run(OperationCode::kSpaceToBatchNd, {counting({1, 2, 2, 1}), ints({2}, {2, 2}), ints({2, 2}, {0, 0, 0, 0})}),
              ElementsAre(1, 2, 3, 4));
  // [1 2 3] with one column in front and none behind: z 1 2 3 -> tiles {z, 2} and {1, 3}.
  const auto r = run_operation<uint8_t>(OperationCode::kSpaceToBatchNd,
                                        {quant8({1, 1, 3, 1}, {1, 2, 3}, 0.5F, 9), ints({2}, {1, 2}), ints({2, 2}, {0, 0, 1, 0})},
                                        kTensorQuant8Asymm, 0.5F, 9);
  EXPECT_EQ(r.shape, Shape({2, 1, 2, 1}));
  EXPECT_THAT(r.values, ElementsAre(9, 2, 1, 3));
}

TEST(SpaceToBatch, RefusesBlocksAndPaddingsThatMeanNothing) {
  const auto code_of = [](const std::vector<int32_t>& block, const std::vector<int32_t>& paddings) {
    const auto r = run_operation<float>(OperationCode::kSpaceToBatchNd,
                                        {counting({1, 2, 2, 1}), ints({2}, block), ints({2, 2}, paddings)}, kTensorFloat32);
    return r.status ? Code::kNoError : r.status.error().code;
  };
  EXPECT_EQ(code_of({0, 1}, {0, 0, 0, 0}), Code::kOpFailed);
  EXPECT_EQ(code_of({-2, 2}, {0, 0, 0, 0}), Code::kOpFailed);
  EXPECT_EQ(code_of({2, 2}, {-1, 1, 0, 0}), Code::kOpFailed);
  EXPECT_EQ(code_of({3, 2}, {0, 0, 0, 0}), Code::kOpFailed);
  EXPECT_EQ(code_of({INT32_MAX, INT32_MAX}, {INT32_MAX, INT32_MAX, 0, 0}), Code::kOpFailed);
}

TEST(ChannelShuffle, InterleavesGroupsAlongAnyAxis) {
  EXPECT_THAT(run(OperationCode::kChannelShuffle, {counting({6}), int_scalar(2), int_scalar(0)}), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(run(OperationCode::kChannelShuffle, {counting({6}), int_scalar(3), int_scalar(-1)}), ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_THAT(run(OperationCode::kChannelShuffle, {counting({4, 2}), int_scalar(2), int_scalar(0)}),
              ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
}

TEST(Split, CutsAlongAnyAxis) {
  const auto parts = run_outputs(OperationCode::kSplit, {counting({2, 4}), int_scalar(-1), int_scalar(2)},
                                 {output_of(kTensorFloat32), output_of(kTensorFloat32)});
  ASSERT_TRUE(parts.status);
  EXPECT_EQ(parts.infos[1].shape, Shape({2, 2}));
  EXPECT_THAT(parts.values<float>(0), ElementsAre(1, 2, 5, 6));
  EXPECT_THAT(parts.values<float>(1), ElementsAre(3, 4, 7, 8));
  const auto split = [](int32_t axis, int32_t count, size_t outputs) {
    return run_outputs(OperationCode::kSplit, {counting({2, 4}), int_scalar(axis), int_scalar(count)},
                       std::vector<OperandInfo>(outputs, output_of(kTensorFloat32)))
        .code();
  };
  EXPECT_EQ(split(1, 2, 3), Code::kBadData);
  EXPECT_EQ(split(1, 3, 3), Code::kOpFailed);
  EXPECT_EQ(split(2, 2, 2), Code::kOpFailed);
  EXPECT_EQ(split(1, 0, 1), Code::kOpFailed);
}

TEST(Tile, RepeatsEveryDimension) {
  EXPECT_THAT(run(OperationCode::kTile, {counting({2, 2}), ints({2}, {2, 2})}),
              ElementsAre(1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4));
  EXPECT_EQ(run_operation<float>(OperationCode::kTile, {counting({2}), ints({1}, {0})}, kTensorFloat32).shape, Shape({0}));
  EXPECT_FALSE(run_operation<float>(OperationCode::kTile, {counting({2}), ints({1}, {-1})}, kTensorFloat32).status);
  EXPECT_FALSE(run_operation<float>(OperationCode::kTile, {counting({2}), ints({2}, {1, 1})}, kTensorFloat32).status);
}

TEST(Reverse, TurnsOneDimensionAround) {
  EXPECT_THAT(run(OperationCode::kReverse, {counting({2, 3}), ints({1}, {1})}), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(run(OperationCode::kReverse, {counting({2, 3}), ints({1}, {0})}), ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_FALSE(run_operation<float>(OperationCode::kReverse, {counting({2}), ints({1}, {-1})}, kTensorFloat32).status);
}

TEST(Pack, StacksAlongANewAxis) {
  const Operand a = floats({2}, {1, 2});
  const Operand b = floats({2}, {3, 4});
  EXPECT_THAT(run(OperationCode::kPack, {int_scalar(0), a, b}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(run(OperationCode::kPack, {int_scalar(1), a, b, a}), ElementsAre(1, 3, 1, 2, 4, 2));
  EXPECT_FALSE(run_operation<float>(OperationCode::kPack, {int_scalar(2), a, b}, kTensorFloat32).status);
  EXPECT_FALSE(run_operation<float>(OperationCode::kPack, {int_scalar(-1), a, b}, kTensorFloat32).status);
}

TEST(MirrorPad, ReflectsWithoutTheBorderAndMirrorsWithIt) {
  const auto pad = [](const std::vector<int32_t>& paddings, int32_t mode) {
    return run_operation<float>(OperationCode::kMirrorPad, {counting({3}), ints({1, 2}, paddings), int_scalar(mode)},
                                kTensorFloat32);
  };
  EXPECT_THAT(pad({0, 2}, 0).values, ElementsAre(1, 2, 3, 2, 1));
  EXPECT_THAT(pad({0, 2}, 1).values, ElementsAre(1, 2, 3, 3, 2));
  EXPECT_THAT(pad({2, 1}, 0).values, ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(pad({3, 3}, 1).values, ElementsAre(3, 2, 1, 1, 2, 3, 3, 2, 1));
  EXPECT_FALSE(pad({3, 0}, 0).status);
  EXPECT_FALSE(pad({0, 4}, 1).status);
  EXPECT_FALSE(pad({0, -1}, 1).status);
  EXPECT_FALSE(pad({0, 1}, 2).status);
  EXPECT_THAT(run(OperationCode::kMirrorPad, {counting({2, 2}), ints({2, 2}, {1, 0, 0, 1}), int_scalar(0)}),
              ElementsAre(3, 4, 3, 1, 2, 1, 3, 4, 3));
}

TEST(Fill, CopiesTheScalarOfEveryWidth) {
  EXPECT_THAT(run(OperationCode::kFill, {ints({2}, {2, 2}), float_scalar(1.5F)}), ElementsAre(1.5F, 1.5F, 1.5F, 1.5F));
  const Operand half = tensor<uint16_t>(kFloat16, {}, {0x3E00});
  EXPECT_THAT(run_operation<uint16_t>(OperationCode::kFill, {ints({1}, {3}), half}, kTensorFloat16).values,
              ElementsAre(0x3E00, 0x3E00, 0x3E00));
  EXPECT_FALSE(run_operation<int32_t>(OperationCode::kFill, {ints({1}, {-1}), int_scalar(7)}, kTensorInt32).status);
  EXPECT_EQ(run_operation<int32_t>(OperationCode::kFill, {ints({1}, {0}), int_scalar(7)}, kTensorInt32).shape, Shape({0}));
}

TEST(Rank, CountsDimensions) {
  EXPECT_THAT(run_operation<int32_t>(OperationCode::kRank, {counting({1, 2, 1})}, kInt32).values, ElementsAre(3));
}

TEST(ExpandDims, KeepsTheBytes) {
  const auto r = run_operation<float>(OperationCode::kExpandDims, {counting({2, 2}), int_scalar(-1)}, kTensorFloat32);
  EXPECT_EQ(r.shape, Shape({2, 2, 1}));
  EXPECT_THAT(r.values, ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace nnvk::cpu
