// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D on Vulkan against the CPU reference: both layouts, both padding forms, every
// alignment of channels.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

constexpr int32_t kSame = 1;
constexpr int32_t kValid = 2;
constexpr OperationCode kOperations[] = {OperationCode::kAveragePool2d, OperationCode::kMaxPool2d, OperationCode::kL2Pool2d};
constexpr OperandType kTypes[] = {OperandType::kTensorFloat32, OperandType::kTensorFloat16, OperandType::kTensorQuant8Asymm,
                                  OperandType::kTensorQuant8AsymmSigned};

OperandInfo image(OperandType type, Shape shape) {
  const bool quantized = is_quant8_asymm(type);
  return tensor(type, std::move(shape), quantized ? 0.05F : 0.0F,
                quantized ? (type == OperandType::kTensorQuant8Asymm ? 100 : -20) : 0);
}

// L2_POOL_2D has no quantized form.
bool exists(OperationCode code, OperandType type) { return code != OperationCode::kL2Pool2d || is_float(type); }

// The image, its operands, and an output whose shape the reference finds.
OneNode pooling(OperationCode code, const OperandInfo& in, const std::vector<int32_t>& scalars, bool nchw) {
  OneNode node(code);
  node.random_input(in, 11);
  for (const int32_t value : scalars) node.scalar(value);
  OperandInfo out = in;
  out.shape = Shape::unknown_rank();
  node.scalar(nchw).output(out);
  return node;
}

TEST(PoolingKernel, EveryTypeLayoutAndChannelCountAgrees) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const OperandType type : kTypes) {
      if (!exists(code, type)) continue;
      for (const uint32_t channels : {1U, 3U, 4U, 12U}) {
        expect_same_as_reference(pooling(code, image(type, {2, 7, 9, channels}), {kSame, 2, 1, 3, 2, 0}, false));
        expect_same_as_reference(pooling(code, image(type, {2, channels, 7, 9}), {kSame, 1, 2, 3, 3, 0}, true));
      }
    }
  }
}

TEST(PoolingKernel, PaddingsAndStridesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorQuant8AsymmSigned}) {
      if (!exists(code, type)) continue;
      for (const uint32_t channels : {4U, 5U}) {
        const OperandInfo in = image(type, {1, 8, 11, channels});
        expect_same_as_reference(pooling(code, in, {kValid, 3, 2, 4, 3, 0}, false));
        expect_same_as_reference(pooling(code, in, {2, 1, 0, 3, 1, 2, 4, 5, 0}, false));
        expect_same_as_reference(pooling(code, in, {kSame, 11, 8, 50, 40, 0}, false));
      }
    }
  }
}

TEST(PoolingKernel, ActivationsAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const OperandType type : kTypes) {
      if (!exists(code, type)) continue;
      for (const int32_t activation : {1, 2, 3}) {
        OneNode node = pooling(code, image(type, {1, 5, 5, 4}), {kSame, 1, 1, 2, 2, activation}, false);
        expect_same_as_reference(node);
      }
    }
  }
}

TEST(PoolingKernel, AGlobalAverageAgrees) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : kTypes) {
    expect_same_as_reference(
        pooling(OperationCode::kAveragePool2d, image(type, {1, 7, 7, 1280}), {kValid, 1, 1, 7, 7, 0}, false));
  }
}

TEST(PoolingKernel, HalvesRoundAwayFromZeroOnTheRawValue) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo in = tensor(OperandType::kTensorQuant8AsymmSigned, {1, 1, 8, 1}, 1.0F, 0);
  OperandInfo out = in;
  out.shape = Shape{1, 1, 4, 1};
  OneNode node(OperationCode::kAveragePool2d);
  node.input(in, raw_values(std::vector<int8_t>{1, 2, -1, -2, 127, 126, -128, -127}));
  for (const int32_t value : {kValid, 2, 1, 2, 1, 0}) node.scalar(value);
  node.scalar(false).output(out);
  expect_same_as_reference(node);
  const auto result = run_on(reference_device(), node);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ((*result)[0].bytes, raw_values(std::vector<int8_t>{2, -2, 127, -128}));
}

// Windows of more than 2^23 cells: their sums do not fit in 32 bits. The averages lie on and beside one half.
TEST(PoolingKernel, WindowsLargerThanAWordHoldsAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {OperandType::kTensorQuant8Asymm, OperandType::kTensorQuant8AsymmSigned}) {
    const OperandInfo in = tensor(type, {1, 4200, 2050, 1}, 1.0F, 0);
    const size_t cells = in.shape.element_count();
    const std::byte low{type == OperandType::kTensorQuant8Asymm ? uint8_t{254} : uint8_t{0x9C}};
    const std::byte one_above{static_cast<uint8_t>(static_cast<uint8_t>(low) + 1)};
    for (const int bias : {-1, 0, 1}) {
      // Half of the cells one step above the others: 254.5, or -99.5.
      std::vector<std::byte> bytes(cells, low);
      const auto high = static_cast<ptrdiff_t>(cells / 2) + bias;
      std::fill_n(bytes.begin(), high, one_above);
      OneNode node(OperationCode::kAveragePool2d);
      node.input(in, std::move(bytes));
      for (const int32_t value : {kValid, 1, 1, 2050, 4200, 0}) node.scalar(value);
      expect_same_as_reference(node.scalar(false).output(tensor(type, {1, 1, 1, 1}, 1.0F, 0)));
    }
  }
}

// Windows that one invocation does not fold in one go, clipped by the border so that some of their chunks are empty.
TEST(PoolingKernel, WindowsOfManyCellsAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const OperandType type : kTypes) {
      if (!exists(code, type)) continue;
      for (const uint32_t channels : {4U, 3U}) {
        const Tolerance tolerance = {type == OperandType::kTensorFloat16 ? 5.0 / 1024 : 1e-5, 1e-4};
        const OperandInfo in = image(type, {1, 140, 150, channels});
        expect_same_as_reference(pooling(code, in, {kSame, 70, 70, 149, 139, 0}, false), tolerance);
        const OperandInfo planes = image(type, {1, channels, 140, 150});
        expect_same_as_reference(pooling(code, planes, {kValid, 1, 1, 149, 140, 1}, true), tolerance);
      }
    }
  }
}

TEST(PoolingKernel, NanIsNoMaximumAndSpoilsAveragesOfItsWindows) {
  NNVK_REQUIRE_VULKAN();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {1, nan, 3, nan, nan, nan, -inf, inf, 2, 5, nan, -1};
  const OperandInfo in = tensor(OperandType::kTensorFloat32, {1, 1, 12, 1});
  OperandInfo out = in;
  out.shape = Shape{1, 1, 6, 1};
  for (const OperationCode code : kOperations) {
    OneNode node(code);
    node.input(in, float_values(in.type, values));
    for (const int32_t value : {kValid, 2, 1, 2, 1, 0}) node.scalar(value);
    expect_same_as_reference(node.scalar(false).output(out));
  }
}

// Rows of one cell cost the most loop iterations per cell.
TEST(PoolingKernel, LongNarrowWindowsAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const OperationCode code : kOperations) {
    for (const OperandType type : {OperandType::kTensorFloat32, OperandType::kTensorQuant8Asymm}) {
      if (!exists(code, type)) continue;
      for (const int32_t height : {16384, 50000}) {
        for (const uint32_t channels : {1U, 4U}) {
          const OperandInfo in = image(type, {1, static_cast<uint32_t>(height) + 1, 2, channels});
          expect_same_as_reference(pooling(code, in, {kValid, 1, 1, 1, height, 0}, false), {1e-4, 1e-4});
        }
      }
    }
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
