// SOFTMAX on Vulkan against the CPU reference: every axis, every alignment of slices to quads, exact integers.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

TEST(SoftmaxKernel, FloatsAgreeOnEveryAxis) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
    const OperandInfo info = tensor(type, {2, 3, 4, 5});
    for (const int32_t axis : {-4, -3, -2, -1, 0, 1, 2, 3}) {
      OneNode node(OperationCode::kSoftmax);
      node.random_input(info, 1);
      expect_same_as_reference(node.scalar_of(type, 0.75F).scalar(axis).output(info));
    }
  }
}

TEST(SoftmaxKernel, SlicesOfEveryLengthAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t size : {1U, 2U, 3U, 4U, 7U, 8U, 10U, 1001U}) {
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
      const OperandInfo info = tensor(type, {3, size});
      OneNode node(OperationCode::kSoftmax);
      node.random_input(info, size);
      expect_same_as_reference(node.scalar_of(type, 1.0F).output(info));
    }
    for (const OperandType type : {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned}) {
      const OperandInfo in = tensor(type, {3, size}, 0.1F, 5);
      const OperandInfo out = tensor(type, {3, size}, 1.0F / 256, type == OperandType::kTensorQuant8Asymm ? 0 : -128);
      expect_same_as_reference(OneNode(OperationCode::kSoftmax).random_input(in, size).scalar(1.0F).output(out));
    }
  }
}

TEST(SoftmaxKernel, LargeAndSmallArgumentsAgree) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> values = {1000.0F, 999.0F, -1000.0F, 0.0F, 3e38F, -3e38F, 1e-30F, -86.9F, -87.1F, -103.0F, 0.5F, 1.0F};
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {2, 6});
  for (const float beta : {0.001F, 1.0F, 30.0F}) {
    expect_same_as_reference(
        OneNode(OperationCode::kSoftmax).input(info, float_values(info.type, values)).scalar(beta).output(info));
  }
}

TEST(SoftmaxKernel, IntegersAreIdenticalForEveryScale) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned}) {
    const int32_t zero_point = type == OperandType::kTensorQuant8Asymm ? 0 : -128;
    for (const float scale : {1e-6F, 0.003F, 0.0625F, 0.5F, 2.0F, 1e4F}) {
      for (const int32_t axis : {1, 2}) {
        const OperandInfo in = tensor(type, {5, 7, 9}, scale, 0);
        const OperandInfo out = tensor(type, {5, 7, 9}, 1.0F / 256, zero_point);
        expect_same_as_reference(OneNode(OperationCode::kSoftmax).random_input(in, 3).scalar(1.5F).scalar(axis).output(out));
      }
    }
  }
}

TEST(SoftmaxKernel, SumsThatExceed32BitsSaturate) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t size : {512U, 513U, 8191U, 8192U, 20000U}) {
    const OperandInfo in = tensor(OperandType::kTensorQuant8Asymm, {1, size}, 0.1F, 0);
    const OperandInfo out = tensor(OperandType::kTensorQuant8Asymm, {1, size}, 1.0F / 256, 0);
    expect_same_as_reference(
        OneNode(OperationCode::kSoftmax).input(in, raw_values(std::vector<uint8_t>(size, 77))).scalar(1.0F).output(out));
  }
}

TEST(SoftmaxKernel, NanSpreadsOverItsSliceOnly) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {1, 2, nan, 4, nan, 2, 3, 4, 1, 2, 3, 4, -inf, 0, 1, 2, -inf, -inf, -inf, -inf, inf, 0, 1, 2};
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {6, 4});
  for (const OperationCode code : {OperationCode::kSoftmax, OperationCode::kLogSoftmax}) {
    for (const int32_t axis : {0, 1}) {
      expect_same_as_reference(OneNode(code).input(info, float_values(info.type, values)).scalar(1.0F).scalar(axis).output(info));
    }
  }
}

