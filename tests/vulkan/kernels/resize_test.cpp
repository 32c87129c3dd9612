// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR on Vulkan against the CPU reference.
#include <gtest/gtest.h>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;

TEST(ResizeKernel, ScalesUpAndDownInBothLayoutsWithAllFlags) {
  NNVK_REQUIRE_VULKAN();
  struct Size {
    int32_t width, height;
  };
  for (const OperationCode code : {OperationCode::kResizeBilinear, OperationCode::kResizeNearestNeighbor}) {
    for (const OperandType type : {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
      for (const Size size : {Size{9, 7}, Size{3, 2}, Size{1, 1}, Size{5, 4}}) {
        for (const bool nchw : {false, true}) {
          for (const int flags : {0, 1, 2}) {
            const Shape shape = nchw ? Shape{2, 3, 4, 5} : Shape{2, 4, 5, flags == 0 ? 8U : 3U};
            const Shape unknown{kUnknownDimension, kUnknownDimension, kUnknownDimension, kUnknownDimension};
            const auto typed = [&](Shape s) { return is_float(type) ? tensor(type, s) : tensor(type, s, 0.5F, 3); };
            OneNode node(code);
            node.random_input(typed(shape), 7).scalar(size.width).scalar(size.height).scalar(nchw);
            node.scalar(flags == 1).scalar(flags == 2);
            expect_same_as_reference(node.output(typed(unknown)));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
