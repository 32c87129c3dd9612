// Integer keys that order floats in the same way on every device.
#pragma once

#include <bit>
#include <cstdint>

namespace nnvk {

// Returns a key for the float. Keys compare like the floats: a < b as floats means key(a) < key(b), and equal floats (also -0 and
// +0) have equal keys. NaNs sort above +infinity or below -infinity, depending on their sign. shaders/include/float_bits.glsl has
// the same function.
constexpr uint32_t sort_key(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) == 0) return 0x80000000U;
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

// Returns a key for an integer of up to 32 bits. Keys have the order of the integers.
constexpr uint32_t sort_key(int32_t value) { return static_cast<uint32_t>(value) ^ 0x80000000U; }

}  // namespace nnvk
