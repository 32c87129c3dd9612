// L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION and INSTANCE_NORMALIZATION on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;
constexpr OperandType kFloats[] = {kTensorFloat32, kTensorFloat16};

OperandInfo l2_output(OperandType type, Shape shape) {
  if (!is_quant8_asymm(type)) return tensor(type, std::move(shape));
  return tensor(type, std::move(shape), 1.0F / 128, type == kTensorQuant8Asymm ? 128 : 0);
}

OneNode l2(const OperandInfo& in, std::vector<std::byte> values) {
  OneNode node(OperationCode::kL2Normalization);
  node.input(in, std::move(values));
  return node;
}

TEST(L2NormalizationKernel, AgreesOnEveryAxisAndType) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
    for (const Shape& shape : {Shape{2, 3, 4, 5}, Shape{3, 7, 8}, Shape{9}, Shape{1, 1}, Shape{2, 300}}) {
      const OperandInfo in = tensor(type, shape, is_quant8_asymm(type) ? 0.1F : 0.0F, is_quant8_asymm(type) ? 11 : 0);
      expect_same_as_reference(l2(in, random_values(in, 1)).output(l2_output(type, shape)));
      for (int32_t axis = -static_cast<int32_t>(shape.rank()); axis < static_cast<int32_t>(shape.rank()); ++axis) {
        expect_same_as_reference(l2(in, random_values(in, 2)).scalar(axis).output(l2_output(type, shape)));
      }
    }
  }
}

TEST(L2NormalizationKernel, ZerosStayZeroAndSmallValuesKeepTheFloor) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> values = {0, 0, 0, 1e-7F, 0, 0, 3e-7F, 4e-7F, 0, 1e30F, 1, 1, -0.0F, 5, 12};
  const OperandInfo info = tensor(kTensorFloat32, {5, 3});
  expect_same_as_reference(l2(info, float_values(kTensorFloat32, values)).output(info));
  for (const OperandType type : {kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
    const OperandInfo in = tensor(type, {2, 4}, 0.1F, 20);
    for (const int32_t axis : {0, 1}) {
      expect_same_as_reference(
          l2(in, raw_values(std::vector<uint8_t>{20, 20, 20, 20, 20, 21, 20, 20})).scalar(axis).output(l2_output(type, {2, 4})));
    }
  }
}

// Slices of one value: the sums run through every magnitude, beyond 32 bits for the longest.
TEST(L2NormalizationKernel, EverySumOfSquaresGivesTheSameIntegers) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
    const int32_t zero_point = type == kTensorQuant8Asymm ? 0 : -128;
    for (const uint32_t size : {1U, 2U, 3U, 17U, 500U, 20000U, 70000U}) {
      for (const uint32_t byte : {0U, 1U, 2U, 3U, 100U, 127U, 128U, 255U}) {
        const OperandInfo in = tensor(type, {size}, 0.1F, zero_point);
        expect_same_as_reference(
            l2(in, std::vector<std::byte>(size, static_cast<std::byte>(byte))).output(l2_output(type, {size})));
      }
    }
  }
}

OneNode local_response(const OperandInfo& info, std::vector<std::byte> values, int32_t radius, float bias, float alpha,
                       float beta) {
  OneNode node(OperationCode::kLocalResponseNormalization);
  node.input(info, std::move(values)).scalar(radius);
  node.scalar_of(info.type, bias).scalar_of(info.type, alpha).scalar_of(info.type, beta);
  return node;
}

TEST(LocalResponseKernel, AgreesOnEveryAxisAndRadius) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kFloats) {
    for (const Shape& shape : {Shape{2, 3, 4, 5}, Shape{3, 9}, Shape{7}}) {
      const OperandInfo info = tensor(type, shape);
      for (const int32_t radius : {0, 1, 2, 100, INT32_MAX}) {
        expect_same_as_reference(local_response(info, random_values(info, 1), radius, 2.0F, 0.5F, 0.75F).output(info));
        for (int32_t axis = -static_cast<int32_t>(shape.rank()); axis < static_cast<int32_t>(shape.rank()); ++axis) {
          expect_same_as_reference(
              local_response(info, random_values(info, 2), radius, 1.0F, 0.25F, 0.5F).scalar(axis).output(info));
        }
      }
    }
  }
}

