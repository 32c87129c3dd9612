// IEEE binary16 to and from binary32. FLOAT16 operations widen their operands, compute in float32 and round once at the end.
#pragma once

#include <bit>
#include <cstdint>

namespace nnvk::cpu {

// The bits of one FLOAT16 element.
using Half = uint16_t;

// Exact: every half is a float. Infinities and NaN payloads survive.
inline float half_to_float(Half half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16;
  const uint32_t exponent = (half >> 10) & 0x1FU;
  const uint32_t fraction = half & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  // Zero or subnormal: fraction * 2^-24 is exact in float32.
  const float magnitude = static_cast<float>(fraction) * 0x1.0p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

// Rounds to nearest, ties to even. Magnitudes above the half range become infinity; NaN stays NaN.
inline Half float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<Half>((bits >> 16) & 0x8000U);
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<Half>(sign | 0x7E00U | ((magnitude >> 13) & 0x3FFU));
  if (magnitude >= 0x47800000U) return static_cast<Half>(sign | 0x7C00U);  // 65536 and more, infinity included
  if (magnitude < 0x38800000U) {
    // Subnormal result: adding 0.5 leaves exactly the bits that count 2^-24 in the fraction, rounded by the hardware.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<Half>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000U));
  }
  const uint32_t odd = (magnitude >> 13) & 1U;
  return static_cast<Half>(sign | ((magnitude - 0x38000000U + 0xFFFU + odd) >> 13));
}

}  // namespace nnvk::cpu
