// Converts IEEE 754 binary16, as bits, to and from float32. Operations on TENSOR_FLOAT16 compute in float32 and round once.
#pragma once

#include <bit>
#include <cstdint>

namespace nnvk {

// Returns the bits of the half nearest to `value` (ties to even). Beyond the half range it returns infinity, for NaN a quiet NaN.
constexpr uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<uint16_t>(sign | 0x7E00U | ((magnitude >> 13) & 0x3FFU));
  if (magnitude >= 0x477FF000U) return static_cast<uint16_t>(sign | 0x7C00U);  // 65520 and above rounds to infinity
  if (magnitude < 0x33000000U) return sign;                                    // below half of the smallest denormal
  const uint32_t exponent = magnitude >> 23;
  if (exponent < 113) {  // result is denormal
    const uint32_t mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
    const uint32_t shift = 126 - exponent;  // 14..24
    const uint32_t kept = mantissa >> shift;
    const uint32_t rest = mantissa & ((1U << shift) - 1);
    const uint32_t tie = 1U << (shift - 1);
    return static_cast<uint16_t>(sign | (kept + (rest > tie || (rest == tie && (kept & 1U)) ? 1U : 0U)));
  }
  const uint32_t rebased = magnitude - (112U << 23);
  return static_cast<uint16_t>(sign | ((rebased + 0xFFFU + ((rebased >> 13) & 1U)) >> 13));
}

// Returns the float that has exactly the value of the half `bits`.
constexpr float half_to_float(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000U) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1FU;
  const uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1.0p-24F;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

}  // namespace nnvk
