// The reference's conversion from 32-bit sums to 8-bit results, lane by lane. Compiled once per instruction set.
#if defined(NNVK_REQUANTIZE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_REQUANTIZE_INL
#undef NNVK_REQUANTIZE_INL
#else
#define NNVK_REQUANTIZE_INL
#endif

#include <cstring>

#include "cpu_fallback/optimized/vectors/dot_products-inl.h"
#include "cpu_fallback/optimized/vectors/requantization.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Moves odd lanes to the places of even ones.
HWY_INLINE Ints odd_to_even(Ints v) {
  const hn::RebindToUnsigned<hn::RepartitionToWide<IntLanes>> bits;
  return hn::BitCast(IntLanes(), hn::ShiftRight<32>(hn::BitCast(bits, v)));
}

// Returns bits 31 to 62 of the 64-bit numbers for even and for odd lanes.
template <class Wide>
HWY_INLINE Ints bits_from_31(Wide even, Wide odd) {
  const IntLanes lanes;
  const hn::RebindToUnsigned<hn::RepartitionToWide<IntLanes>> bits;
  return hn::OddEven(hn::BitCast(lanes, hn::ShiftLeft<1>(odd)), hn::BitCast(lanes, hn::ShiftRight<31>(hn::BitCast(bits, even))));
}
#endif

// Returns multiply_high() of core/base/fixed_point.h for b >= 0: (a * b + 2^30) >> 31 in 64 bits.
HWY_INLINE Ints multiply_high(Ints a, Ints b) {
#if HWY_TARGET == HWY_SCALAR
  return Ints(nnvk::multiply_high(a.raw, b.raw));
#elif HWY_TARGET == HWY_NEON
  return Ints(vqrdmulhq_s32(a.raw, b.raw));
#else
  const hn::RepartitionToWide<IntLanes> wide;
  const auto half = hn::Set(wide, int64_t{1} << 30);
  return bits_from_31(hn::Add(hn::MulEven(a, b), half), hn::Add(hn::MulEven(odd_to_even(a), odd_to_even(b)), half));
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
#if HWY_TARGET == HWY_NEON
    // This right shift rounds ties up. To round them away from zero, negative numbers are first reduced by one if shifted.
    const int32x4_t shift = vnegq_s32(right.raw);
    const int32x4_t down = vshrq_n_s32(vandq_s32(scaled.raw, shift), 31);
    return Ints(vrshlq_s32(vqaddq_s32(scaled.raw, down), shift));
#else
    const Ints remainder = hn::And(scaled, mask);
    const Ints limit = hn::Sub(threshold, hn::ShiftRight<31>(scaled));  // one more below zero
    return hn::Sub(hn::Shr(scaled, right), hn::VecFromMask(IntLanes(), hn::Gt(remainder, limit)));
#endif
  }
};

#if HWY_TARGET != HWY_SCALAR
using WideLanes = hn::RepartitionToWide<IntLanes>;
using Wides = hn::Vec<WideLanes>;
using ShortLanes = hn::Repartition<int16_t, IntLanes>;
using Shorts = hn::Vec<ShortLanes>;
using ByteLanes = hn::Repartition<uint8_t, IntLanes>;
using Bytes = hn::Vec<ByteLanes>;
using SignedByteLanes = hn::Repartition<int8_t, IntLanes>;
using SignedBytes = hn::Vec<SignedByteLanes>;

// Applies the constants of one panel of channels to sums. Results do not include the zero point and are not bounded yet. Below, x
// is a sum, M the mantissa, n the right shift and h = 2^(n-1) half a unit of the second rounding (0 for n = 0). The reference
// computes y = floor((x * M + 2^30) / 2^31). Then it rounds y / 2^n to the nearest, ties away from zero. The formula for that is
// floor((y + h - s) / 2^n) with s = 1 for y < 0 (and n > 0), else 0.
template <RequantizationForm kForm>
struct PanelScaling;

