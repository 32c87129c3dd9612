// ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW and PRELU on Vulkan against the CPU reference: types, broadcasts, activations.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "tests/vulkan/kernels/broadcast_cases.h"
#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

OneNode binary(OperationCode code, const OperandInfo& a, const OperandInfo& b, const OperandInfo& out, int32_t activation = 0,
               float range = 4.0F) {
  OneNode node(code);
  node.random_input(a, 1, range).random_input(b, 2, range);
  if (code != OperationCode::kPrelu) node.scalar(activation);
  node.output(out);
  return node;
}

TEST(ElementwiseBinaryKernel, FloatsAgreeForEveryBroadcast) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code :
       {OperationCode::kAdd, OperationCode::kSub, OperationCode::kMul, OperationCode::kDiv, OperationCode::kPrelu}) {
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
      for (const Pair& shapes : shape_pairs()) {
        expect_same_as_reference(binary(code, tensor(type, shapes.a), tensor(type, shapes.b), tensor(type, shapes.out)));
      }
    }
  }
}

TEST(ElementwiseBinaryKernel, ActivationsClampFloats) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {3, 7});
  for (int32_t activation = 0; activation < 4; ++activation) {
    expect_same_as_reference(binary(OperationCode::kMul, info, info, info, activation));
  }
}

// A plan rewrite may leave an activation on the node: the result must be that of the operation's own activation operand.
TEST(ElementwiseBinaryKernel, FusedActivationsEqualTheOperationsOwn) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorQuant8Asymm}) {
    const OperandInfo in = tensor(type, {5, 9}, 0.05F, 128);
    const OperandInfo out = tensor(type, {5, 9}, 0.04F, 100);
    for (int32_t activation = 1; activation < 4; ++activation) {
      const auto expected = run_on(reference_device(), binary(OperationCode::kAdd, in, in, out, activation));
      OneNode fused = binary(OperationCode::kAdd, in, in, out, 0);
      fused.fused_activation(static_cast<FusedActivation>(activation));
      ASSERT_TRUE(expected);
      for (const KernelVariant variant : kKernelVariants) {
        const auto actual = run_on(*vulkan_device(variant), fused);
        ASSERT_TRUE(actual) << actual.error().message;
        EXPECT_EQ((*actual)[0].bytes, (*expected)[0].bytes) << "activation " << activation;
      }
    }
  }
}

TEST(ElementwiseBinaryKernel, DivisionByZeroIsClampedLikeTheReference) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {5});
  const std::vector<float> numerators = {1.0F, -1.0F, 0.0F, 3.0F, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<float> divisors = {0.0F, 0.0F, 0.0F, -0.0F, 1.0F};
  expect_same_as_reference(OneNode(OperationCode::kDiv)
                               .input(info, float_values(info.type, numerators))
                               .input(info, float_values(info.type, divisors))
                               .scalar(0)
                               .output(info));
}

TEST(ElementwiseBinaryKernel, Int32WrapsAndDividesTowardMinusInfinity) {
  NNVK_REQUIRE_VULKAN();
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  std::vector<int32_t> a;
  std::vector<int32_t> b;
  for (const int32_t x : {kMin, kMin + 1, -8, -7, -1, 0, 1, 7, 8, kMax}) {
    for (const int32_t y : {kMin, -3, -2, -1, 0, 1, 2, 3, kMax}) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const OperandInfo info = tensor(OperandType::kTensorInt32, {static_cast<uint32_t>(a.size())});
  for (const OperationCode code : {OperationCode::kAdd, OperationCode::kSub, OperationCode::kMul, OperationCode::kDiv}) {
    expect_same_as_reference(OneNode(code).input(info, raw_values(a)).input(info, raw_values(b)).scalar(0).output(info));
  }
  for (const Pair& shapes : shape_pairs()) {
    const auto of = [](const Shape& shape) { return tensor(OperandType::kTensorInt32, shape); };
    expect_same_as_reference(binary(OperationCode::kDiv, of(shapes.a), of(shapes.b), of(shapes.out), 0, 50.0F));
  }
}

TEST(ElementwiseBinaryKernel, QuantizedResultsAreIdentical) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned}) {
    const int32_t shift = type == OperandType::kTensorQuant8Asymm ? 128 : 0;
    for (const OperationCode code : {OperationCode::kAdd, OperationCode::kSub, OperationCode::kMul, OperationCode::kPrelu}) {
      for (const Pair& shapes : shape_pairs()) {
        expect_same_as_reference(binary(code, tensor(type, shapes.a, 0.05F, shift + 3),
                                        tensor(type, shapes.b, 0.021F, shift - 20), tensor(type, shapes.out, 0.07F, shift + 11)));
      }
    }
  }
}

