// SELECT on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;

TEST(SelectKernel, AgreesForEveryTypeAndTail) {
  NNVK_REQUIRE_VULKAN();
  for (const OperandType type : {kTensorFloat32, kTensorFloat16, kTensorInt32, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
    for (const Shape& shape : {Shape{1}, Shape{7}, Shape{1, 2, 3, 1, 2, 5}, Shape{1025}}) {
      const OperandInfo info = tensor(type, shape, is_quant8_asymm(type) ? 0.5F : 0.0F);
      expect_same_as_reference(OneNode(OperationCode::kSelect)
                                   .random_input(tensor(kTensorBool8, shape), 3)
                                   .random_input(info, 1, 100.0F)
                                   .random_input(info, 2, 100.0F)
                                   .output(info));
    }
  }
}

TEST(SelectKernel, AnyByteButZeroChoosesTheFirst) {
  NNVK_REQUIRE_VULKAN();
  const std::vector<uint8_t> mask = {0, 1, 2, 128, 255, 0, 64};
  const OperandInfo info = tensor(kTensorInt32, {7});
  expect_same_as_reference(OneNode(OperationCode::kSelect)
                               .input(tensor(kTensorBool8, {7}), raw_values(mask))
                               .random_input(info, 1, 50.0F)
                               .random_input(info, 2, 50.0F)
                               .output(info));
}

// Every byte of both operands, each in a quantization of its own.
TEST(SelectKernel, BytesAreRequantizedLikeTheReference) {
  NNVK_REQUIRE_VULKAN();
  std::vector<uint8_t> mask(512);
  std::vector<uint8_t> bytes(512);
  for (size_t i = 0; i < 512; ++i) {
    bytes[i] = static_cast<uint8_t>(i);
    mask[i] = i < 256 ? 0 : 7;
  }
  for (const OperandType type : {kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
    const int32_t shift = type == kTensorQuant8Asymm ? 128 : 0;
    for (const float scale : {1.0F, 0.5F, 0.013F, 1e-38F, 1e30F}) {
      expect_same_as_reference(OneNode(OperationCode::kSelect)
                                   .input(tensor(kTensorBool8, {512}), raw_values(mask))
                                   .input(tensor(type, {512}, 0.5F, shift), raw_values(bytes))
                                   .input(tensor(type, {512}, 1.5F, shift + 9), raw_values(bytes))
                                   .output(tensor(type, {512}, scale, shift - 20)));
    }
  }
}

TEST(SelectKernel, DifferentShapesFail) {
  NNVK_REQUIRE_VULKAN();
  const OperandInfo info = tensor(kTensorFloat32, {2, 3});
  expect_same_failure(OneNode(OperationCode::kSelect)
                          .random_input(tensor(kTensorBool8, {3}), 1)
                          .random_input(info, 1)
                          .random_input(info, 2)
                          .output(info));
}

}  // namespace
}  // namespace nnvk::vulkan::rig
