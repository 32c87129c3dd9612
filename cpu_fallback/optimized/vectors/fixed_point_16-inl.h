// The functions of core/base/fixed_point_16.h, lane by lane, with the same integers. Compiled once per instruction set.
#if defined(NNVK_FIXED_POINT_16_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_FIXED_POINT_16_INL
#undef NNVK_FIXED_POINT_16_INL
#else
#define NNVK_FIXED_POINT_16_INL
#endif

#include <algorithm>

#include "cpu_fallback/optimized/vectors/dot_products-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE Ints ints(int32_t value) { return hn::Set(IntLanes(), value); }
HWY_INLINE Ints clamped(Ints x, int32_t lo, int32_t hi) { return hn::Min(hn::Max(x, ints(lo)), ints(hi)); }
HWY_INLINE Ints clamp_16(Ints x) { return clamped(x, -32768, 32767); }

// Returns the same as multiply_16() of core/base. The reference rounds products >= 0 and products < 0 by different formulas, but
// both round ties up.
HWY_INLINE Ints multiply_16(Ints x, Ints y) {
  const Ints rounded = hn::ShiftRight<15>(hn::Add(hn::Mul(x, y), ints(1 << 14)));
  return hn::Min(rounded, ints(32767));  // -32768 * -32768
}

// Returns x / 2^n, rounded with ties away from zero. n must be in [1, 31], and x + 2^(n-1) must fit into 32 bits.
HWY_INLINE Ints rounding_shift_right(Ints x, int n) {
  const Ints below_zero = hn::ShiftRight<31>(x);
  return hn::ShiftRightSame(hn::Add(hn::Add(x, ints(1 << (n - 1))), below_zero), n);
}

// Returns x * 2^n, clamped to 16 bits; n in [1, 15].
HWY_INLINE Ints shift_left_16(Ints x, int n) { return clamp_16(hn::ShiftLeftSame(x, n)); }

HWY_INLINE Ints exponential_16(Ints a, int m) {
  constexpr int32_t kStepFactors[] = {25520, 19875, 12055, 4435, 600, 11, 0};
  const IntLanes lanes;
  const int32_t quarter = 1 << (13 - m);
  const Ints in_quarter = hn::Sub(hn::And(a, ints(quarter - 1)), ints(quarter));
  const Ints x = hn::Add(hn::ShiftLeftSame(in_quarter, m), ints(4096));  // in_quarter * 2^m is at least -2^13
  const Ints x2 = multiply_16(x, x);
  const Ints x3 = multiply_16(x2, x);
  const Ints x4 = multiply_16(x2, x2);
  const Ints t = rounding_shift_right(hn::Add(multiply_16(hn::Add(rounding_shift_right(x4, 2), x3), ints(10923)), x2), 1);
  Ints result = clamp_16(hn::Add(ints(28918), multiply_16(ints(28918), hn::Add(x, t))));
  const Ints remainder = hn::Sub(in_quarter, a);
  for (int step = -2; step < std::min(m, 5); ++step) {
    const Ints bit = hn::And(remainder, ints(1 << (15 - m + step)));
    const Ints shorter = multiply_16(result, ints(kStepFactors[step + 2]));
    result = hn::IfThenElse(hn::Eq(bit, hn::Zero(lanes)), result, shorter);
  }
  if (m > 5) result = hn::IfThenZeroElse(hn::Lt(a, ints(-(32 << (15 - m)))), result);
  return hn::IfThenElse(hn::Eq(a, hn::Zero(lanes)), ints(32767), result);
}

HWY_INLINE Ints two_over_one_plus_16(Ints e) {
  const Ints half = hn::ShiftRight<1>(hn::Add(e, ints(32768)));
  Ints z = hn::Add(ints(23130), multiply_16(half, ints(-15420)));
  for (int step = 0; step < 3; ++step) {
    z = hn::Add(z, shift_left_16(multiply_16(z, hn::Sub(ints(8192), multiply_16(half, z))), 2));
  }
  return z;
}

HWY_INLINE Ints negative_magnitude_16(Ints a) { return hn::Min(a, hn::Neg(a)); }

HWY_INLINE Ints logistic_16(Ints a, int m) {
  const Ints zero = hn::Zero(IntLanes());
  const Ints p = shift_left_16(two_over_one_plus_16(exponential_16(negative_magnitude_16(a), m)), 1);
  const Ints result = hn::IfThenElse(hn::Gt(a, zero), p, hn::Sub(ints(32767), p));
  return hn::IfThenElse(hn::Eq(a, zero), ints(16384), result);
}

HWY_INLINE Ints tanh_16(Ints a, int m) {
  const Ints zero = hn::Zero(IntLanes());
  const Ints p = shift_left_16(hn::Sub(two_over_one_plus_16(exponential_16(negative_magnitude_16(a), m + 1)), ints(8192)), 2);
  const Ints result = hn::IfThenElse(hn::Gt(a, zero), p, hn::Neg(p));
  return hn::IfThenElse(hn::Eq(a, zero), zero, result);
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
