// The part of 8-bit SOFTMAX that does not depend on data: the fixed-point exponentials of all possible differences.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/result.h"

namespace nnvk {

// Entry k is E_d of the specification's numerics (Q0.31) for d = -k, the distance of a raw value from the largest of its slice;
// 0 for differences too small to count, which makes their share of the sum and their output 0.
using SoftmaxTable = std::array<int32_t, 256>;

// OP_FAILED when beta * input_scale * 2^26 does not exceed 1.
Result<SoftmaxTable> quantized_softmax_table(float input_scale, float beta);

}  // namespace nnvk
