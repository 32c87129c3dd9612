// Kernel tests beyond the rows of `nnvk conformance`: exact bytes instead of numbers, and results that must differ.
#include <gtest/gtest.h>

#include <random>

#include "core/operations/operation_enumerators.h"
#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;

// Sign operations must keep all other bits, also of NaN and zeros.
TEST(UnaryKernel, SignsAreMovedNotComputed) {
  NNVK_REQUIRE_VULKAN();
  std::mt19937 random(9);
  std::vector<uint32_t> bits(1001);
  for (uint32_t& b : bits) b = random();
  const OperandInfo info = tensor(kTensorFloat32, {1001});
  for (const OperationCode code : {OperationCode::kAbs, OperationCode::kNeg}) {
    expect_same_bytes(OneNode(code).input(info, raw_values(bits)).output(info));
  }
}

TEST(RandomMultinomialKernel, ZeroSeedsDrawAnewInEveryExecution) {
  NNVK_REQUIRE_VULKAN();
  OneNode node(OperationCode::kRandomMultinomial);
  node.input(tensor(kTensorFloat32, {1, 16}), raw_values(std::vector<float>(16, 0.0F))).scalar(100);
  node.input(tensor(kTensorInt32, {2}), raw_values(std::vector<int32_t>{0, 0})).output(tensor(kTensorInt32, {1, 100}));
  const auto first = run_on(*vulkan_device(), node);
  const auto second = run_on(*vulkan_device(), node);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->front().bytes, second->front().bytes);
}

}  // namespace
}  // namespace nnvk::vulkan::rig
