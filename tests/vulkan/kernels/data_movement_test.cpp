// RESHAPE, SQUEEZE, TRANSPOSE, SLICE, STRIDED_SLICE, PAD, PAD_V2 and CONCATENATION on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;
constexpr OperandType kWidths[] = {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned};

OperandInfo typed(OperandType type, Shape shape) {
  return is_float(type) ? tensor(type, std::move(shape))
                        : tensor(type, std::move(shape), 0.5F, type == kTensorQuant8Asymm ? 7 : -3);
}

Shape open(size_t rank) { return Shape(std::vector<uint32_t>(rank, kUnknownDimension)); }

OneNode& list(OneNode& node, const std::vector<int32_t>& values, Shape shape) {
  return node.constant(tensor(kTensorInt32, std::move(shape)), raw_values(values));
}
OneNode& list(OneNode& node, const std::vector<int32_t>& values) {
  return list(node, values, {static_cast<uint32_t>(values.size())});
}

TEST(ReshapeKernel, CopiesEveryByte) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kWidths) {
    OneNode node(OperationCode::kReshape);
    node.random_input(typed(type, {3, 5, 7}), 1);
    expect_same_as_reference(list(node, {7, -1}).output(typed(type, {7, 15})));
  }
}

TEST(SqueezeKernel, CopiesEveryByte) {
  NNVK_REQUIRE_VULKAN();
  OneNode node(OperationCode::kSqueeze);
  node.random_input(typed(kTensorQuant8Asymm, {1, 5, 1, 3}), 1);
  expect_same_as_reference(list(node, {0, 2}).output(typed(kTensorQuant8Asymm, {5, 3})));
}

TEST(TransposeKernel, FollowsEveryPermutationOfFourDimensions) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kWidths) {
    for (const std::vector<int32_t>& perm :
         std::vector<std::vector<int32_t>>{{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 0, 2, 3}, {2, 0, 1, 3}}) {
      for (const Shape& shape : {Shape{2, 3, 5, 7}, Shape{2, 3, 4, 8}}) {
        OneNode node(OperationCode::kTranspose);
        node.random_input(typed(type, shape), 2);
        expect_same_as_reference(list(node, perm).output(typed(type, open(4))));
      }
    }
  }
}

TEST(SliceKernel, CutsAnyBlock) {
  NNVK_REQUIRE_VULKAN();
  struct Case {
    Shape shape;
    std::vector<int32_t> begin, size;
  };
  const Case cases[] = {
      {{10}, {3}, {4}},
      {{4, 8, 8}, {1, 4, 0}, {2, 4, 8}},
      {{4, 8, 8}, {0, 0, 4}, {-1, -1, 4}},
      {{3, 5, 7, 2, 2}, {1, 2, 3, 0, 1}, {2, 2, 3, 2, 1}},
      {{2, 2, 2, 2, 2, 2, 2, 3}, {0, 1, 0, 1, 0, 1, 0, 1}, {2, 1, 2, 1, 2, 1, 2, 2}},
      {{5, 5}, {5, 0}, {0, 5}},
  };
  for (const OperandType type : {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned, kTensorInt32}) {
    for (const Case& c : cases) {
      OneNode node(OperationCode::kSlice);
      node.random_input(type == kTensorInt32 ? tensor(type, c.shape) : typed(type, c.shape), 3);
      list(list(node, c.begin), c.size);
      expect_same_as_reference(
          node.output(type == kTensorInt32 ? tensor(type, open(c.shape.rank())) : typed(type, open(c.shape.rank()))));
    }
  }
}

