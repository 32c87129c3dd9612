// The part of 8-bit SOFTMAX that does not depend on data: the fixed-point exponentials of all possible differences.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/result.h"

namespace nnvk {

// Entry k is E_d of the specification's numerics (Q0.31) for d = -k: how far a raw value is below the largest of its slice.
// Entries are 0 if the difference is too small to count; such a value adds nothing to the sum and its output is 0.
using SoftmaxTable = std::array<int32_t, 256>;

// OP_FAILED when beta * input_scale * 2^26 does not exceed 1.
Result<SoftmaxTable> quantized_softmax_table(float input_scale, float beta);

}  // namespace nnvk
