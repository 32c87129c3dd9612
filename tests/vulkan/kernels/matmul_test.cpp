// FULLY_CONNECTED and BATCH_MATMUL on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/vulkan/kernels/convolution_cases.h"

namespace nnvk::vulkan::rig {
namespace {

OneNode fully_connected(OperandType type, const Shape& input_shape, uint32_t input_size, uint32_t units, int32_t activation,
                        bool constant_weights = true) {
  const bool integer = !is_float(type);
  const bool is_signed = type == OperandType::kTensorQuant8AsymmSigned;
  const float input_scale = integer ? 0.02F : 0.0F;
  const float weight_scale = integer ? 0.005F : 0.0F;
  OneNode node(OperationCode::kFullyConnected);
  node.random_input(tensor(type, input_shape, input_scale, integer ? (is_signed ? 3 : 125) : 0), 21, 1.0F);
  const OperandInfo weights = tensor(type, {units, input_size}, weight_scale, integer ? (is_signed ? -2 : 131) : 0);
  const OperandInfo bias = tensor(integer ? OperandType::kTensorInt32 : type, {units}, input_scale * weight_scale);
  if (constant_weights) {
    node.random_constant(weights, 22, 1.0F).random_constant(bias, 23, integer ? 2000.0F : 1.0F);
  } else {
    node.random_input(weights, 22, 1.0F).random_input(bias, 23, integer ? 2000.0F : 1.0F);
  }
  node.scalar(activation);
  return node.output(tensor(type, {kUnknownDimension, units},
                            integer ? output_scale(input_scale, weight_scale, input_size) : 0.0F,
                            integer ? (is_signed ? -5 : 128) : 0));
}

TEST(FullyConnectedKernel, EveryTypeAgreesForAllKindsOfSizes) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : convolution_types()) {
    for (const uint32_t batches : {1U, 2U, 5U, 9U}) {
      for (const uint32_t size : {1U, 7U, 64U, 1283U}) {
        for (const uint32_t units : {1U, 10U, 33U}) {
          expect_same_as_reference(fully_connected(type, {batches, size}, size, units, 0), sum_tolerance(type, size));
        }
      }
    }
  }
}

TEST(FullyConnectedKernel, InputsOfHigherRankAreFlattened) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : convolution_types()) {
    expect_same_as_reference(fully_connected(type, {2, 3, 2, 4}, 8, 12, 1), sum_tolerance(type, 8));
    expect_same_as_reference(fully_connected(type, {2, 12}, 6, 5, 3), sum_tolerance(type, 6));
  }
}

TEST(FullyConnectedKernel, WeightsGivenAtExecutionArePackedThen) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : convolution_types()) {
    expect_same_as_reference(fully_connected(type, {3, 20}, 20, 9, 2, false), sum_tolerance(type, 20));
  }
}

const std::vector<OperandType> kMatmulTypes = {OperandType::kTensorFloat32, OperandType::kTensorFloat16,
                                               OperandType::kTensorQuant8AsymmSigned, OperandType::kTensorInt32};

struct MatmulCase {
  std::vector<uint32_t> batch;
  uint32_t rows = 1;
  uint32_t depth = 1;
  uint32_t columns = 1;
  bool adjoint_x = false;
  bool adjoint_y = false;
  bool constant = false;  // the right side
};

OneNode batch_matmul(OperandType type, const MatmulCase& c) {
  const bool quantized = type == OperandType::kTensorQuant8AsymmSigned;
  const auto matrices = [&](uint32_t height, uint32_t width, bool adjoint) {
    Shape shape{std::vector<uint32_t>(c.batch)};
    shape.dims.push_back(adjoint ? width : height);
    shape.dims.push_back(adjoint ? height : width);
    return shape;
  };
  // Integers are so large that sums wrap.
  const float range = type == OperandType::kTensorInt32 ? 2e9F : 1.0F;
  const OperandInfo x = tensor(type, matrices(c.rows, c.depth, c.adjoint_x), quantized ? 0.02F : 0.0F, quantized ? 5 : 0);
  const OperandInfo y = tensor(type, matrices(c.depth, c.columns, c.adjoint_y), quantized ? 0.03F : 0.0F, quantized ? -11 : 0);
  OneNode node(OperationCode::kBatchMatmul);
  node.random_input(x, 41, range);
  if (c.constant) {
    node.random_constant(y, 42, range);
  } else {
    node.random_input(y, 42, range);
  }
  node.scalar(c.adjoint_x).scalar(c.adjoint_y);
  Shape output(std::vector<uint32_t>(c.batch.size() + 2, kUnknownDimension));
  return node.output(tensor(type, output, quantized ? output_scale(0.02F, 0.03F, c.depth) : 0.0F, quantized ? -3 : 0));
}

void expect_matmul_agrees(MatmulCase c) {
  for (const OperandType type : kMatmulTypes) {
    for (const bool adjoint_x : {false, true}) {
      for (const bool adjoint_y : {false, true}) {
        c.adjoint_x = adjoint_x;
        c.adjoint_y = adjoint_y;
        expect_same_as_reference(batch_matmul(type, c), sum_tolerance(type, c.depth));
      }
    }
  }
}

TEST(BatchMatmulKernel, AllTypesAndTranspositionsAgreeForAllKindsOfSizes) {
  NNVK_REQUIRE_VULKAN();
  expect_matmul_agrees({{}, 1, 1, 1});
  expect_matmul_agrees({{}, 1, 9, 7});   // one row: it may be padded
  expect_matmul_agrees({{}, 5, 8, 16});  // whole vectors and tiles everywhere
  expect_matmul_agrees({{3}, 4, 4, 4});
  expect_matmul_agrees({{3}, 1, 6, 3});  // rows of several matrices share words
  expect_matmul_agrees({{2, 2}, 7, 12, 20});
  expect_matmul_agrees({{2, 1}, 17, 5, 9});
  expect_matmul_agrees({{2}, 9, 300, 13});  // 8-bit sums beyond what one float holds exactly
}

TEST(BatchMatmulKernel, AConstantRightSideIsPackedOnce) {
  NNVK_REQUIRE_VULKAN();
  expect_matmul_agrees({.batch = {2}, .rows = 5, .depth = 8, .columns = 8, .constant = true});
  expect_matmul_agrees({.batch = {2}, .rows = 5, .depth = 7, .columns = 6, .constant = true});
}

TEST(BatchMatmulKernel, InfinitiesAndNaNPass) {
  NNVK_REQUIRE_VULKAN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
    OneNode node(OperationCode::kBatchMatmul);
    node.input(tensor(type, {3, 1}), float_values(type, std::vector<float>{inf, -1, std::nanf("")}));
    node.input(tensor(type, {1, 4}), float_values(type, std::vector<float>{1, -2, inf, 0.5F}));
    node.scalar(false).scalar(false);
    expect_same_as_reference(node.output(tensor(type, {3, 4})));
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
