// The part of 8-bit SOFTMAX that does not depend on data: the fixed-point exponentials of all possible differences.
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

}  // namespace nnvk
