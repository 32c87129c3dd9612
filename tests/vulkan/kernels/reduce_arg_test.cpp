// MEAN and ARGMAX on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <limits>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;
constexpr OperandType kTypes[] = {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned};

OperandInfo typed(OperandType type, Shape shape) {
  return is_float(type) ? tensor(type, std::move(shape))
                        : tensor(type, std::move(shape), 0.5F, type == kTensorQuant8Asymm ? 7 : -3);
}

TEST(MeanKernel, AveragesOverAnyAxes) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<int32_t> axes_cases[] = {{1, 2}, {0}, {3}, {-1, 1}, {0, 2}, {0, 1, 2, 3}, {2, 2, -2}};
  for (const OperandType type : kTypes) {
    for (const auto& axes : axes_cases) {
      for (const Shape& shape : {Shape{2, 3, 5, 8}, Shape{2, 3, 5, 7}, Shape{1, 7, 7, 64}, Shape{1, 1, 1, 1}}) {
        for (const int32_t keep : {0, 1}) {
          OneNode node(OperationCode::kMean);
          node.random_input(typed(type, shape), 1);
          node.constant(tensor(kTensorInt32, {static_cast<uint32_t>(axes.size())}), raw_values(axes)).scalar(keep);
          expect_same_as_reference(node.output(typed(type, Shape::unknown_rank())));
        }
      }
    }
  }
}

TEST(ArgmaxKernel, FindsTheFirstLargestElement) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kTensorFloat32, kTensorFloat16, kTensorInt32, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
    for (const int32_t axis : {0, 1, -1}) {
      for (const Shape& shape : {Shape{3, 5, 7}, Shape{2, 300, 4}, Shape{1, 1, 1}}) {
        OneNode node(OperationCode::kArgmax);
        // A small range makes ties certain for the integers.
        node.random_input(type == kTensorInt32 ? tensor(type, shape) : typed(type, shape), 2, 3.0F).scalar(axis);
        expect_same_as_reference(node.output(tensor(kTensorInt32, {kUnknownDimension, kUnknownDimension})));
      }
    }
  }
}

TEST(ArgmaxKernel, NanWinsOnlyAtIndexZero) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  OneNode node(OperationCode::kArgmax);
  const std::vector<float> values = {nan, 1, 5, 1, nan, 5, 2, 2, nan};
  node.input(tensor(kTensorFloat32, {3, 3}), float_values(kTensorFloat32, values)).scalar(1);
  expect_same_as_reference(node.output(tensor(kTensorInt32, {3})));
}

TEST(ArgmaxKernel, OneDimensionGivesOneIndex) {
  NNVK_REQUIRE_VULKAN();
  OneNode node(OperationCode::kArgmax);
  node.random_input(tensor(kTensorFloat32, {1001}), 3).scalar(0);
  expect_same_as_reference(node.output(tensor(kTensorInt32, {1})));
}

}  // namespace
}  // namespace nnvk::vulkan::rig
