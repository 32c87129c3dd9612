// DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND, CHANNEL_SHUFFLE, SPLIT, TILE, REVERSE, PACK, MIRROR_PAD,
// FILL, RANK and EXPAND_DIMS on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;
constexpr OperandType kTypes[] = {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned};
constexpr OperandType kTypesWithInt32[] = {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned,
                                           kTensorInt32};

OperandInfo typed(OperandType type, Shape shape) {
  return is_quant8_asymm(type) ? tensor(type, std::move(shape), 0.5F, type == kTensorQuant8Asymm ? 7 : -3)
                               : tensor(type, std::move(shape));
}
Shape open(size_t rank) { return Shape(std::vector<uint32_t>(rank, kUnknownDimension)); }
OneNode& list(OneNode& node, const std::vector<int32_t>& values, Shape shape) {
  return node.constant(tensor(kTensorInt32, std::move(shape)), raw_values(values));
}
OneNode& list(OneNode& node, const std::vector<int32_t>& values) {
  return list(node, values, {static_cast<uint32_t>(values.size())});
}

TEST(SpaceDepthKernel, MovesBlocksBetweenChannelsAndSpaceInBothLayouts) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypes) {
    for (const bool nchw : {false, true}) {
      for (const auto& [block, depth] : {std::pair{2, 3U}, {2, 4U}, {3, 2U}, {1, 5U}}) {
        const auto squared = static_cast<uint32_t>(block * block);
        OneNode deep(OperationCode::kDepthToSpace);
        deep.random_input(typed(type, nchw ? Shape{2, squared * depth, 3, 5} : Shape{2, 3, 5, squared * depth}), 1);
        expect_same_as_reference(deep.scalar(block).scalar(nchw).output(typed(type, open(4))));
        OneNode wide(OperationCode::kSpaceToDepth);
        const uint32_t height = 2 * static_cast<uint32_t>(block);
        const uint32_t width = 3 * static_cast<uint32_t>(block);
        wide.random_input(typed(type, nchw ? Shape{2, depth, height, width} : Shape{2, height, width, depth}), 2);
        expect_same_as_reference(wide.scalar(block).scalar(nchw).output(typed(type, open(4))));
      }
    }
  }
}

TEST(SpaceBatchKernel, MovesBlocksBetweenBatchAndSpaceInBothLayouts) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypes) {
    for (const bool nchw : {false, true}) {
      for (const uint32_t depth : {1U, 4U}) {
        OneNode batch(OperationCode::kBatchToSpaceNd);
        batch.random_input(typed(type, nchw ? Shape{12, depth, 3, 5} : Shape{12, 3, 5, depth}), 3);
        expect_same_as_reference(list(batch, {2, 3}).scalar(nchw).output(typed(type, open(4))));
        for (const std::vector<int32_t>& paddings : std::vector<std::vector<int32_t>>{{0, 0, 0, 0}, {1, 1, 2, 3}, {3, 5, 0, 5}}) {
          OneNode space(OperationCode::kSpaceToBatchNd);
          space.random_input(typed(type, nchw ? Shape{2, depth, 4, 10} : Shape{2, 4, 10, depth}), 4);
          list(list(space, {2, 5}), paddings, {2, 2});
          expect_same_as_reference(space.scalar(nchw).output(typed(type, open(4))));
        }
      }
    }
  }
}

TEST(ChannelShuffleKernel, InterleavesAlongEveryAxis) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypes) {
    for (int32_t axis = -4; axis < 4; ++axis) {
      OneNode node(OperationCode::kChannelShuffle);
      node.random_input(typed(type, {6, 12, 18, 6}), 5);
      expect_same_as_reference(node.scalar(3).scalar(axis).output(typed(type, open(4))));
    }
  }
}

TEST(SplitKernel, CutsAlongEveryAxis) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypesWithInt32) {
    for (int32_t axis = -3; axis < 3; ++axis) {
      OneNode node(OperationCode::kSplit);
      node.random_input(typed(type, {3, 12, 15}), 6).scalar(axis).scalar(3);
      expect_same_as_reference(node.output(typed(type, open(3))).output(typed(type, open(3))).output(typed(type, open(3))));
    }
  }
}

