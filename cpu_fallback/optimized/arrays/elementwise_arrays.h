// Sums, differences and so on of whole arrays.
#pragma once

#include "core/operations/parameters/activation.h"
#include "cpu_fallback/optimized/arrays/array_pairs.h"

namespace nnvk::cpu {

// Adds, subtracts, multiplies or divides floats. Results are within the bounds, or NaN.
void combine_floats(PairOperation operation, ActivationBounds bounds, const ArrayPair& arrays);

// Computes 8-bit ADD or SUB. Exponents of the multipliers are at most 31.
void add_byte_pairs(const Quant8Arithmetic& arithmetic, const ArrayPair& arrays);

}  // namespace nnvk::cpu