// All 65536 pairs of bytes, over several scales and activations.
TEST(ElementwiseBinaryKernel, EveryPairOfBytesGivesTheReferencesByte) {
  NNVK_REQUIRE_VULKAN();
  std::vector<uint8_t> all(256);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint8_t>(i);
  struct Scales {
    float a, b, out;
  };
  for (const Scales& s : {Scales{1.0F, 1.0F, 10.0F}, Scales{0.0235F, 0.0471F, 0.0613F}, Scales{0.5F, 0.003F, 0.9F}}) {
    for (const OperandType type : {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned}) {
      const int32_t shift = type == OperandType::kTensorQuant8Asymm ? 128 : 0;
      for (const OperationCode code : {OperationCode::kAdd, OperationCode::kSub, OperationCode::kMul, OperationCode::kPrelu}) {
        OneNode node(code);
        node.input(tensor(type, {256, 1}, s.a, shift - 1), raw_values(all))
            .input(tensor(type, {1, 256}, s.b, shift + 5), raw_values(all));
        const bool has_activation = code != OperationCode::kPrelu;
        if (has_activation) node.scalar(code == OperationCode::kSub ? 3 : 0);
        // MUL needs an output scale above the product of the inputs' scales.
        node.output(tensor(type, {256, 256}, code == OperationCode::kMul ? s.a * s.b * 40.0F : s.out, shift));
        expect_same_as_reference(node);
      }
    }
  }
}

TEST(ElementwiseBinaryKernel, PreluMultipliersAboveOneAreExact) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo x = tensor(OperandType::kTensorQuant8Asymm, {31}, 0.5F, 100);
  const OperandInfo alpha = tensor(OperandType::kTensorQuant8Asymm, {1}, 3.0F, 0);
  const OperandInfo out = tensor(OperandType::kTensorQuant8Asymm, {31}, 0.1F, 128);
  expect_same_as_reference(
      OneNode(OperationCode::kPrelu).random_input(x, 5).input(alpha, raw_values(std::vector<uint8_t>{1})).output(out));
}

TEST(ElementwiseBinaryKernel, ScalesOutsideZeroToOneFail) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo in = tensor(OperandType::kTensorQuant8Asymm, {4}, 1.0F, 0);
  expect_same_failure(binary(OperationCode::kAdd, in, in, tensor(OperandType::kTensorQuant8Asymm, {4}, 1e-6F, 0)));
}

TEST(ElementwiseBinaryKernel, ConstantOperandsWork) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {2, 9});
  expect_same_as_reference(
      OneNode(OperationCode::kAdd).random_input(info, 1).random_constant(tensor(info.type, {9}), 2).scalar(1).output(info));
}

TEST(ElementwiseBinaryKernel, TensorsLargerThanOneRowOfGroupsAreCovered) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(OperandType::kTensorQuant8Asymm, {1, 300, 300, 40}, 0.1F, 7);
  expect_same_as_reference(binary(OperationCode::kAdd, info, info, tensor(info.type, info.shape, 0.2F, 3)));
}

constexpr OperationCode kExtrema[] = {OperationCode::kMaximum, OperationCode::kMinimum};
// Ranks up to eight, with as many separate dimensions.
const Pair kDeep = {{2, 1, 2, 1, 2, 1, 2, 3}, {1, 3, 1, 2, 1, 2, 1, 3}, {2, 3, 2, 2, 2, 2, 2, 3}};
const Pair kDeepQuads = {{2, 1, 2, 1, 2, 1, 2, 4}, {1, 3, 1, 2, 1, 2, 1, 4}, {2, 3, 2, 2, 2, 2, 2, 4}};

OneNode pair_of(OperationCode code, OperandType type, const Pair& shapes, float range = 4.0F) {
  return OneNode(code)
      .random_input(tensor(type, shapes.a), 1, range)
      .random_input(tensor(type, shapes.b), 2, range)
      .output(tensor(type, shapes.out));
}

TEST(ExtremumKernel, FloatsAndIntegersAgreeForEveryBroadcast) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kExtrema) {
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16, OperandType::kTensorInt32}) {
      for (const Pair& shapes : shape_pairs()) expect_same_as_reference(pair_of(code, type, shapes));
      for (const Pair& shapes : {kDeep, kDeepQuads}) expect_same_as_reference(pair_of(code, type, shapes));
    }
  }
}

