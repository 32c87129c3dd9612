// QUANTIZE, DEQUANTIZE and CAST on Vulkan against the CPU reference: every type rule.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

std::vector<float> awkward_floats() {
  const float inf = std::numeric_limits<float>::infinity();
  return {0.0F,   -0.0F,  0.5F,     -0.5F,  0.49999997F,   1.5F,   -1.5F,   2.5F,
          126.5F, 127.5F, 254.5F,   255.4F, 255.5F,        300.0F, -128.5F, -300.0F,
          1e9F,   -1e9F,  3e9F,     -3e9F,  2147483520.0F, inf,    -inf,    std::numeric_limits<float>::quiet_NaN(),
          0.99F,  -0.99F, 65504.0F, 1e-8F,  3.0e38F};
}

TEST(CastQuantizeKernel, QuantizeRoundsHalvesAwayFromZeroAndSaturates) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> values = awkward_floats();
  const Shape shape = {static_cast<uint32_t>(values.size())};
  for (const OperandType in : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
    for (const OperandType out : {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned}) {
      for (const float scale : {1.0F, 0.25F, 0.1F}) {
        for (const int32_t zero_point : {0, 17, 100}) {
          expect_same_as_reference(OneNode(OperationCode::kQuantize)
                                       .input(tensor(in, shape), float_values(in, values))
                                       .output(tensor(out, shape, scale, zero_point)));
          expect_same_as_reference(OneNode(OperationCode::kQuantize)
                                       .random_input(tensor(in, {3, 1001}), 9, 40.0F)
                                       .output(tensor(out, {3, 1001}, scale, zero_point)));
        }
      }
    }
  }
}

// Values on and next to the middle between two steps, where a division that is one unit off gives another integer.
TEST(CastQuantizeKernel, QuantizeDividesExactlyNearTies) {
  NNVK_REQUIRE_VULKAN();
  for (const float scale : {0.1F, 0.0235F, 0.3F, 0.0078125F, 0.7F, 1.0F / 3.0F, 0.0171F, 2.37F}) {
    std::vector<float> values;
    for (int step = -128; step < 128; ++step) {
      const float middle = (static_cast<float>(step) + 0.5F) * scale;
      float value = middle;
      for (int i = 0; i < 4; ++i) value = std::nextafter(value, -1e9F);
      for (int i = 0; i < 9; ++i, value = std::nextafter(value, 1e9F)) values.push_back(value);
    }
    const Shape shape = {static_cast<uint32_t>(values.size())};
    expect_same_as_reference(
        OneNode(OperationCode::kQuantize)
            .input(tensor(OperandType::kTensorFloat32, shape), float_values(OperandType::kTensorFloat32, values))
            .output(tensor(OperandType::kTensorQuant8AsymmSigned, shape, scale, 0)));
  }
}

TEST(CastQuantizeKernel, DequantizeHandlesEveryInputType) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType in :
       {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned, OperandType::kTensorQuant8Symm}) {
    for (const OperandType out : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
      const int32_t zero_point = in == OperandType::kTensorQuant8Symm ? 0 : 5;
      expect_same_as_reference(OneNode(OperationCode::kDequantize)
                                   .random_input(tensor(in, {2, 131}, 0.37F, zero_point), 4)
                                   .output(tensor(out, {2, 131})),
                               Tolerance{0, 0});
    }
  }
}

TEST(CastQuantizeKernel, PerChannelDequantizeFindsTheChannelOfEveryElement) {
  NNVK_REQUIRE_VULKAN();
  const Shape shape = {3, 5, 2, 7};
  for (uint32_t dim = 0; dim < 4; ++dim) {
    std::vector<float> scales(shape[dim]);
    for (size_t c = 0; c < scales.size(); ++c) scales[c] = 0.1F + 0.3F * static_cast<float>(c);
    for (const OperandType out : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
      expect_same_as_reference(
          OneNode(OperationCode::kDequantize).random_input(per_channel(shape, dim, scales), dim).output(tensor(out, shape)),
          Tolerance{0, 0});
    }
  }
}