// For channels without a left shift and with n > 0, if the bounds raise all results below 0 to 0 or more. For y >= 0 the two
// divisions with floor are one: the result is floor((x * M + 2^30 + h * 2^31) / 2^(31 + n)). For y < 0, x * M + 2^30 is negative.
// This formula then gives 0 or less, as the reference does. 64 bits hold everything: |x * M| < 2^62 and h * 2^31 <= 2^61.
template <>
struct PanelScaling<RequantizationForm::kRectified> {
  Ints even_mantissa, odd_mantissa;
  Wides even_offset, odd_offset, even_shift, odd_shift;

  HWY_INLINE explicit PanelScaling(const int32_t* constants) {
    const IntLanes lanes;
    const size_t n = hn::Lanes(lanes);
    const auto wide = [&](size_t vector) HWY_ATTR { return hn::BitCast(WideLanes(), hn::Load(lanes, constants + vector * n)); };
    even_mantissa = hn::Load(lanes, constants);
    odd_mantissa = hn::Load(lanes, constants + n);
    even_offset = wide(2);
    odd_offset = wide(3);
    even_shift = wide(4);
    odd_shift = wide(5);
  }
  HWY_INLINE Ints scale(Ints sums) const {
    const IntLanes lanes;
    const Wides even = hn::Add(hn::MulEven(sums, even_mantissa), even_offset);
    const Wides odd = hn::Add(hn::MulEven(odd_to_even(sums), odd_mantissa), odd_offset);
    // Results go to the low half of even lanes, and to the high half of odd ones (odd_shift is 32 less).
    return hn::OddEven(hn::BitCast(lanes, hn::Shr(odd, odd_shift)), hn::BitCast(lanes, hn::Shr(even, even_shift)));
  }
};

// No channel has a left shift, and y + h fits into 32 bits. The sign of x may replace that of y in s. The two differ only for x <
// 0 and y = 0 (x = -1 and M = 2^30, or M = 0). There floor((0 + h - 1) / 2^n) is 0 as well.
template <>
struct PanelScaling<RequantizationForm::kBounded> {
  Ints even_mantissa, odd_mantissa;
  Wides even_offset, odd_offset;
  Ints shift;
  Ints least;  // rounds smaller sums as negative ones: 0; for n = 0, the lowest number

  HWY_INLINE explicit PanelScaling(const int32_t* constants) {
    const IntLanes lanes;
    const size_t n = hn::Lanes(lanes);
    even_mantissa = hn::Load(lanes, constants);
    odd_mantissa = hn::Load(lanes, constants + n);
    even_offset = hn::BitCast(WideLanes(), hn::Load(lanes, constants + 2 * n));
    odd_offset = hn::BitCast(WideLanes(), hn::Load(lanes, constants + 3 * n));
    shift = hn::Load(lanes, constants + 4 * n);
    least = hn::Load(lanes, constants + 5 * n);
  }
  HWY_INLINE Ints scale(Ints sums) const {
    const IntLanes lanes;
    const Wides even = hn::Add(hn::MulEven(sums, even_mantissa), even_offset);
    const Wides odd = hn::Add(hn::MulEven(odd_to_even(sums), odd_mantissa), odd_offset);
    const Ints nearest = bits_from_31(even, odd);  // y + h
    const auto is_negative = hn::Lt(sums, least);
#if HWY_TARGET <= HWY_AVX3
    const Ints rounded = hn::IfThenElse(is_negative, hn::Sub(nearest, hn::Set(lanes, 1)), nearest);
#else
    const Ints rounded = hn::Add(nearest, hn::VecFromMask(lanes, is_negative));
#endif
    return hn::Shr(rounded, shift);
  }
};

template <>
struct PanelScaling<RequantizationForm::kAny> {
  Multipliers multipliers;

  HWY_INLINE explicit PanelScaling(const int32_t* constants) {
    const IntLanes lanes;
    const size_t n = hn::Lanes(lanes);
    multipliers = Multipliers(hn::Load(lanes, constants), hn::Load(lanes, constants + n), hn::Load(lanes, constants + 2 * n));
  }
  HWY_INLINE Ints scale(Ints sums) const { return multipliers.scale(sums); }
};

