// Converts real numbers to stored values of a tensor and back, for printing results and for input pictures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// Stores real numbers in the operand's type; quantized types by scale and zero point (rounded to nearest, clamped). For types
// other than FLOAT32, FLOAT16, INT32, BOOL8 and the 8-bit asymmetric ones, stores zeros.
std::vector<uint8_t> encode(std::span<const float> reals, const OperandInfo& info);

// The reals that stored values represent.
std::vector<float> decode(std::span<const uint8_t> bytes, const OperandInfo& info);

}  // namespace nnvk::tools