TEST(CastQuantizeKernel, CastConvertsBetweenEveryPairOfTypes) {
  NNVK_REQUIRE_VULKAN();
  const OperandType types[] = {OperandType::kTensorFloat16, OperandType::kTensorFloat32, OperandType::kTensorInt32,
                               OperandType::kTensorQuant8Asymm};
  const Shape shape = {5, 31};
  for (const OperandType in : types) {
    for (const OperandType out : types) {
      expect_same_as_reference(
          OneNode(OperationCode::kCast).random_input(tensor(in, shape, 0.5F, 3), 8, 400.0F).output(tensor(out, shape, 0.5F, 3)),
          Tolerance{0, 0});
    }
  }
}

TEST(CastQuantizeKernel, CastSaturatesAwkwardValues) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<float> floats = awkward_floats();
  const Shape shape = {static_cast<uint32_t>(floats.size())};
  for (const OperandType in : {OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
    for (const OperandType out :
         {OperandType::kTensorInt32, OperandType::kTensorQuant8Asymm, OperandType::kTensorFloat32, OperandType::kTensorFloat16}) {
      expect_same_as_reference(
          OneNode(OperationCode::kCast).input(tensor(in, shape), float_values(in, floats)).output(tensor(out, shape, 1.0F, 0)),
          Tolerance{0, 0});
    }
  }
  const std::vector<int32_t> integers = {
      std::numeric_limits<int32_t>::min(), -1, 0, 1, 255, 256, 16777217, -16777219, 33554435, 65519, 65520, 2049, 2051,
      std::numeric_limits<int32_t>::max()};
  const OperandInfo in = tensor(OperandType::kTensorInt32, {static_cast<uint32_t>(integers.size())});
  for (const OperandType out : {OperandType::kTensorFloat32, OperandType::kTensorFloat16, OperandType::kTensorQuant8Asymm}) {
    expect_same_as_reference(OneNode(OperationCode::kCast).input(in, raw_values(integers)).output(tensor(out, in.shape, 1.0F, 0)),
                             Tolerance{0, 0});
  }
}

TEST(CastQuantizeKernel, IdentityCastsCopyEveryType) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type :
       {OperandType::kTensorFloat32, OperandType::kTensorFloat16, OperandType::kTensorInt32, OperandType::kTensorQuant8Asymm,
        OperandType::kTensorQuant8AsymmSigned, OperandType::kTensorQuant8Symm, OperandType::kTensorBool8,
        OperandType::kTensorQuant16Symm, OperandType::kTensorQuant16Asymm}) {
    for (const Shape& shape : {Shape{1}, Shape{3, 17}, Shape{64}}) {
      const OperandInfo info = tensor(type, shape, 0.5F, 0);
      expect_same_as_reference(OneNode(OperationCode::kCast).random_input(info, 6).output(info), Tolerance{0, 0});
    }
  }
}

// Floats between halves, denormal halves included: the shader narrows by itself and must round to nearest even.
TEST(CastQuantizeKernel, NarrowingToHalfRoundsToNearestEven) {
  NNVK_REQUIRE_VULKAN();
  std::vector<float> values;
  for (uint32_t i = 0; i < 60000; ++i) {
    const float magnitude = std::ldexp(1.0F + static_cast<float>(i % 4099) / 4096.0F, static_cast<int>(i % 44) - 27);
    values.push_back(i % 3 == 0 ? -magnitude : magnitude);
  }
  const Shape shape = {static_cast<uint32_t>(values.size())};
  expect_same_as_reference(
      OneNode(OperationCode::kCast)
          .input(tensor(OperandType::kTensorFloat32, shape), float_values(OperandType::kTensorFloat32, values))
          .output(tensor(OperandType::kTensorFloat16, shape)),
      Tolerance{0, 0});
}

}  // namespace
}  // namespace nnvk::vulkan::rig