TEST(ExtremumKernel, NanInTheFirstOperandStaysAndInTheSecondIsIgnored) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> a = {nan, 1.0F, nan, inf, -inf, 0.0F};
  const std::vector<float> b = {1.0F, nan, nan, 2.0F, 2.0F, -0.0F};
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {6});
  for (const OperationCode code : kExtrema) {
    expect_same_as_reference(
        OneNode(code).input(info, float_values(info.type, a)).input(info, float_values(info.type, b)).output(info));
  }
}

TEST(ExtremumKernel, EveryPairOfBytesIsRequantizedLikeTheReference) {
  NNVK_REQUIRE_VULKAN();
  std::vector<uint8_t> all(256);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint8_t>(i);
  struct Scales {
    float a, b, out;
  };
  for (const Scales& s :
       {Scales{1.0F, 1.0F, 1.0F}, Scales{0.5F, 0.25F, 1.0F}, Scales{0.0235F, 0.5F, 0.01F}, Scales{1e-30F, 1e30F, 1.0F}}) {
    for (const OperandType type : {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned}) {
      const int32_t shift = type == OperandType::kTensorQuant8Asymm ? 128 : 0;
      for (const OperationCode code : kExtrema) {
        expect_same_as_reference(OneNode(code)
                                     .input(tensor(type, {256, 1}, s.a, shift), raw_values(all))
                                     .input(tensor(type, {1, 256}, s.b, shift + 5), raw_values(all))
                                     .output(tensor(type, {256, 256}, s.out, shift)));
      }
    }
  }
}

TEST(PowKernel, AgreesForEveryBroadcast) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
    for (const Pair& shapes : shape_pairs()) expect_same_as_reference(pair_of(OperationCode::kPow, type, shapes, 3.0F));
    expect_same_as_reference(pair_of(OperationCode::kPow, type, kDeep, 3.0F));
  }
}

TEST(PowKernel, SpecialCasesAreThoseOfTheCLibrary) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0.0F,   -0.0F,  1.0F,    -1.0F,       2.0F,        -2.0F,        0.5F,  -0.5F,  3.0F,
                                     -3.0F,  2.5F,   -2.5F,   8388607.0F,  -8388607.0F, 8388607.5F,   1e-3F, 1e30F,  -1e30F,
                                     1e-30F, inf,    -inf,    nan,         16777215.0F, 16777216.0F,  -4.0F, 126.0F, -126.0F,
                                     128.0F, 127.0F, -150.0F, 0.99999994F, 1.0000001F,  3.4028235e38F};
  const auto count = static_cast<uint32_t>(values.size());
  const OperandType type = OperandType::kTensorFloat32;
  expect_same_as_reference(OneNode(OperationCode::kPow)
                               .input(tensor(type, {count, 1}), float_values(type, values))
                               .input(tensor(type, {1, count}), float_values(type, values))
                               .output(tensor(type, {count, count})));
}

TEST(ElementwiseBinaryKernel, RanksAboveEightAgreeWhenDimensionsMerge) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo a = tensor(OperandType::kTensorFloat32, {2, 1, 3, 1, 1, 2, 1, 1, 3, 2});
  const OperandInfo b = tensor(OperandType::kTensorFloat32, {1, 1, 3, 2, 2, 1, 1, 1, 1, 1});
  const OperandInfo out = tensor(OperandType::kTensorFloat32, {2, 1, 3, 2, 2, 2, 1, 1, 3, 2});
  expect_same_as_reference(OneNode(OperationCode::kMaximum).random_input(a, 1, 4.0F).random_input(b, 2, 4.0F).output(out));
}

// Bases of every magnitude with exponents that keep the result finite, and bases near one with huge exponents.
TEST(PowKernel, IsAccurateOverTheWholeRange) {
  NNVK_REQUIRE_VULKAN();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> log_of_base(-120.0, 120.0);
  std::uniform_real_distribution<double> log_of_result(-127.0, 128.5);
  std::uniform_real_distribution<double> near_one(-1e-3, 1e-3);
  std::vector<float> bases;
  std::vector<float> exponents;
  for (int i = 0; i < 40000; ++i) {
    const double log = i % 2 == 0 ? log_of_base(random) : near_one(random);
    bases.push_back(static_cast<float>(std::exp2(log)));
    exponents.push_back(static_cast<float>(log_of_result(random) / std::log2(double{bases.back()})));
    if (bases.back() == 1.0F) exponents.back() = 1e30F;
  }
  const OperandInfo info = tensor(OperandType::kTensorFloat32, {40000});
  expect_same_as_reference(OneNode(OperationCode::kPow)
                               .input(info, float_values(info.type, bases))
                               .input(info, float_values(info.type, exponents))
                               .output(info),
                           {1e-30, 3e-7});
}

}  // namespace
}  // namespace nnvk::vulkan::rig
