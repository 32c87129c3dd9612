// Operands that the tests of the detection operations share.
#pragma once

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu::test {

// Corners of boxes as TENSOR_QUANT16_ASYMM: eighths of a pixel.
inline Operand quant16_boxes(Shape shape, const std::vector<uint16_t>& values) {
  return tensor(OperandType::kTensorQuant16Asymm, std::move(shape), values, 0.125F, 0);
}

}  // namespace nnvk::cpu::test
