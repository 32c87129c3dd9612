// Convolutions for tests of rewrites.
#pragma once

#include "tests/support/plan_fixture.h"

namespace nnvk::test {

// A convolution of two channels with the implicit signature, 1x1 by default; returns its node inputs.
inline std::vector<TensorId> conv_inputs(PlanFixture& f, TensorId in, int32_t padding = 2, int32_t activation = 0,
                                         uint32_t window = 1) {
  const TensorId filter =
      f.constant<float>({2, window, window, 2}, OperandType::kTensorFloat32, std::vector<float>(4 * window * window, 1));
  const TensorId bias = f.constant<float>({2}, OperandType::kTensorFloat32, {0, 0});
  return {in, filter, bias, f.scalar(padding), f.scalar(1), f.scalar(1), f.scalar(activation)};
}

// in -> CONV_2D -> middle, and its reader writes `out`; all of shape {1, 4, 4, 2}.
struct ConvolutionFixture : PlanFixture {
  ConvolutionFixture() { node(OperationCode::kConv2d, conv_inputs(*this, in), {middle}); }

  const TensorId in = input({1, 4, 4, 2});
  const TensorId middle = temporary({1, 4, 4, 2});
  const TensorId out = output({1, 4, 4, 2});
};

}  // namespace nnvk::test