TEST(LogSoftmaxKernel, AgreesOnEveryAxisAndSliceLength) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
    for (const Shape& shape : {Shape{2, 3, 4, 5}, Shape{7}, Shape{3, 1001}, Shape{2, 1, 2, 1, 3, 2}}) {
      for (int32_t axis = -static_cast<int32_t>(shape.rank()); axis < static_cast<int32_t>(shape.rank()); ++axis) {
        const OperandInfo info = tensor(type, shape);
        OneNode node(OperationCode::kLogSoftmax);
        expect_same_as_reference(node.random_input(info, 5, 10.0F).scalar_of(type, 0.75F).scalar(axis).output(info));
      }
    }
  }
}

// The specification does not check beta: zero and negative ones are sums of growing exponentials.
TEST(LogSoftmaxKernel, EveryBetaAndFarValuesAgree) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> values = {1000.0F, 999.0F, -1000.0F, 0.0F, 50.0F, -3e38F, 1e-30F, -86.9F, -87.1F, -103.0F, 0.5F, 1.0F};
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {2, 6});
  for (const float beta : {0.001F, 1.0F, 30.0F, 0.0F, -0.01F, -2.0F}) {
    expect_same_as_reference(
        OneNode(OperationCode::kLogSoftmax).input(info, float_values(info.type, values)).scalar(beta).scalar(1).output(info));
  }
}

// Slices that one invocation does not fold in one go; software Vulkan would leave its loops without a word.
TEST(SoftmaxKernel, LongSlicesAgree) {
  NNVK_REQUIRE_VULKAN();
  const auto run = [](OperationCode code, const OperandInfo& in, const OperandInfo& out, int32_t axis) {
    OneNode node(code);
    node.random_input(in, 1, 2.0F).scalar(0.5F).scalar(axis);
    // Thousands of small shares: absolute differences far below the shares tell more than the usual tolerance.
    expect_same_as_reference(node.output(out), {code == OperationCode::kSoftmax ? 1e-8 : 1e-4, 1e-4});
  };
  for (const OperationCode code : {OperationCode::kSoftmax, OperationCode::kLogSoftmax}) {
    const OperandInfo rows = tensor(OperandType::kTensorFloat32, {1, 70001});
    run(code, rows, rows, 1);
    const OperandInfo columns = tensor(OperandType::kTensorFloat32, {40001, 3});
    run(code, columns, columns, 0);
  }
  // Few values per slice differ from the largest, so that results are not all zero.
  for (const OperandType type : {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned}) {
    const int32_t lowest = type == OperandType::kTensorQuant8Asymm ? 0 : -128;
    const OperandInfo in = tensor(type, {40001, 3}, 1.0F, lowest);
    std::vector<uint8_t> bytes(in.shape.element_count(), type == OperandType::kTensorQuant8Asymm ? 10 : 0x90);
    for (const size_t i : {0U, 4U, 60000U, 100001U, 120002U}) bytes[i] += 40;
    const OperandInfo out = tensor(type, in.shape, 1.0F / 256, lowest);
    expect_same_as_reference(OneNode(OperationCode::kSoftmax).input(in, raw_values(bytes)).scalar(1.0F).scalar(0).output(out));
  }
}

// The longest slices that one dispatch folds twice.
TEST(SoftmaxKernel, SlicesOfOneWholeDispatchAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const Shape& shape : {Shape{1, 65536}, Shape{16384, 1, 2}}) {
    const int32_t axis = shape.rank() == 2 ? 1 : 0;
    const OperandInfo info = tensor(OperandType::kTensorFloat32, shape);
    OneNode floats(OperationCode::kSoftmax);
    expect_same_as_reference(floats.random_input(info, 1, 2.0F).scalar(0.5F).scalar(axis).output(info), {1e-8, 1e-4});
    const OperandInfo in = tensor(OperandType::kTensorQuant8Asymm, shape, 1.0F, 0);
    std::vector<uint8_t> bytes(shape.element_count(), 10);
    for (const size_t i : {3U, 16000U, 32766U, 32767U}) bytes[i] += 40;
    bytes.back() += 40;
    const OperandInfo out = tensor(in.type, shape, 1.0F / 256, 0);
    expect_same_as_reference(OneNode(OperationCode::kSoftmax).input(in, raw_values(bytes)).scalar(1.0F).scalar(axis).output(out));
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
