// The fixed-point exponential behind 8-bit SOFTMAX, LOGISTIC and TANH.
#pragma once

#include <cstdint>

namespace nnvk {

// Computes EXPN of the specification: takes a <= 0 with `integer_bits` integer bits and returns exp(a) in Q0.31.
int32_t exp_of_negative(int32_t a, int integer_bits);

// Computes NR of the specification: takes a in Q0.31 and returns 2 / (1 + a) in Q2.29.
int32_t two_over_one_plus(int32_t a);

// Returns the int32 nearest to `x`.
int32_t saturate32(int64_t x);

}  // namespace nnvk