TEST(StridedSliceKernel, StepsForwardsAndBackwards) {
  NNVK_REQUIRE_VULKAN();
  struct Case {
    std::vector<int32_t> begin, end, strides;
    int32_t begin_mask, end_mask, shrink_mask;
    size_t rank;
  };
  const Case cases[] = {
      {{0, 0, 0}, {5, 6, 8}, {2, 3, 1}, 0, 0, 0, 3},  {{-1, 5, 7}, {-6, -7, -9}, {-1, -2, -3}, 0, 0, 0, 3},
      {{1, 2, 3}, {2, 6, 8}, {1, 1, 1}, 0, 0, 1, 2},  {{1, 2, 3}, {2, 3, 4}, {1, 1, 1}, 0, 0, 7, 1},
      {{4, 1, 0}, {0, 0, 0}, {-1, 1, 4}, 1, 7, 0, 3}, {{3, 0, 0}, {2, 6, 8}, {1, 1, 1}, 0, 0, 0, 3},
  };
  for (const OperandType type : kWidths) {
    for (const Case& c : cases) {
      OneNode node(OperationCode::kStridedSlice);
      node.random_input(typed(type, {5, 6, 8}), 4);
      list(list(list(node, c.begin), c.end), c.strides).scalar(c.begin_mask).scalar(c.end_mask).scalar(c.shrink_mask);
      expect_same_as_reference(node.output(typed(type, open(c.rank))));
    }
  }
}

TEST(PadKernel, SurroundsWithZeroOrTheZeroPoint) {
  NNVK_REQUIRE_VULKAN();
  const std::pair<Shape, std::vector<int32_t>> cases[] = {
      {{5}, {2, 3}},
      {{2, 5, 6, 8}, {0, 0, 1, 2, 1, 1, 0, 0}},
      {{2, 5, 6, 3}, {0, 0, 1, 2, 1, 1, 0, 0}},
      {{2, 3, 4, 8}, {1, 0, 2, 1, 0, 3, 4, 8}},
      {{2, 3, 4, 5}, {1, 0, 2, 1, 0, 3, 4, 1}},
      {{3, 4}, {0, 0, 0, 0}},
  };
  for (const OperandType type : kWidths) {
    for (const auto& [shape, paddings] : cases) {
      OneNode node(OperationCode::kPad);
      node.random_input(typed(type, shape), 5);
      list(node, paddings, {static_cast<uint32_t>(shape.rank()), 2});
      expect_same_as_reference(node.output(typed(type, open(shape.rank()))));
    }
  }
}

TEST(PadV2Kernel, SurroundsWithTheGivenValue) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kWidths) {
    OneNode node(OperationCode::kPadV2);
    node.random_input(typed(type, {3, 5}), 6);
    list(node, {1, 2, 3, 1}, {2, 2});
    if (type == kTensorFloat32) {
      node.scalar(9.5F);
    } else if (type == kTensorFloat16) {
      node.constant(OperandInfo{kFloat16, {}, 0, 0, nullptr, nullptr}, raw_values(std::vector<uint16_t>{0xC8C0}));
    } else {
      node.scalar(type == kTensorQuant8Asymm ? 200 : -100);
    }
    expect_same_as_reference(node.output(typed(type, open(2))));
  }
}

TEST(ConcatenationKernel, JoinsAtEveryAxisWhateverTheAlignment) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kWidths) {
    for (int32_t axis = 0; axis < 3; ++axis) {
      for (const std::vector<uint32_t>& sizes :
           std::vector<std::vector<uint32_t>>{{4, 8}, {3, 5}, {1, 1, 1, 1, 1}, {7}, {2, 4, 3}, {1, 2}}) {
        for (const uint32_t other : {1U, 3U, 4U}) {
          OneNode node(OperationCode::kConcatenation);
          uint32_t seed = 10;
          for (const uint32_t size : sizes) {
            Shape shape{2, other, other};
            shape.dims[static_cast<size_t>(axis)] = size;
            node.random_input(typed(type, shape), ++seed);
          }
          expect_same_as_reference(node.scalar(axis).output(typed(type, open(3))));
        }
      }
    }
  }
}

TEST(ConcatenationKernel, RequantizesToTheOutput) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
    const int32_t offset = type == kTensorQuant8Asymm ? 128 : 0;
    OneNode node(OperationCode::kConcatenation);
    node.random_input(tensor(type, {3, 50}, 0.5F, offset + 3), 1).random_input(tensor(type, {3, 41}, 0.017F, offset - 90), 2);
    node.random_input(tensor(type, {3, 7}, 0.3F, offset), 3).scalar(1);
    expect_same_as_reference(node.output(tensor(type, open(2), 0.3F, offset)));
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
