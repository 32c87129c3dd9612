// Functions of one element over arrays: floats by vector code, bytes by tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/operations/parameters/activation.h"

namespace nnvk::cpu {

enum class FloatFunction : uint8_t {
  kAbs,
  kNegate,
  kFloor,
  kExp,
  kLog,
  kSin,
  kSqrt,
  kReciprocalRoot,
  kElu,
  kClamp,  // NaN becomes the lower bound
  kLogistic,
  kTanh,
  kHardSwish,
};

struct FloatFunctionCall {
  FloatFunction function{};
  float alpha = 1.0F;         // kElu
  ActivationBounds bounds{};  // kClamp
};
// All functions give the reference's results for infinities, NaN, denormals and signed zeros. EXP, LOGISTIC, TANH, LOG and SIN
// err by a few units in the last place, ELU by a few units in the last place of 1.0. All others match the reference to the bit.
void apply_float_function(const FloatFunctionCall& call, const float* in, float* out, size_t count);

// These functions wrap on overflow: negating the least integer, or taking its magnitude, gives the least integer.
void negate_ints(const int32_t* in, int32_t* out, size_t count);
void magnitude_of_ints(const int32_t* in, int32_t* out, size_t count);

// Computes out[i] = table[in[i]]; the table has 256 entries.
void look_up_bytes(const uint8_t* table, const std::byte* in, std::byte* out, size_t count);

// out[i] = mask[i] != 0 ? first[i] : second[i], elements of 1, 2 or 4 bytes.
struct Selection {
  const std::byte* mask = nullptr;
  const std::byte* first = nullptr;
  const std::byte* second = nullptr;
  std::byte* out = nullptr;
  size_t width = 1;
};
void select_elements(const Selection& selection, size_t count);

// Computes base[i] ^ exponent[i], correctly rounded in all but about one of ten million cases. Returns false if a base is no
// positive normal number or a result is not normal: some results are then written, and the C library must compute all of them.
bool powers(const float* base, const float* exponent, float* out, size_t count);

}  // namespace nnvk::cpu
