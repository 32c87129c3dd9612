// Merging of dimensions in strided copies, without a GPU.
#include "vulkan/kernels/strided_move.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

// Executes the description of plan_move(), element by element: the input index, or -1 for padding.
std::vector<int64_t> walk(const StridedMove& move) {
  uint64_t units = 1;
  for (const MoveAxis& axis : move.axes) units *= axis.size;
  std::vector<int64_t> result;
  for (uint64_t unit = 0; unit < units; ++unit) {
    uint64_t rest = unit;
    int64_t source = move.offset;
    bool inside = true;
    for (const MoveAxis& axis : move.axes) {
      const uint64_t coordinate = rest % axis.size;
      rest /= axis.size;
      source += static_cast<int64_t>(coordinate) * axis.stride;
      inside = inside && coordinate >= axis.begin && coordinate < axis.begin + axis.inside;
    }
    for (int64_t k = 0; k < (move.by_quads ? 4 : 1); ++k) {
      result.push_back(inside ? (move.by_quads ? source * 4 + k : source) : -1);
    }
  }
  return result;
}

// The same, directly from the definition.
std::vector<int64_t> walk_axes(const std::vector<MoveAxis>& axes, int64_t first) {
  StridedMove plain;
  plain.offset = first;
  plain.axes.assign(axes.rbegin(), axes.rend());
  for (const MoveAxis& axis : axes) plain.offset -= static_cast<int64_t>(axis.begin) * axis.stride;
  return walk(plain);
}

TEST(StridedMove, AContiguousCopyIsOneDimensionOfQuads) {
  const StridedMove move = plan_move({{2, 24, 0, 2}, {3, 8, 0, 3}, {8, 1, 0, 8}}, 0);
  EXPECT_TRUE(move.by_quads);
  EXPECT_EQ(move.axes, (std::vector<MoveAxis>{{12, 1, 0, 12}}));
}

TEST(StridedMove, DimensionsOfSizeOneDisappear) {
  const StridedMove move = plan_move({{1, 999, 0, 1}, {3, 7, 0, 3}, {1, 5, 0, 1}}, 2);
  EXPECT_EQ(move.axes, (std::vector<MoveAxis>{{3, 7, 0, 3}}));
  EXPECT_EQ(move.offset, 2);
}

TEST(StridedMove, ATensorOfOneElementKeepsOneDimension) {
  EXPECT_EQ(plan_move({{1, 1, 0, 1}}, 5).axes.size(), 1U);
  EXPECT_EQ(plan_move({}, 0).axes.size(), 1U);
}

TEST(StridedMove, QuadsNeedAnAlignedStart) {
  EXPECT_TRUE(plan_move({{2, 16, 0, 2}, {8, 1, 0, 8}}, 4).by_quads);
  EXPECT_FALSE(plan_move({{2, 16, 0, 2}, {8, 1, 0, 8}}, 2).by_quads);
  EXPECT_FALSE(plan_move({{2, 18, 0, 2}, {8, 1, 0, 8}}, 0).by_quads);
  EXPECT_FALSE(plan_move({{2, 16, 0, 2}, {6, 1, 0, 6}}, 0).by_quads);
  EXPECT_FALSE(plan_move({{2, 16, 0, 2}, {8, 1, 2, 4}}, 2).by_quads);  // the padding is no whole number of quads
}

TEST(StridedMove, MergedWalksVisitTheSameElements) {
  const std::vector<std::vector<MoveAxis>> cases = {
      {{2, 12, 0, 2}, {3, 4, 0, 3}, {4, 1, 0, 4}},   // copy
      {{4, 1, 0, 4}, {3, 8, 0, 3}, {2, 4, 0, 2}},    // transpose
      {{3, -8, 0, 3}, {8, 1, 0, 8}},                 // reversed rows
      {{5, 12, 1, 3}, {3, 4, 0, 3}, {4, 1, 0, 4}},   // padded outside
      {{5, 12, 1, 3}, {5, 4, 2, 3}, {12, 1, 4, 4}},  // padded everywhere
      {{4, 6, 1, 2}, {3, 2, 0, 3}, {3, 1, 1, 2}},    // padded, no quads
      {{2, 8, 0, 2}, {8, 1, 2, 4}},                  // row distance = row length with padding
  };
  for (const auto& axes : cases) EXPECT_EQ(walk(plan_move(axes, 16)), walk_axes(axes, 16));
}

TEST(RawElements, HaveTheWidthOfTheType) {
  for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16, OperandType::kTensorBool8,
                                 OperandType::kTensorQuant8Asymm, OperandType::kTensorInt32}) {
    EXPECT_EQ(element_size(raw_element_type(type)), element_size(type));
  }
}

}  // namespace
}  // namespace nnvk::vulkan
