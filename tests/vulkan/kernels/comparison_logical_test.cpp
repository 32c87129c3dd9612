// EQUAL ... LESS_EQUAL, LOGICAL_AND and LOGICAL_OR on Vulkan against the CPU reference: identical booleans for every type.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "tests/vulkan/kernels/broadcast_cases.h"
#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;
constexpr OperationCode kComparisons[] = {OperationCode::kEqual,        OperationCode::kNotEqual, OperationCode::kGreater,
                                          OperationCode::kGreaterEqual, OperationCode::kLess,     OperationCode::kLessEqual};

OneNode compared(OperationCode code, const OperandInfo& a, std::vector<std::byte> a_values, const OperandInfo& b,
                 std::vector<std::byte> b_values) {
  return OneNode(code)
      .input(a, std::move(a_values))
      .input(b, std::move(b_values))
      .output(tensor(kTensorBool8, Shape::unknown_rank()));
}

std::vector<std::byte> all_bytes() {
  std::vector<uint8_t> all(256);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint8_t>(i);
  return raw_values(all);
}

TEST(ComparisonKernel, AgreesForEveryTypeAndBroadcast) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kComparisons) {
    for (const OperandType type :
         {kTensorFloat32, kTensorFloat16, kTensorInt32, kTensorBool8, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
      const bool quantized = is_quant8_asymm(type);
      for (const Pair& shapes : shape_pairs()) {
        const OperandInfo a = tensor(type, shapes.a, quantized ? 0.5F : 0.0F, quantized ? 3 : 0);
        const OperandInfo b = tensor(type, shapes.b, quantized ? 0.25F : 0.0F, quantized ? 5 : 0);
        expect_same_as_reference(compared(code, a, random_values(a, 1, 2.0F), b, random_values(b, 2, 2.0F)));
      }
    }
  }
}

TEST(ComparisonKernel, WalksEightSeparateDimensions) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo a = tensor(kTensorInt32, {2, 1, 2, 1, 2, 1, 2, 1});
  const OperandInfo b = tensor(kTensorInt32, {1, 3, 1, 2, 1, 2, 1, 3});
  expect_same_as_reference(compared(OperationCode::kLess, a, random_values(a, 1, 2.0F), b, random_values(b, 2, 2.0F)));
}

// More dimensions than the kernels walk: the operands are spread first. The last pair needs it for one operand only.
TEST(ComparisonKernel, TakesAnyNumberOfSeparateDimensions) {
  NNVK_REQUIRE_VULKAN();
  const Shape nine = {2, 1, 2, 1, 2, 1, 2, 1, 3};
  const Shape ten = {2, 1, 3, 1, 2, 1, 2, 1, 2, 1};
  const Shape full = {2, 2, 2, 2, 2, 2, 2, 2, 3};
  for (const OperandType type : {kTensorFloat32, kTensorFloat16, kTensorInt32, kTensorBool8, kTensorQuant8Asymm}) {
    for (const auto& [left, right] : {std::pair{nine, ten}, std::pair{ten, nine}, std::pair{nine, full}}) {
      const float scale = is_quant8_asymm(type) ? 0.5F : 0.0F;
      const OperandInfo a = tensor(type, left, scale, 0);
      const OperandInfo b = tensor(type, right, scale, 0);
      expect_same_as_reference(compared(OperationCode::kLessEqual, a, random_values(a, 1, 2.0F), b, random_values(b, 2, 2.0F)));
    }
  }
}

// NaN, both zeros, infinities and denormals, which a device may flush when it computes with them.
TEST(ComparisonKernel, FloatsFollowIeeeRules) {
  NNVK_REQUIRE_VULKAN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {
      0.0F, -0.0F,           1.0F,          -1.0F, std::numeric_limits<float>::quiet_NaN(), inf, -inf, 1e-40F, -1e-40F, 2e-40F,
      2.0F, 1.17549435e-38F, 3.4028235e38F, -7.5F};
  const auto count = static_cast<uint32_t>(values.size());
  for (const OperationCode code : kComparisons) {
    for (const OperandType type : {kTensorFloat32, kTensorFloat16}) {
      expect_same_as_reference(compared(code, tensor(type, {count, 1}), float_values(type, values), tensor(type, {1, count}),
                                        float_values(type, values)));
    }
  }
}

TEST(ComparisonKernel, IntegersAreComparedOverTheirWholeRange) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<int32_t> values = {INT32_MIN, INT32_MIN + 1, -16777217, -16777216, -1, 0, 1, 16777216, 16777217, INT32_MAX};
  for (const OperationCode code : kComparisons) {
    expect_same_as_reference(
        compared(code, tensor(kTensorInt32, {10, 1}), raw_values(values), tensor(kTensorInt32, {1, 10}), raw_values(values)));
  }
}

// All pairs of bytes. Scales whose products tie only after rounding, and scales far from each other and from one.
TEST(ComparisonKernel, EveryPairOfBytesIsDecidedLikeTheReference) {
  NNVK_REQUIRE_VULKAN();
  struct Scales {
    float a, b;
  };
  for (const Scales& s : {Scales{1.0F, 1.0F}, Scales{0.3F, 0.1F}, Scales{0.1F, 0.7F}, Scales{1e-38F, 3e-38F},
                          Scales{1e-42F, 1e38F}, Scales{3e38F, 1e-3F}}) {
    for (const OperandType type : {kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
      const int32_t shift = type == kTensorQuant8Asymm ? 128 : 0;
      for (const OperationCode code : kComparisons) {
        expect_same_as_reference(compared(code, tensor(type, {256, 1}, s.a, shift - 3), all_bytes(),
                                          tensor(type, {1, 256}, s.b, shift + 100), all_bytes()));
      }
    }
  }
}

TEST(ComparisonKernel, BooleansAreComparedAsBytes) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kComparisons) {
    expect_same_as_reference(
        compared(code, tensor(kTensorBool8, {256, 1}), all_bytes(), tensor(kTensorBool8, {1, 256}), all_bytes()));
  }
}

TEST(LogicalKernel, EveryByteButZeroIsTrue) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : {OperationCode::kLogicalAnd, OperationCode::kLogicalOr}) {
    expect_same_as_reference(
        compared(code, tensor(kTensorBool8, {256, 1}), all_bytes(), tensor(kTensorBool8, {1, 256}), all_bytes()));
    for (const Pair& shapes : shape_pairs()) {
      const OperandInfo a = tensor(kTensorBool8, shapes.a);
      const OperandInfo b = tensor(kTensorBool8, shapes.b);
      expect_same_as_reference(compared(code, a, random_values(a, 1), b, random_values(b, 2)));
    }
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
