// DEC, HI, EXPN and NR are names from the specification's numerics.
#include "core/base/quantized_softmax.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/fixed_point.h"
#include "core/base/fixed_point_exponential.h"
#include "core/base/shortest_text.h"

namespace nnvk {

Result<SoftmaxTable> quantized_softmax_table(float input_scale, float beta) {
  constexpr int kIntegerBits = 5;
  const double ratio = std::min(static_cast<double>(beta) * input_scale * (1 << 26), 2147483647.0);
  if (!(ratio > 1.0)) {
    return fail(Code::kOpFailed,
                "beta * input scale must exceed 2^-26, but is " + shortest_text(beta) + " * " + shortest_text(input_scale));
  }
  const FixedPointMultiplier m = decompose_multiplier(ratio);
  const double least_difference = -std::floor(std::ldexp(31.0 * (1 << 26), -m.exponent));
  SoftmaxTable table{};
  for (int32_t k = 0; k < static_cast<int32_t>(table.size()); ++k) {
    if (-k < least_difference) break;
    table[static_cast<size_t>(k)] = exp_of_negative(multiply_high(wrapping_shift_left(-k, m.exponent), m.mantissa), kIntegerBits);
  }
  return table;
}

SoftmaxReciprocal softmax_reciprocal(uint64_t wide_sum) {
  // Slices of more than 8191 equal elements would overflow; every quotient is then 0 anyway.
  const auto sum = static_cast<uint32_t>(std::min<uint64_t>(wide_sum, UINT32_MAX));
  const int zeros = std::countl_zero(sum);
  const auto fraction = static_cast<int32_t>((sum << zeros) - (uint32_t{1} << 31));
  const int64_t twice = 2 * static_cast<int64_t>(two_over_one_plus(fraction));
  return {static_cast<int32_t>(std::min<int64_t>(twice, INT32_MAX)), 35 - zeros};
}

}  // namespace nnvk