TEST(TileKernel, RepeatsInAnyNumberOfDimensions) {
  NNVK_REQUIRE_VULKAN();
  const std::pair<Shape, std::vector<int32_t>> cases[] = {
      {{5}, {3}},
      {{3, 4}, {2, 3}},
      {{2, 3, 5}, {1, 2, 2}},
      {{2, 1, 3, 1, 2}, {2, 3, 1, 2, 2}},
      {{2, 2, 2, 2, 2, 2}, {2, 1, 3, 2, 2, 2}},  // more axes than the push constants hold
      {{2, 2, 2, 2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2, 2, 2, 2}},
      {{4}, {0}},
  };
  for (const OperandType type : kTypesWithInt32) {
    for (const auto& [shape, multiples] : cases) {
      OneNode node(OperationCode::kTile);
      node.random_input(typed(type, shape), 7);
      expect_same_as_reference(list(node, multiples).output(typed(type, open(shape.rank()))));
    }
  }
}

TEST(SliceKernel, CutsBlocksOfManyDimensions) {
  NNVK_REQUIRE_VULKAN();
  OneNode node(OperationCode::kSlice);
  node.random_input(typed(kTensorQuant8Asymm, Shape(std::vector<uint32_t>(11, 3))), 7);
  list(list(node, std::vector<int32_t>(11, 1)), std::vector<int32_t>(11, 2));
  expect_same_as_reference(node.output(typed(kTensorQuant8Asymm, open(11))));
}

TEST(ReverseKernel, TurnsEveryAxis) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypesWithInt32) {
    for (int32_t axis = 0; axis < 8; ++axis) {
      OneNode node(OperationCode::kReverse);
      node.random_input(typed(type, {2, 1, 3, 2, 1, 5, 2, 4}), 8);
      expect_same_as_reference(list(node, {axis}).output(typed(type, open(8))));
    }
  }
}

TEST(PackKernel, StacksAtEveryAxis) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypesWithInt32) {
    for (int32_t axis = 0; axis < 4; ++axis) {
      for (const uint32_t size : {3U, 4U}) {
        OneNode node(OperationCode::kPack);
        node.scalar(axis);
        for (uint32_t i = 0; i < 5; ++i) node.random_input(typed(type, {3, 2, size}), 10 + i);
        expect_same_as_reference(node.output(typed(type, open(4))));
      }
    }
  }
}

TEST(MirrorPadKernel, MirrorsInAnyNumberOfDimensions) {
  NNVK_REQUIRE_VULKAN();
  const std::pair<Shape, std::vector<int32_t>> cases[] = {
      {{7}, {6, 5}},
      {{3, 5}, {2, 1, 0, 0}},
      {{2, 5, 6, 3}, {0, 0, 2, 3, 5, 1, 0, 0}},
      {{2, 3, 2, 3, 2, 3}, {1, 1, 2, 0, 1, 0, 0, 2, 1, 1, 2, 2}},
      {{1, 4}, {0, 0, 0, 0}},
  };
  for (const OperandType type : kTypesWithInt32) {
    for (const auto& [shape, paddings] : cases) {
      for (const int32_t mode : {0, 1}) {
        OneNode node(OperationCode::kMirrorPad);
        node.random_input(typed(type, shape), 9);
        list(node, paddings, {static_cast<uint32_t>(shape.rank()), 2});
        expect_same_as_reference(node.scalar(mode).output(typed(type, open(shape.rank()))));
      }
    }
  }
}

TEST(FillKernel, RepeatsTheScalarOfEveryWidth) {
  NNVK_REQUIRE_VULKAN();
  OneNode words(OperationCode::kFill);
  expect_same_as_reference(list(words, {3, 7}).scalar(1.25F).output(tensor(kTensorFloat32, open(2))));
  OneNode integers(OperationCode::kFill);
  expect_same_as_reference(list(integers, {5}).scalar(-9).output(tensor(kTensorInt32, open(1))));
  OneNode halves(OperationCode::kFill);
  list(halves, {3, 3}).constant(tensor(kFloat16, {}), raw_values(std::vector<uint16_t>{0xC8C0}));
  expect_same_as_reference(halves.output(tensor(kTensorFloat16, open(2))));
}

TEST(RankKernel, WritesTheNumberOfDimensions) {
  NNVK_REQUIRE_VULKAN();
  OneNode node(OperationCode::kRank);
  expect_same_as_reference(node.random_input(typed(kTensorQuant8Asymm, {3, 1, 2}), 1).output(tensor(kInt32, {})));
}

TEST(ExpandDimsKernel, CopiesFromInputToOutput) {
  NNVK_REQUIRE_VULKAN();
  OneNode node(OperationCode::kExpandDims);
  expect_same_as_reference(node.random_input(typed(kTensorFloat16, {3, 5}), 1).scalar(-2).output(typed(kTensorFloat16, open(3))));
}

}  // namespace
}  // namespace nnvk::vulkan::rig
