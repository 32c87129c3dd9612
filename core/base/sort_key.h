// An order of floats that every device can decide alike, with integers.
#pragma once

#include <bit>
#include <cstdint>

namespace nnvk {

// Keys compare like the floats: a < b as floats means key(a) < key(b), and equal floats (also -0 and +0) have equal keys. NaNs,
// which have no order, sort above +infinity or below -infinity, depending on their sign. The shader twin is
// include/float_bits.glsl.
constexpr uint32_t sort_key(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) == 0) return 0x80000000U;
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

// The same for integers of up to 32 bits.
constexpr uint32_t sort_key(int32_t value) { return static_cast<uint32_t>(value) ^ 0x80000000U; }

}  // namespace nnvk
