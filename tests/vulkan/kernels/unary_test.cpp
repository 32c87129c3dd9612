// RELU, RELU1, RELU6, LOGISTIC, TANH and HARD_SWISH on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <limits>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

constexpr OperationCode kOperations[] = {OperationCode::kRelu,     OperationCode::kRelu1, OperationCode::kRelu6,
                                         OperationCode::kLogistic, OperationCode::kTanh,  OperationCode::kHardSwish};

TEST(UnaryKernel, FloatsAgreeForEveryShapeOfTail) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
      for (const Shape& shape : {Shape{1}, Shape{7}, Shape{2, 3, 5}, Shape{1, 9, 13, 4}, Shape{4097}}) {
        expect_same_as_reference(OneNode(code).random_input(tensor(type, shape), 3, 12.0F).output(tensor(type, shape)));
      }
    }
  }
}

TEST(UnaryKernel, FloatsAgreeAtTheEdges) {
  NNVK_REQUIRE_VULKAN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> edges = {0.0F,
                                    -0.0F,
                                    1.0F,
                                    -1.0F,
                                    6.0F,
                                    -3.0F,
                                    3.0F,
                                    0.249F,
                                    0.251F,
                                    -0.25F,
                                    1e-3F,
                                    -1e-6F,
                                    20.0F,
                                    -20.0F,
                                    88.0F,
                                    -88.0F,
                                    100.0F,
                                    -100.0F,
                                    3e38F,
                                    -3e38F,
                                    inf,
                                    -inf,
                                    std::numeric_limits<float>::quiet_NaN()};
  for (const OperationCode code : kOperations) {
    // inf * 0 in HARD_SWISH is NaN on both; every other operation has finite limits.
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
      const OperandInfo info = tensor(type, {static_cast<uint32_t>(edges.size())});
      expect_same_as_reference(OneNode(code).input(info, float_values(type, edges)).output(info));
    }
  }
}

TEST(UnaryKernel, EveryByteGivesTheReferencesByte) {
  NNVK_REQUIRE_VULKAN();
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 256 + 5; ++i) bytes.push_back(static_cast<uint8_t>(i));
  const Shape shape = {static_cast<uint32_t>(bytes.size())};
  for (const OperationCode code : kOperations) {
    for (const bool is_signed : {false, true}) {
      const OperandType type = is_signed ? OperandType::kTensorQuant8AsymmSigned : OperandType::kTensorQuant8Asymm;
      for (const float scale : {0.003F, 0.05F, 0.125F, 1.0F}) {
        for (const int32_t shift : {0, 37, 128}) {
          const int32_t zero_point = is_signed ? shift - 128 : shift;
          const OperandInfo in = tensor(type, shape, scale, zero_point);
          OperandInfo out = in;
          if (code == OperationCode::kLogistic) {
            out.scale = 1.0F / 256;
            out.zero_point = is_signed ? -128 : 0;
          } else if (code == OperationCode::kTanh) {
            out.scale = 1.0F / 128;
            out.zero_point = is_signed ? 0 : 128;
          }
          expect_same_as_reference(OneNode(code).input(in, raw_values(bytes)).output(out));
        }
      }
    }
  }
}

TEST(UnaryKernel, EmptyTensorsGiveEmptyResults) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {0, 3});
  expect_same_as_reference(OneNode(OperationCode::kRelu).input(info, {}).output(info));
}

TEST(UnaryKernel, ScalesThatTheSpecificationRejectsFail) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo in = tensor(OperandType::kTensorQuant8Asymm, {4}, 1e-9F, 0);
  const OperandInfo out = tensor(OperandType::kTensorQuant8Asymm, {4}, 1.0F / 256, 0);
  expect_same_failure(OneNode(OperationCode::kLogistic).random_input(in, 1).output(out));
}

}  // namespace
}  // namespace nnvk::vulkan::rig
