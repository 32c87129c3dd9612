// Sums, differences and so on of whole arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/activation.h"
#include "cpu_fallback/optimized/vectors/float_finish.h"

namespace nnvk::cpu {

enum class FloatOperation : uint8_t { kAdd, kSubtract, kMultiply, kDivide };

// out[i] = first[i] o second[i], then activation, residual and the fused activation.
struct FloatArrays {
  FloatOperation operation{};
  const float* first = nullptr;
  const float* second = nullptr;
  // True if this operand is one element, the partner of all elements of the other operand.
  bool first_repeats = false;
  bool second_repeats = false;
  FloatFinish finish;
  float* out = nullptr;
};
void combine_floats(const FloatArrays& arrays, size_t first, size_t end);

// The parameters of 8-bit ADD and SUB, as ElementwiseBinaryParameters describes them.
struct Quant8Sum {
  const std::byte* first = nullptr;
  const std::byte* second = nullptr;
  std::byte* out = nullptr;
  bool is_signed = false;
  int32_t first_zero_point = 0;
  int32_t second_zero_point = 0;
  int32_t zero_point = 0;
  FixedPointMultiplier first_multiplier;
  FixedPointMultiplier second_multiplier;
  FixedPointMultiplier result_multiplier;
  int guard_bits = 0;
  QuantizedBounds bounds{};
};
void add_quant8(const Quant8Sum& sum, size_t first, size_t end);

}  // namespace nnvk::cpu
