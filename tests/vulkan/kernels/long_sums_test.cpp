// Operations whose results need more loop iterations than software Vulkan grants an invocation (vulkan/kernels/bounded_work.h),
// one case or two per kernel, against the CPU reference.
#include <gtest/gtest.h>

#include "tests/vulkan/kernels/convolution_cases.h"

namespace nnvk::vulkan::rig {
namespace {

// Rounding differs with the order of so many additions.
constexpr Tolerance kLongSum = {0.02, 1e-4};
Tolerance long_sum_tolerance(OperandType type) { return type == OperandType::kTensorFloat16 ? Tolerance{0.3, 0.01} : kLongSum; }

void expect_convolution_agrees_in(const std::vector<OperandType>& types, OperationCode code, const ConvolutionCase& c) {
  for (const OperandType type : types) expect_same_as_reference(convolution(code, type, c), long_sum_tolerance(type));
}

constexpr OperandType kFloat32 = OperandType::kTensorFloat32;
constexpr OperandType kFloat16 = OperandType::kTensorFloat16;
constexpr OperandType kUint8 = OperandType::kTensorQuant8Asymm;
constexpr OperandType kInt8 = OperandType::kTensorQuant8AsymmSigned;

TEST(LongSums, ConvolutionsWithLargeFilters) {
  NNVK_REQUIRE_VULKAN();
  ConvolutionCase c;  // one channel: every tap is a load
  c.height = c.width = 180;
  c.filter_height = c.filter_width = 179;
  c.in_channels = 1;
  c.out_channels = 3;
  expect_convolution_agrees_in({kFloat32, kUint8}, OperationCode::kConv2d, c);
  c.pad_left = c.pad_top = 1;  // cells outside the image
  c.filter_height = 181;
  expect_convolution_agrees_in({kFloat16, kInt8}, OperationCode::kConv2d, c);
}

TEST(LongSums, ConvolutionsWithManyChannels) {
  NNVK_REQUIRE_VULKAN();
  ConvolutionCase c;  // chunks end within a tap
  c.height = c.width = 3;
  c.filter_height = c.filter_width = 3;
  c.in_channels = 31020;
  c.out_channels = 5;
  expect_convolution_agrees_in({kFloat32, kInt8}, OperationCode::kConv2d, c);
  c.nchw = true;
  c.filter_height = 2;
  expect_convolution_agrees_in({kFloat32, kUint8}, OperationCode::kConv2d, c);
}

TEST(LongSums, GroupedConvolutions) {
  NNVK_REQUIRE_VULKAN();
  ConvolutionCase c;
  c.height = c.width = 2;
  c.filter_height = c.filter_width = 2;
  c.in_channels = 2 * 18003;
  c.out_channels = 6;
  c.groups = 2;
  expect_convolution_agrees_in({kFloat32, kInt8}, OperationCode::kGroupedConv2d, c);
}

TEST(LongSums, TransposedConvolutions) {
  NNVK_REQUIRE_VULKAN();
  ConvolutionCase c;  // the phases meet different numbers of taps
  c.height = 2;
  c.width = 2;
  c.filter_height = 3;
  c.filter_width = 4;
  c.stride_height = c.stride_width = 2;
  c.in_channels = 20001;
  c.out_channels = 2;
  expect_convolution_agrees_in({kFloat32, kUint8}, OperationCode::kTransposeConv2d, c);
}

TEST(LongSums, DepthwiseConvolutions) {
  NNVK_REQUIRE_VULKAN();
  ConvolutionCase c;
  c.height = c.width = 262;
  c.filter_height = c.filter_width = 259;
  c.in_channels = c.out_channels = 3;
  expect_convolution_agrees_in({kFloat32, kUint8}, OperationCode::kDepthwiseConv2d, c);
  c.height = 66000;  // more rows than iterations, with a width that short filters unroll
  c.width = 3;
  c.filter_height = 65990;
  c.filter_width = 3;
  c.in_channels = 1;
  c.out_channels = 2;
  expect_convolution_agrees_in({kFloat32, kInt8}, OperationCode::kDepthwiseConv2d, c);
  c.filter_width = 1;
  expect_convolution_agrees_in({kFloat32, kUint8}, OperationCode::kDepthwiseConv2d, c);
}

OneNode fully_connected(OperandType type, uint32_t batches, uint32_t size, uint32_t units) {
  const bool integer = !is_float(type);
  const float input_scale = integer ? 0.02F : 0.0F;
  const float weight_scale = integer ? 0.005F : 0.0F;
  OneNode node(OperationCode::kFullyConnected);
  node.random_input(tensor(type, {batches, size}, input_scale, integer ? 3 : 0), 21, 1.0F);
  node.random_constant(tensor(type, {units, size}, weight_scale, integer ? 2 : 0), 22, 1.0F);
  node.random_constant(tensor(integer ? OperandType::kTensorInt32 : type, {units}, input_scale * weight_scale), 23, 1.0F);
  node.scalar(0);
  return node.output(tensor(type, {kUnknownDimension, units}, integer ? output_scale(input_scale, weight_scale, size) : 0.0F));
}

TEST(LongSums, FullyConnectedLayers) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kFloat32, kInt8}) {
    expect_same_as_reference(fully_connected(type, 1, 70001, 3), long_sum_tolerance(type));
    expect_same_as_reference(fully_connected(type, 6, 270000, 2), long_sum_tolerance(type));
  }
}

TEST(LongSums, MatrixProducts) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kFloat32, OperandType::kTensorInt32, kInt8}) {
    const bool quantized = type == kInt8;
    const float scale = quantized ? 0.01F : 0.0F;
    OneNode node(OperationCode::kBatchMatmul);
    node.random_input(tensor(type, {2, 3, 70003}, scale), 31, 100.0F).random_input(tensor(type, {2, 70003, 2}, scale), 32, 1.0F);
    node.scalar(false).scalar(false);
    node.output(tensor(type, {2, 3, 2}, quantized ? output_scale(scale, scale, 70003) : 0.0F));
    expect_same_as_reference(node, {1.0, 1e-3});
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
