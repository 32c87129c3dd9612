// Builds the table of quantized_softmax.h. DEC, HI and EXPN are names from the specification's numerics.
#include "core/base/quantized_softmax.h"

#include <algorithm>
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

}  // namespace nnvk
