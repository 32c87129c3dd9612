// Rules and shapes of the operations that move elements without changing them.
#include <gtest/gtest.h>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/slicing_padding_parameters.h"
#include "tests/support/operation_fixture.h"

namespace nnvk {
namespace {

using test::OperationFixture;
using enum OperandType;
constexpr uint32_t kOpen = kUnknownDimension;

// input, an INT32 list, output of unknown rank.
std::string with_list(OperationCode code, Shape input, const std::vector<int32_t>& values) {
  OperationFixture operation(code);
  operation.tensor(std::move(input)).list(values).output(Shape::unknown_rank());
  return operation.shape();
}
// input, a list of unknown values, output of unknown rank.
std::string with_unknown_list(OperationCode code, Shape input, Shape list) {
  OperationFixture operation(code);
  operation.tensor(std::move(input)).tensor(std::move(list), kTensorInt32).output(Shape::unknown_rank());
  return operation.shape();
}

TEST(Reshape, MinusOneTakesWhatIsLeft) {
  EXPECT_EQ(with_list(OperationCode::kReshape, {2, 6}, {3, -1}), "[3, 4]");
  EXPECT_EQ(with_list(OperationCode::kReshape, {2, 6}, {12}), "[12]");
}

TEST(Reshape, WrongElementCountsAndHostileTargetsFail) {
  for (const std::vector<int32_t>& target : std::vector<std::vector<int32_t>>{{5, -1},
                                                                              {-1, -1},
                                                                              {0, -1},
                                                                              {13},
                                                                              {INT32_MIN},
                                                                              {-2, -6},
                                                                              {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX},
                                                                              {1, 1, 1, 1, 12}}) {
    EXPECT_EQ(with_list(OperationCode::kReshape, {2, 6}, target), "OP_FAILED") << testing::PrintToString(target);
  }
}

TEST(Reshape, UnknownPartsStayUnknown) {
  EXPECT_EQ(with_list(OperationCode::kReshape, {2, kOpen}, {3, -1}), "[3, ?]");
  EXPECT_EQ(with_unknown_list(OperationCode::kReshape, {2, 6}, {3}), "[?, ?, ?]");
  EXPECT_EQ(with_unknown_list(OperationCode::kReshape, {2, 6}, {kOpen}), "[unknown rank]");
  EXPECT_EQ(with_unknown_list(OperationCode::kReshape, {2, 6}, {INT32_MAX}), "[unknown rank]");
}

TEST(Reshape, EmptyInputsAreBadData) { EXPECT_EQ(with_list(OperationCode::kReshape, {0, 6}, {6}), "BAD_DATA"); }

TEST(Squeeze, DropsListedAxesOfSizeOne) {
  EXPECT_EQ(with_list(OperationCode::kSqueeze, {1, 2, 1, 3}, {0}), "[2, 1, 3]");
  EXPECT_EQ(with_list(OperationCode::kSqueeze, {1, 2, 1, 3}, {-2, 2, 0}), "[2, 3]");
  EXPECT_EQ(with_list(OperationCode::kSqueeze, {1, 1}, {0, 1}), "[1]");
  EXPECT_EQ(with_list(OperationCode::kSqueeze, {1, 2}, {1}), "OP_FAILED");
  EXPECT_EQ(with_list(OperationCode::kSqueeze, {1, 2}, {2}), "OP_FAILED");
  EXPECT_EQ(with_list(OperationCode::kSqueeze, {1, 2}, {INT32_MIN}), "OP_FAILED");
}

TEST(Squeeze, WithoutAxesDropsEveryOne) {
  OperationFixture operation(OperationCode::kSqueeze);
  operation.tensor({1, 2, 1, 3}).omitted({kOpen}, kTensorInt32).output(Shape::unknown_rank());
  EXPECT_EQ(operation.shape(), "[2, 3]");
}

TEST(ExpandDims, InsertsAOne) {
  const auto apply = [](int32_t axis) {
    OperationFixture operation(OperationCode::kExpandDims);
    operation.tensor({2, 3}).scalar(axis).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply(0), "[1, 2, 3]");
  EXPECT_EQ(apply(-1), "[2, 3, 1]");
  EXPECT_EQ(apply(2), "[2, 3, 1]");
  EXPECT_EQ(apply(3), "OP_FAILED");
  EXPECT_EQ(apply(-4), "OP_FAILED");
}

TEST(Concatenation, AddsUpTheAxisAndComparesTheRest) {
  const auto apply = [](Shape a, Shape b, int32_t axis) {
    OperationFixture operation(OperationCode::kConcatenation);
    operation.tensor(std::move(a)).tensor(std::move(b)).scalar(axis).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply({2, 3}, {2, 4}, 1), "[2, 7]");
  EXPECT_EQ(apply({2, kOpen}, {kOpen, 4}, 0), "[?, 4]");
  EXPECT_EQ(apply({2, 0}, {2, 4}, 1), "[2, 4]");
  EXPECT_EQ(apply({2, 3}, {3, 4}, 1), "OP_FAILED");
  EXPECT_EQ(apply({2, 3}, {2, 3, 1}, 1), "OP_FAILED");
  EXPECT_EQ(apply({2, 3}, {2, 4}, -1), "OP_FAILED");
  EXPECT_EQ(apply({2, 3}, {2, 4}, 2), "OP_FAILED");
  EXPECT_EQ(apply({2147483647}, {2147483647}, 0), "OP_FAILED");
}

TEST(Concatenation, DifferentScalesOfBytesNeedLevelThree) {
  for (const float scale : {0.5F, 0.25F}) {
    OperationFixture operation(OperationCode::kConcatenation);
    operation.tensor({2}, kTensorQuant8Asymm, 0.5F).tensor({2}, kTensorQuant8Asymm, scale).scalar(0);
    operation.output({4}, kTensorQuant8Asymm, 0.5F);
    EXPECT_EQ(operation.level(), scale == 0.5F ? 1 : 3);
  }
}

TEST(Concatenation, NeedsATensorAndAnAxis) {
  OperationFixture lone(OperationCode::kConcatenation);
  lone.scalar(0).output({1});
  EXPECT_FALSE(lone.check());
  OperationFixture mixed(OperationCode::kConcatenation);
  mixed.tensor({1}).tensor({1}, kTensorFloat16).scalar(0).output({2});
  EXPECT_FALSE(mixed.check());
}

TEST(Split, GivesEqualPartsToAllOutputs) {
  const auto apply = [](int32_t axis, int32_t parts) {
    OperationFixture operation(OperationCode::kSplit);
    operation.tensor({6, 2}).scalar(axis).scalar(parts).output({kOpen, 2}).output({kOpen, 2});
    EXPECT_TRUE(operation.check());
    return operation.shape(1);
  };
  EXPECT_EQ(apply(0, 2), "[3, 2]");
  EXPECT_EQ(apply(0, 3), "BAD_DATA");
  EXPECT_EQ(apply(0, 0), "OP_FAILED");
  EXPECT_EQ(apply(2, 2), "OP_FAILED");
}

TEST(Transpose, FollowsThePermutation) {
  EXPECT_EQ(with_list(OperationCode::kTranspose, {2, 3, 4}, {2, 0, 1}), "[4, 2, 3]");
  EXPECT_EQ(with_list(OperationCode::kTranspose, {2, kOpen, 4}, {2, 0, 1}), "[4, 2, ?]");
  EXPECT_EQ(with_list(OperationCode::kTranspose, {2, 3}, {0, 0}), "OP_FAILED");
  EXPECT_EQ(with_list(OperationCode::kTranspose, {2, 3}, {0, -1}), "OP_FAILED");
  EXPECT_EQ(with_list(OperationCode::kTranspose, {2, 3}, {0, INT32_MAX}), "OP_FAILED");
  EXPECT_EQ(with_list(OperationCode::kTranspose, {2, 3}, {0}), "OP_FAILED");
  EXPECT_EQ(with_unknown_list(OperationCode::kTranspose, {2, 3}, {2}), "[?, ?]");
}

TEST(Transpose, WithoutPermutationSwapsAMatrix) {
  for (const auto& [shape, result] : std::vector<std::pair<Shape, std::string>>{{{2, 3}, "[3, 2]"}, {{2, 3, 4}, "OP_FAILED"}}) {
    OperationFixture operation(OperationCode::kTranspose);
    operation.tensor(shape).omitted({kOpen}, kTensorInt32).output(Shape::unknown_rank());
    EXPECT_EQ(operation.shape(), result);
  }
}

TEST(Slice, CutsOutABlock) {
  const auto apply = [](Shape input, const std::vector<int32_t>& begin, const std::vector<int32_t>& size) {
    OperationFixture operation(OperationCode::kSlice);
    operation.tensor(std::move(input)).list(begin).list(size).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply({4, 5}, {1, 2}, {2, -1}), "[2, 3]");
  EXPECT_EQ(apply({4, 5}, {4, 0}, {0, 5}), "[0, 5]");
  EXPECT_EQ(apply({kOpen, 5}, {1, 2}, {2, -1}), "[2, ?]");
  EXPECT_EQ(apply({4, 5}, {-1, 0}, {1, 1}), "OP_FAILED");
  EXPECT_EQ(apply({4, 5}, {3, 0}, {2, 1}), "OP_FAILED");
  EXPECT_EQ(apply({4, 5}, {0, 0}, {-2, 1}), "OP_FAILED");
  EXPECT_EQ(apply({4, 5}, {INT32_MAX, 0}, {INT32_MAX, 1}), "OP_FAILED");
  EXPECT_EQ(apply({4, 5}, {0}, {1}), "OP_FAILED");
}

std::string strided(Shape input, const std::vector<int32_t>& begin, const std::vector<int32_t>& end,
                    const std::vector<int32_t>& strides, int32_t begin_mask = 0, int32_t end_mask = 0, int32_t shrink_mask = 0) {
  OperationFixture operation(OperationCode::kStridedSlice);
  operation.tensor(std::move(input)).list(begin).list(end).list(strides);
  operation.scalar(begin_mask).scalar(end_mask).scalar(shrink_mask).output(Shape::unknown_rank());
  return operation.shape();
}

TEST(StridedSlice, CountsStepsInBothDirections) {
  EXPECT_EQ(strided({10}, {1}, {9}, {3}), "[3]");
  EXPECT_EQ(strided({10}, {-1}, {-11}, {-1}), "[10]");
  EXPECT_EQ(strided({10}, {-1}, {-1}, {-1}), "[0]");
  EXPECT_EQ(strided({10}, {100}, {-100}, {-4}), "[3]");
  EXPECT_EQ(strided({10}, {5}, {2}, {1}), "[0]");
}

TEST(StridedSlice, MasksReplaceBeginAndEnd) {
  EXPECT_EQ(strided({10, 4}, {7, 1}, {8, 2}, {1, 1}, 1, 2), "[8, 3]");
  EXPECT_EQ(strided({10}, {0}, {0}, {-1}, 1, 1), "[10]");
}

TEST(StridedSlice, ShrunkDimensionsDisappearAndMustHaveLengthOne) {
  EXPECT_EQ(strided({10, 4}, {3, 0}, {4, 4}, {1, 1}, 0, 0, 1), "[4]");
  EXPECT_EQ(strided({10}, {3}, {4}, {1}, 0, 0, 1), "[1]");
  EXPECT_EQ(strided({10}, {3}, {5}, {1}, 0, 0, 1), "OP_FAILED");
  EXPECT_EQ(strided({10}, {3}, {2}, {-1}, 0, 0, 1), "OP_FAILED");
}

TEST(StridedSlice, ExtremeStridesDoNotOverflow) {
  EXPECT_EQ(strided({10}, {0}, {10}, {INT32_MAX}), "[1]");
  EXPECT_EQ(strided({10}, {9}, {-11}, {INT32_MIN}), "[1]");
  EXPECT_EQ(strided({10}, {INT32_MIN}, {INT32_MAX}, {1}), "[10]");
  EXPECT_EQ(strided({10}, {0}, {1}, {0}), "OP_FAILED");
}

TEST(StridedSlice, UnknownPartsStayUnknown) {
  EXPECT_EQ(strided({10, kOpen}, {3, 0}, {4, 4}, {1, 1}, 0, 0, 1), "[?]");
  EXPECT_EQ(strided(Shape::unknown_rank(), {3}, {4}, {1}), "[unknown rank]");
}

TEST(StridedSliceAxis, StartsWhereTheFirstElementLies) {
  EXPECT_EQ(strided_slice_axis(10, -3, 100, 2).begin, 7);
  EXPECT_EQ(strided_slice_axis(10, -3, 100, 2).length, 2U);
  EXPECT_EQ(strided_slice_axis(10, std::nullopt, std::nullopt, -2).begin, 9);
  EXPECT_EQ(strided_slice_axis(10, std::nullopt, std::nullopt, -2).length, 5U);
}

TEST(Pad, GrowsEveryDimension) {
  const auto apply = [](Shape input, const std::vector<int32_t>& paddings, Shape shape) {
    OperationFixture operation(OperationCode::kPad);
    operation.tensor(std::move(input)).list(paddings, std::move(shape)).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply({2, 3}, {1, 0, 2, 3}, {2, 2}), "[3, 8]");
  EXPECT_EQ(apply({2, kOpen}, {1, 0, 2, 3}, {2, 2}), "[3, ?]");
  EXPECT_EQ(apply({2, 3}, {1, 0, 2, -3}, {2, 2}), "OP_FAILED");
  EXPECT_EQ(apply({2, 3}, {1, 0, 2, 3}, {4, 1}), "OP_FAILED");
  EXPECT_EQ(apply({2, 3}, {INT32_MAX, INT32_MAX, 0, 0}, {2, 2}), "OP_FAILED");
}

TEST(Pad, NonZeroZeroPointsNeedLevelThree) {
  for (const int32_t zero_point : {0, 9}) {
    OperationFixture operation(OperationCode::kPad);
    operation.tensor({2}, kTensorQuant8Asymm, 0.5F, zero_point).list({1, 1}, {1, 2});
    operation.output({4}, kTensorQuant8Asymm, 0.5F, zero_point);
    EXPECT_EQ(operation.level(), zero_point == 0 ? 2 : 3);
  }
}

TEST(MirrorPad, MirrorsAtMostWhatIsThere) {
  const auto apply = [](int32_t padding, int32_t mode) {
    OperationFixture operation(OperationCode::kMirrorPad);
    operation.tensor({4}).list({padding, 0}, {1, 2}).scalar(mode).output({kOpen});
    return operation.shape();
  };
  EXPECT_EQ(apply(3, 0), "[7]");
  EXPECT_EQ(apply(4, 0), "OP_FAILED");
  EXPECT_EQ(apply(4, 1), "[8]");
  EXPECT_EQ(apply(5, 1), "OP_FAILED");
  EXPECT_EQ(apply(1, 2), "OP_FAILED");
}

TEST(Tile, MultipliesDimensions) {
  EXPECT_EQ(with_list(OperationCode::kTile, {2, 3}, {2, 1}), "[4, 3]");
  EXPECT_EQ(with_list(OperationCode::kTile, {2, 3}, {0, 1}), "[0, 3]");
  EXPECT_EQ(with_list(OperationCode::kTile, {2, 3}, {-1, 1}), "OP_FAILED");
  EXPECT_EQ(with_list(OperationCode::kTile, {2, 3}, {1}), "OP_FAILED");
  EXPECT_EQ(with_list(OperationCode::kTile, {65536, 65536}, {INT32_MAX, INT32_MAX}), "OP_FAILED");
  EXPECT_EQ(with_list(OperationCode::kTile, {2, kOpen}, {2, 2}), "[4, ?]");
}

TEST(Fill, HasTheListedDimensions) {
  const auto apply = [](const std::vector<int32_t>& dims) {
    OperationFixture operation(OperationCode::kFill);
    operation.list(dims).scalar(1.5F).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply({2, 3}), "[2, 3]");
  EXPECT_EQ(apply({2, 0}), "[2, 0]");
  EXPECT_EQ(apply({-1}), "OP_FAILED");
  EXPECT_EQ(apply({INT32_MAX, INT32_MAX}), "OP_FAILED");
}

TEST(RankOperation, GivesAScalarEvenForAnUnknownRank) {
  OperationFixture operation(OperationCode::kRank);
  operation.tensor(Shape::unknown_rank()).output({}, kInt32);
  EXPECT_EQ(operation.shape(), "[]");
}

TEST(Reverse, ChecksItsAxisTensor) {
  const auto build = [](std::vector<int32_t> axis) {
    OperationFixture operation(OperationCode::kReverse);
    operation.tensor({2, 3}).list(axis).output({2, 3});
    return operation;
  };
  EXPECT_EQ(build({1}).shape(), "[2, 3]");
  EXPECT_EQ(build({-1}).shape(), "OP_FAILED");
  EXPECT_EQ(build({2}).shape(), "OP_FAILED");
  EXPECT_FALSE(build({0, 1}).check());
}

TEST(Pack, StacksEqualTensors) {
  const auto apply = [](Shape second, int32_t axis) {
    OperationFixture operation(OperationCode::kPack);
    operation.scalar(axis).tensor({2, 3}).tensor(std::move(second)).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply({2, 3}, 0), "[2, 2, 3]");
  EXPECT_EQ(apply({2, 3}, 2), "[2, 3, 2]");
  EXPECT_EQ(apply({2, 3}, 3), "OP_FAILED");
  EXPECT_EQ(apply({2, 3}, -1), "OP_FAILED");
  EXPECT_EQ(apply({3, 2}, 0), "OP_FAILED");
}

TEST(DepthToSpace, MovesChannelsIntoBlocks) {
  const auto apply = [](Shape input, int32_t block, bool nchw) {
    OperationFixture operation(OperationCode::kDepthToSpace);
    operation.tensor(std::move(input)).scalar(block).flag(nchw).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply({1, 2, 3, 8}, 2, false), "[1, 4, 6, 2]");
  EXPECT_EQ(apply({1, 8, 2, 3}, 2, true), "[1, 2, 4, 6]");
  EXPECT_EQ(apply({1, 2, 3, 9}, 2, false), "OP_FAILED");
  EXPECT_EQ(apply({1, 2, 3, 8}, 0, false), "OP_FAILED");
  EXPECT_EQ(apply({1, 2, 3, 8}, INT32_MIN, false), "OP_FAILED");
  EXPECT_EQ(apply({1, 2, 3, 8}, INT32_MAX, false), "OP_FAILED");
  EXPECT_EQ(apply({1, 2, 8}, 2, false), "OP_FAILED");
}

TEST(SpaceToDepth, MovesBlocksIntoChannels) {
  const auto apply = [](Shape input, int32_t block) {
    OperationFixture operation(OperationCode::kSpaceToDepth);
    operation.tensor(std::move(input)).scalar(block).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply({1, 4, 6, 2}, 2), "[1, 2, 3, 8]");
  EXPECT_EQ(apply({1, 5, 6, 2}, 2), "OP_FAILED");
  EXPECT_EQ(apply({1, 4, 6, kOpen}, 2), "[1, 2, 3, ?]");
}

TEST(SpaceToBatch, PadsAndCutsIntoBlocks) {
  const auto apply = [](const std::vector<int32_t>& block, const std::vector<int32_t>& paddings) {
    OperationFixture operation(OperationCode::kSpaceToBatchNd);
    operation.tensor({1, 4, 2, 1}).list(block).list(paddings, {2, 2}).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply({3, 2}, {1, 1, 2, 4}), "[6, 2, 4, 1]");
  EXPECT_EQ(apply({3, 2}, {1, 0, 2, 4}), "OP_FAILED");
  EXPECT_EQ(apply({0, 2}, {1, 1, 2, 4}), "OP_FAILED");
  EXPECT_EQ(apply({3, 2}, {-1, 3, 2, 4}), "OP_FAILED");
  EXPECT_EQ(apply({INT32_MAX, INT32_MAX}, {INT32_MAX - 4, 0, INT32_MAX - 2, 0}), "OP_FAILED");
}

TEST(BatchToSpace, SpreadsTheBatch) {
  EXPECT_EQ(with_list(OperationCode::kBatchToSpaceNd, {4, 1, 2, 3}, {2, 2}), "[1, 2, 4, 3]");
  EXPECT_EQ(with_list(OperationCode::kBatchToSpaceNd, {5, 1, 2, 3}, {2, 2}), "OP_FAILED");
  EXPECT_EQ(with_list(OperationCode::kBatchToSpaceNd, {4, 1, 2, 3}, {INT32_MAX, INT32_MAX}), "OP_FAILED");
  EXPECT_EQ(with_unknown_list(OperationCode::kBatchToSpaceNd, {4, 1, 2, 3}, {2}), "[?, ?, ?, ?]");
}

TEST(ChannelShuffle, NeedsGroupsThatDivideTheAxis) {
  const auto apply = [](int32_t groups, int32_t axis) {
    OperationFixture operation(OperationCode::kChannelShuffle);
    operation.tensor({2, 6}).scalar(groups).scalar(axis).output({2, 6});
    return operation.shape();
  };
  EXPECT_EQ(apply(3, -1), "[2, 6]");
  EXPECT_EQ(apply(4, 1), "OP_FAILED");
  EXPECT_EQ(apply(0, 1), "OP_FAILED");
  EXPECT_EQ(apply(3, 2), "OP_FAILED");
}

TEST(Gather, PutsTheIndicesInPlaceOfTheAxis) {
  const auto apply = [](int32_t axis, const std::vector<int32_t>& indices) {
    OperationFixture operation(OperationCode::kGather);
    operation.tensor({2, 5, 3}).scalar(axis).list(indices).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply(1, {0, 4, 4, 1}), "[2, 4, 3]");
  EXPECT_EQ(apply(-1, {2}), "[2, 5, 1]");
  EXPECT_EQ(apply(1, {5}), "OP_FAILED");
  EXPECT_EQ(apply(1, {-1}), "OP_FAILED");
  EXPECT_EQ(apply(3, {0}), "OP_FAILED");
}

TEST(Select, DoesNotBroadcast) {
  const auto apply = [](Shape condition) {
    OperationFixture operation(OperationCode::kSelect);
    operation.tensor(std::move(condition), kTensorBool8).tensor({2, kOpen}).tensor({kOpen, 3}).output(Shape::unknown_rank());
    return operation.shape();
  };
  EXPECT_EQ(apply({2, 3}), "[2, 3]");
  EXPECT_EQ(apply({1, 3}), "OP_FAILED");
}

TEST(Lookups, GiveOneRowPerKey) {
  OperationFixture embedding(OperationCode::kEmbeddingLookup);
  embedding.list({2, 0}).tensor({3, 4, 5}).output(Shape::unknown_rank());
  EXPECT_EQ(embedding.shape(), "[2, 4, 5]");
  OperationFixture outside(OperationCode::kEmbeddingLookup);
  outside.list({3}).tensor({3, 4}).output(Shape::unknown_rank());
  EXPECT_EQ(outside.shape(), "OP_FAILED");
  for (const uint32_t keys : {3U, 4U}) {
    OperationFixture table(OperationCode::kHashtableLookup);
    table.tensor({2}, kTensorInt32).tensor({keys}, kTensorInt32).tensor({3, 4}).output(Shape::unknown_rank());
    table.output(Shape::unknown_rank(), kTensorQuant8Asymm, 1.0F);
    EXPECT_EQ(table.shape(0), keys == 3 ? "[2, 4]" : "OP_FAILED");
    EXPECT_EQ(table.shape(1), keys == 3 ? "[2]" : "OP_FAILED");
  }
}

}  // namespace
}  // namespace nnvk
