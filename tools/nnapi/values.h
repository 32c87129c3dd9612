// Real numbers to the stored values of a tensor and back, for printing results and feeding pictures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// Stores reals in the operand's type: quantized types through scale and zero point (rounded to nearest, clamped). Types other
// than FLOAT32, FLOAT16, INT32, BOOL8 and the 8-bit asymmetric ones get zeros.
std::vector<uint8_t> encode(std::span<const float> reals, const OperandInfo& info);

// The reals that stored values represent.
std::vector<float> decode(std::span<const uint8_t> bytes, const OperandInfo& info);

}  // namespace nnvk::tools
