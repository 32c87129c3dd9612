// The reference's way from 32-bit sums to 8-bit results, lane by lane. Compiled once per instruction set.
#if defined(NNVK_REQUANTIZE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_REQUANTIZE_INL
#undef NNVK_REQUANTIZE_INL
#else
#define NNVK_REQUANTIZE_INL
#endif

#include "cpu_fallback/optimized/dot_products-inl.h"
#include "cpu_fallback/optimized/quant8_product.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// multiply_high() of core/base/fixed_point.h for b >= 0: (a * b + 2^30) >> 31 in 64 bits.
HWY_INLINE Ints multiply_high(Ints a, Ints b) {
#if HWY_TARGET == HWY_SCALAR
  return Ints(nnvk::multiply_high(a.raw, b.raw));
#else
  const IntLanes lanes;
  const hn::RepartitionToWide<IntLanes> wide;
  const hn::RebindToUnsigned<decltype(wide)> bits;
  const auto odd_lanes = [&](Ints v) HWY_ATTR { return hn::BitCast(lanes, hn::ShiftRight<32>(hn::BitCast(bits, v))); };
  const auto half = hn::Set(wide, int64_t{1} << 30);
  const auto even = hn::Add(hn::MulEven(a, b), half);
  const auto odd = hn::Add(hn::MulEven(odd_lanes(a), odd_lanes(b)), half);
  // Bits 31 to 62 of each: to the low half of even lanes, and to the high half of odd ones.
  return hn::OddEven(hn::BitCast(lanes, hn::ShiftLeft<1>(odd)), hn::BitCast(lanes, hn::ShiftRight<31>(hn::BitCast(bits, even))));
#endif
}

// scale_fixed_point() of core/base/fixed_point.h, with a multiplier per lane.
struct Multipliers {
  Ints mantissa, left, right, mask, threshold;

  Multipliers() = default;
  HWY_INLINE Multipliers(Ints mantissas, Ints left_shifts, Ints right_shifts)
      : mantissa(mantissas), left(left_shifts), right(right_shifts) {
    const Ints one = hn::Set(IntLanes(), 1);
    mask = hn::Sub(hn::Shl(one, right), one);
    threshold = hn::ShiftRight<1>(mask);
  }
  HWY_INLINE Ints scale(Ints values) const {
    const Ints scaled = multiply_high(hn::Shl(values, left), mantissa);
    const Ints remainder = hn::And(scaled, mask);
    const Ints limit = hn::Sub(threshold, hn::ShiftRight<31>(scaled));  // one more below zero
    return hn::Sub(hn::Shr(scaled, right), hn::VecFromMask(IntLanes(), hn::Gt(remainder, limit)));
  }
};

// The way to the results of one vector of channels.
struct Scaling {
  Multipliers multipliers;
  Ints zero_point, lo, hi;

  Scaling() = default;
  HWY_INLINE Scaling(const Requantization& results, size_t channel) {
    const IntLanes lanes;
    multipliers =
        Multipliers(hn::LoadU(lanes, results.mantissas.data() + channel), hn::LoadU(lanes, results.left_shifts.data() + channel),
                    hn::LoadU(lanes, results.right_shifts.data() + channel));
    zero_point = hn::Set(lanes, results.zero_point);
    lo = hn::Set(lanes, results.bounds.lo - results.zero_point);
    hi = hn::Set(lanes, results.bounds.hi - results.zero_point);
  }
  // As scale_fixed_point() and into_bounds(); bounded before the zero point is added, where nothing wraps.
  HWY_INLINE Ints apply(Ints sums) const { return hn::Add(hn::Min(hn::Max(multipliers.scale(sums), lo), hi), zero_point); }
};

// Low bytes of `count` lanes. (Not by TruncateTo(), which is wrong in Highway 1.0.3 for AVX-512 with VBMI.)
HWY_INLINE void store_bytes(Ints values, std::byte* to, size_t count) {
  const hn::Rebind<int8_t, IntLanes> bytes;
  const auto narrow = hn::DemoteTo(bytes, hn::ShiftRight<24>(hn::ShiftLeft<24>(values)));
  if (count == hn::Lanes(IntLanes())) {
    hn::StoreU(narrow, bytes, reinterpret_cast<int8_t*>(to));
    return;
  }
  HWY_ALIGN int8_t buffer[HWY_MAX_BYTES];
  hn::StoreU(narrow, bytes, buffer);
  std::memcpy(to, buffer, count);
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
