// FULLY_CONNECTED on Vulkan against the CPU reference.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace nnvk::vulkan::rig
