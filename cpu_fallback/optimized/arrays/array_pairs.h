// Two dense arrays element by element: MAXIMUM, PRELU, comparisons and so on, for numbers of each type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/activation.h"

namespace nnvk::cpu {

struct ArrayPair {
  const std::byte* first = nullptr;
  const std::byte* second = nullptr;
  std::byte* out = nullptr;
  size_t count = 0;  // elements
  // True if this operand is one element, the partner of all elements of the other operand. Not for ComparedBytes and
  // Quant8Arithmetic.
  bool first_repeats = false;
  bool second_repeats = false;
};

enum class PairOperation : uint8_t {
  kLarger,   // the second element if it is greater, else the first, so also if either is NaN
  kSmaller,  // likewise
  kPrelu,    // of floats
  kAdd,      // of numbers; integers wrap
  kSubtract,
  kMultiply,
  kDivide,  // of floats
  kEqual,   // comparisons and logic give bytes, 0 or 1
  kNotEqual,
  kLess,
  kLessEqual,
  kAnd,  // of bytes, any but 0 is true
  kOr,
};

// Each function does the operations that make sense for its element type; for all other operations it does nothing. Sums and so
// on of floats are in elementwise_arrays.h.
void combine_float_pairs(PairOperation operation, const ArrayPair& arrays);
void combine_int_pairs(PairOperation operation, const ArrayPair& arrays);
void combine_byte_pairs(PairOperation operation, bool is_signed, const ArrayPair& arrays);

// The operands of an 8-bit comparison, which compares the numbers float(q - zero point) * scale.
struct ComparedBytes {
  bool is_signed = false;
  int32_t first_zero_point = 0;
  int32_t second_zero_point = 0;
  float first_scale = 1.0F;
  float second_scale = 1.0F;
};
void compare_byte_pairs(PairOperation operation, const ComparedBytes& bytes, const ArrayPair& arrays);

// The parameters of 8-bit arithmetic, as ElementwiseBinaryParameters describes them.
struct Quant8Arithmetic {
  bool is_signed = false;
  int32_t first_zero_point = 0;
  int32_t second_zero_point = 0;
  int32_t zero_point = 0;
  FixedPointMultiplier first;
  FixedPointMultiplier second;
  FixedPointMultiplier result;
  QuantizedBounds bounds{};
};
// Computes MUL or PRELU. Exponents of the multipliers are at most 31.
void multiply_byte_pairs(const Quant8Arithmetic& arithmetic, bool is_prelu, const ArrayPair& arrays);

}  // namespace nnvk::cpu
