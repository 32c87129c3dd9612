// Division of TENSOR_INT32.
#pragma once

#include <cstdint>

namespace nnvk {

// Returns a / b, rounded toward minus infinity. A divisor of 0 gives 0; INT32_MIN / -1 wraps to INT32_MIN.
constexpr int32_t floor_divide(int32_t a, int32_t b) {
  if (b == 0) return 0;
  const int64_t wide = a;
  const int64_t quotient = wide / b;
  return static_cast<int32_t>(wide % b != 0 && (wide < 0) != (b < 0) ? quotient - 1 : quotient);
}

}  // namespace nnvk
