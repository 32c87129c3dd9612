// The operations of one tensor on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

constexpr OperationCode kOperations[] = {OperationCode::kRelu,     OperationCode::kRelu1, OperationCode::kRelu6,
                                         OperationCode::kLogistic, OperationCode::kTanh,  OperationCode::kHardSwish};

constexpr OperationCode kFunctions[] = {OperationCode::kAbs, OperationCode::kNeg, OperationCode::kFloor, OperationCode::kExp,
                                        OperationCode::kLog, OperationCode::kSin, OperationCode::kSqrt,  OperationCode::kRsqrt};

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

// Floats of every exponent and sign: random bits, NaN and infinities among them.
std::vector<std::byte> random_bits(uint32_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> bits(count);
  for (uint32_t& b : bits) b = random();
  return raw_values(bits);
}

TEST(UnaryKernel, FunctionsAgreeForEveryShapeOfTail) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kFunctions) {
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
      for (const Shape& shape : {Shape{1}, Shape{7}, Shape{1, 2, 1, 3, 1, 5, 1, 2}, Shape{4097}}) {
        if (code == OperationCode::kFloor && shape.rank() > 4) continue;  // FLOOR has a limit
        expect_same_as_reference(OneNode(code).random_input(tensor(type, shape), 3, 12.0F).output(tensor(type, shape)));
      }
    }
  }
}

TEST(UnaryKernel, FunctionsAreAccurateOverTheWholeRange) {
  NNVK_REQUIRE_VULKAN();
  constexpr Tolerance kClose = {2e-7, 3e-7};  // far tighter than the public tests: a few units in the last place
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {40000});
  for (const OperationCode code : kFunctions) {
    SCOPED_TRACE(operation_name(code));
    expect_same_as_reference(OneNode(code).input(info, random_bits(40000, 7)).output(info), kClose);
    for (const float range : {0.5F, 8.0F, 100.0F, 20000.0F}) {
      expect_same_as_reference(OneNode(code).random_input(info, 8, range).output(info), kClose);
    }
  }
}

// Zeros, the neighbours of one, ends of the ranges of exp and of float, multiples of pi/2 and arguments where the reduction of
// sin changes its method.
TEST(UnaryKernel, FunctionsAgreeAtTheEdges) {
  NNVK_REQUIRE_VULKAN();
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> edges = {inf, std::numeric_limits<float>::quiet_NaN()};
  for (const float x : {0.0F,
                        1.0F,
                        std::nextafter(1.0F, 0.0F),
                        std::nextafter(1.0F, 2.0F),
                        0.5F,
                        0.70710678F,
                        2.0F,
                        1e-7F,
                        1.17549435e-38F,
                        1e-40F,
                        1.4e-45F,
                        3.4028235e38F,
                        87.0F,
                        87.3F,
                        87.34F,
                        88.0F,
                        88.72F,
                        88.73F,
                        89.0F,
                        104.0F,
                        1.57079637F,
                        3.14159274F,
                        6.2831855F,
                        4.712389F,
                        8191.5F,
                        8192.0F,
                        8192.5F,
                        1e5F,
                        1.6777216e7F,
                        3.3554432e7F,
                        1e10F,
                        1e22F,
                        2.5F,
                        -0.0F}) {
    edges.push_back(x);
    edges.push_back(-x);
  }
  edges.push_back(-inf);
  for (const OperationCode code : kFunctions) {
    SCOPED_TRACE(operation_name(code));
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
      const OperandInfo info = tensor(type, {static_cast<uint32_t>(edges.size())});
      expect_same_as_reference(OneNode(code).input(info, float_values(type, edges)).output(info));
    }
  }
}

TEST(UnaryKernel, SignsAreMovedNotComputed) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {1001});
  for (const OperationCode code : {OperationCode::kAbs, OperationCode::kNeg}) {
    const OneNode node = OneNode(code).input(info, random_bits(1001, 9)).output(info);
    const auto expected = run_on(reference_device(), node);
    ASSERT_TRUE(expected);
    for (const KernelVariant variant : kKernelVariants) {
      const auto actual = run_on(*vulkan_device(variant), node);
      ASSERT_TRUE(actual) << actual.error().message;
      EXPECT_EQ((*actual)[0].bytes, (*expected)[0].bytes) << operation_name(code);
    }
  }
}

TEST(UnaryKernel, IntegersWrapAtTheirMinimum) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<int32_t> values = {0, 1, -1, 7, -7, INT32_MAX, INT32_MIN, INT32_MIN + 1, 123456789};
  const OperandInfo info = tensor(OperandType::kTensorInt32, {static_cast<uint32_t>(values.size())});
  for (const OperationCode code : {OperationCode::kAbs, OperationCode::kNeg}) {
    expect_same_as_reference(OneNode(code).input(info, raw_values(values)).output(info));
  }
}

TEST(UnaryKernel, EluAgreesForEverySlope) {
  NNVK_REQUIRE_VULKAN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0.0F,   -0.0F, 1.0F,   -1.0F,  1e-4F, -1e-4F, 50.0F,
                                     -50.0F, 90.0F, -90.0F, 200.0F, inf,   -inf,   std::numeric_limits<float>::quiet_NaN()};
  for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
    for (const float alpha : {1.0F, 0.5F, 0.0F, -2.0F, 1000.0F}) {
      const OperandInfo info = tensor(type, {static_cast<uint32_t>(values.size())});
      expect_same_as_reference(
          OneNode(OperationCode::kElu).input(info, float_values(type, values)).scalar_of(type, alpha).output(info));
      const OperandInfo many = tensor(type, {5, 3, 67});
      expect_same_as_reference(OneNode(OperationCode::kElu).random_input(many, 4).scalar_of(type, alpha).output(many));
    }
  }
  const OperandInfo empty = tensor(OperandType::kTensorFloat32, {2, 0});
  expect_same_as_reference(OneNode(OperationCode::kElu).input(empty, {}).scalar(1.0F).output(empty));
}

TEST(UnaryKernel, EveryByteHasItsReciprocalRoot) {
  NNVK_REQUIRE_VULKAN();
  std::vector<uint8_t> bytes(256 + 3);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  const Shape shape = {static_cast<uint32_t>(bytes.size())};
  for (const OperandType type : {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned}) {
    const int32_t shift = type == OperandType::kTensorQuant8Asymm ? 0 : -128;
    for (const float out_scale : {0.001F, 0.02F, 3.0F}) {
      expect_same_as_reference(OneNode(OperationCode::kRsqrt)
                                   .input(tensor(type, shape, 0.05F, shift + 12), raw_values(bytes))
                                   .output(tensor(type, shape, out_scale, shift + 30)));
    }
  }
}

TEST(UnaryKernel, EveryByteButZeroIsTrue) {
  NNVK_REQUIRE_VULKAN();
  std::vector<uint8_t> bytes(256 + 7);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  const OperandInfo info = tensor(OperandType::kTensorBool8, {static_cast<uint32_t>(bytes.size())});
  expect_same_as_reference(OneNode(OperationCode::kLogicalNot).input(info, raw_values(bytes)).output(info));
}

}  // namespace
}  // namespace nnvk::vulkan::rig