TEST(LocalResponseKernel, ZeroAndNegativeBasesActLikeThePowerFunction) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> values = {0, 1, -2, 0, 0, 3, 0.5F, 0};
  const OperandInfo info = tensor(kTensorFloat32, {2, 4});
  for (const float bias : {0.0F, -0.5F, -20.0F, 1.0F}) {
    for (const float beta : {1.0F, 0.5F, -1.0F, 2.0F, 0.0F, 0.3F}) {
      expect_same_as_reference(local_response(info, float_values(info.type, values), 1, bias, 1.0F, beta).output(info));
    }
  }
}

TEST(LocalResponseKernel, ANegativeRadiusFails) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(kTensorFloat32, {2, 4});
  expect_same_failure(local_response(info, random_values(info, 1), -1, 1.0F, 1.0F, 1.0F).output(info));
}

TEST(InstanceNormalizationKernel, AgreesInBothLayouts) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kFloats) {
    for (const bool nchw : {false, true}) {
      for (const Shape& shape : {Shape{2, 3, 5, 4}, Shape{1, 7, 6, 3}, Shape{3, 1, 1, 5}, Shape{2, 5, 1, 1}, Shape{1, 1, 1, 1}}) {
        const OperandInfo info = tensor(type, shape);
        OneNode node(OperationCode::kInstanceNormalization);
        node.random_input(info, 1).scalar_of(type, 1.5F).scalar_of(type, -0.5F).scalar_of(type, 0.01F).scalar(nchw);
        expect_same_as_reference(node.output(info));
      }
    }
  }
}

TEST(InstanceNormalizationKernel, ANegativeVarianceIsNotANumber) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(kTensorFloat32, {1, 2, 2, 2});
  OneNode node(OperationCode::kInstanceNormalization);
  node.random_input(info, 1, 0.5F).scalar(1.0F).scalar(0.0F).scalar(-5.0F).scalar(false);
  expect_same_as_reference(node.output(info));
}

TEST(InstanceNormalizationKernel, OtherRanksFail) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(kTensorFloat32, {2, 2, 2});
  OneNode node(OperationCode::kInstanceNormalization);
  node.random_input(info, 1).scalar(1.0F).scalar(0.0F).scalar(0.1F).scalar(false);
  expect_same_failure(node.output(info));
}

// Slices that one invocation does not fold in one go.
TEST(NormalizationKernel, LongSlicesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const Shape& shape : {Shape{2, 40001}, Shape{40001, 2}}) {
    const OperandInfo info = tensor(kTensorFloat32, shape);
    expect_same_as_reference(l2(info, random_values(info, 1, 100.0F)).scalar(shape[0] == 2 ? 1 : 0).output(info));
    const OperandInfo bytes = tensor(kTensorQuant8AsymmSigned, shape, 1.0F, -3);
    std::vector<uint8_t> values(shape.element_count(), 0xFD);
    for (const size_t i : {1U, 17U, 40000U, 40005U, 79999U}) values[i] = 90;
    const OperandInfo out = l2_output(bytes.type, shape);
    expect_same_as_reference(l2(bytes, raw_values(values)).scalar(shape[0] == 2 ? 1 : 0).output(out));
  }
  for (const bool nchw : {false, true}) {
    const OperandInfo info = tensor(kTensorFloat32, nchw ? Shape{1, 2, 200, 201} : Shape{1, 200, 201, 2});
    OneNode node(OperationCode::kInstanceNormalization);
    node.random_input(info, 1).scalar(1.5F).scalar(-0.5F).scalar(0.01F).scalar(nchw);
    expect_same_as_reference(node.output(info), {1e-4, 1e-4});
  }
}

TEST(LocalResponseKernel, AWideNeighbourhoodAgrees) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(kTensorFloat32, {9001});
  expect_same_as_reference(local_response(info, random_values(info, 1), 8000, 1.0F, 0.001F, 0.5F).output(info));
}

}  // namespace
}  // namespace nnvk::vulkan::rig