// Scales `rows` vectors of one panel in place.
template <RequantizationForm kForm>
void scale_rows(const int32_t* constants, size_t rows, int32_t* sums) {
  const IntLanes lanes;
  const PanelScaling<kForm> scaling(constants);
  for (size_t r = 0; r < rows; ++r, sums += hn::Lanes(lanes)) hn::Store(scaling.scale(hn::Load(lanes, sums)), lanes, sums);
}

using ScaleRows = void (*)(const int32_t* constants, size_t rows, int32_t* sums);
inline ScaleRows rows_scaler(RequantizationForm form) {
  switch (form) {
    case RequantizationForm::kRectified:
      return scale_rows<RequantizationForm::kRectified>;
    case RequantizationForm::kBounded:
      return scale_rows<RequantizationForm::kBounded>;
    case RequantizationForm::kAny:
      break;
  }
  return scale_rows<RequantizationForm::kAny>;
}

// Converts scaled numbers to bytes: adds the zero point, applies the bounds. Unsigned bytes stay 128 lower until the end.
class ResultBytes {
 public:
  HWY_INLINE ResultBytes(int32_t zero_point, QuantizedBounds bounds, bool is_signed) {
    const int32_t shift = is_signed ? 0 : 128;
    const SignedByteLanes bytes;
    zero_point_ = hn::Set(ShortLanes(), static_cast<int16_t>(zero_point - shift));
    lo_ = hn::Set(bytes, static_cast<int8_t>(bounds.lo - shift));
    hi_ = hn::Set(bytes, static_cast<int8_t>(bounds.hi - shift));
    flip_ = hn::Set(ByteLanes(), static_cast<uint8_t>(shift));
  }
  // Converts four vectors to bytes: every block of 16 bytes holds four results each of a, b, c and d. Intermediate numbers
  // saturate instead of wrapping.
  HWY_INLINE Bytes in_blocks(Ints a, Ints b, Ints c, Ints d) const {
    const ShortLanes shorts;
    const Shorts low = hn::SaturatedAdd(hn::ReorderDemote2To(shorts, a, b), zero_point_);
    const Shorts high = hn::SaturatedAdd(hn::ReorderDemote2To(shorts, c, d), zero_point_);
    const SignedBytes results = hn::Min(hn::Max(saturate_to_bytes(low, high), lo_), hi_);
    return hn::Xor(hn::BitCast(ByteLanes(), results), flip_);
  }

 private:
  Shorts zero_point_;
  SignedBytes lo_, hi_;
  Bytes flip_;
};
// Restores the order of the arguments of ResultBytes::in_blocks(): all of a, then all of b, of c and of d.
class VectorOrder {
 public:
  VectorOrder() {
    const IntLanes lanes;
    const size_t n = hn::Lanes(lanes);
    const size_t blocks = n / 4;
    HWY_ALIGN int32_t places[HWY_MAX_BYTES / 4];
    for (size_t i = 0; i < n; ++i) places[i] = static_cast<int32_t>(i % blocks * 4 + i / blocks);
    places_ = hn::Load(lanes, places);
  }
  HWY_INLINE Bytes ordered(Bytes in_blocks) const {
    const IntLanes lanes;
    const Ints fours = hn::BitCast(lanes, in_blocks);
    return hn::BitCast(ByteLanes(), hn::TableLookupLanes(fours, hn::IndicesFromVec(lanes, places_)));
  }

 private:
  Ints places_;
};
#else
// Returns one result; panels are single channels. The constants are those of PanelScaling.
inline std::byte result_of(const Requantization& results, size_t channel, int32_t sum) {
  const int32_t* const constants = results.panel(channel);
  const bool is_any = results.form == RequantizationForm::kAny;
  const int32_t exponent = is_any ? constants[1] - constants[2] : -constants[4];
  const int32_t value = wrapping_add(scale_fixed_point(sum, {constants[0], exponent}), results.zero_point);
  return static_cast<std::byte>(clamp_int(value, results.bounds.lo, results.bounds.hi));
}
#endif

// Stores the low bytes of `count` lanes. (TruncateTo() is wrong in Highway 1.0.3 for AVX-512 with VBMI.)
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
