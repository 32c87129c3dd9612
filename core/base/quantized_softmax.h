// The fixed-point arithmetic of 8-bit SOFTMAX: the exponentials of all possible differences, and what their sum makes of them.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/result.h"

namespace nnvk {

// Entry k is E_d of the specification's numerics (Q0.31) for d = -k: for a raw value that is k below the largest one of its
// slice. An entry is 0 if the value is too far below: it adds nothing to the sum, and its output is 0.
using SoftmaxTable = std::array<int32_t, 256>;

// Returns OP_FAILED unless beta * input_scale * 2^26 exceeds 1.
Result<SoftmaxTable> quantized_softmax_table(float input_scale, float beta);

// 1 / the sum of exponentials, each of which was rounded to 20 bits, as mantissa and shift.
struct SoftmaxReciprocal {
  int32_t mantissa = 0;
  int shift = 0;  // beyond 31 all shares are 0
};
SoftmaxReciprocal softmax_reciprocal(uint64_t sum);

}  // namespace nnvk
