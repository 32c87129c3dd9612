// Converts real numbers to stored values of a tensor and back, for printing results and for input pictures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// Stores real numbers in the operand's type; quantized types by scale and zero point (rounded to nearest, clamped). For types
// other than FLOAT32, FLOAT16, INT32, BOOL8 and those with one scale, stores zeros.
std::vector<uint8_t> encode(std::span<const float> reals, const OperandInfo& info);

// Returns the real numbers that stored values represent.
std::vector<float> decode(std::span<const uint8_t> bytes, const OperandInfo& info);

// Generates the same pseudo-random values for each seed: reals in [-1, 1) stored in the operand's type, 0 for integers.
std::vector<uint8_t> made_up_input(const OperandInfo& input, uint32_t seed);

}  // namespace nnvk::tools
