#include "cpu_fallback/optimized/arrays/elementwise_arrays.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/operations/parameters/elementwise_binary_parameters.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/arrays/elementwise_arrays.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

bool is_unbounded(ActivationBounds bounds) { return std::isinf(bounds.lo) && std::isinf(bounds.hi); }

template <class Combine>
void combine_with(ActivationBounds bounds, const ArrayPair& p, const Combine& combine) {
  const FloatLanes lanes;
  if (is_unbounded(bounds)) return map_pairs(lanes, p, combine);
  // Passes NaN through: lesser() and greater() do so on every processor, Highway's Min() and Max() do not.
  const auto bounded = [&](Floats a, Floats b) HWY_ATTR {
    return lesser(greater(combine(a, b), hn::Set(lanes, bounds.lo)), hn::Set(lanes, bounds.hi));
  };
  map_pairs(lanes, p, bounded);
}

void combine(PairOperation operation, ActivationBounds bounds, const ArrayPair& p) {
  switch (operation) {
    case PairOperation::kAdd:
      return combine_with(bounds, p, [](Floats a, Floats b) HWY_ATTR { return hn::Add(a, b); });
    case PairOperation::kSubtract:
      return combine_with(bounds, p, [](Floats a, Floats b) HWY_ATTR { return hn::Sub(a, b); });
    case PairOperation::kMultiply:
      return combine_with(bounds, p, [](Floats a, Floats b) HWY_ATTR { return hn::Mul(a, b); });
    case PairOperation::kDivide:
      return combine_with(bounds, p, [](Floats a, Floats b) HWY_ATTR { return hn::Div(a, b); });
    default:
      return;
  }
}

// Adds one element at a time, for any multipliers. The vector code below supports only multipliers without a left shift.
void add_one_by_one(const Quant8Arithmetic& q, const ArrayPair& p) {
  const auto read = [&](const std::byte* from, int32_t zero_point) {
    const int32_t value = q.is_signed ? static_cast<int8_t>(*from) : static_cast<uint8_t>(*from);
    return wrapping_shift_left(value - zero_point, kSumGuardBits);
  };
  for (size_t i = 0; i < p.count; ++i) {
    const int32_t sum = wrapping_add(scale_fixed_point(read(p.first + i, q.first_zero_point), q.first),
                                     scale_fixed_point(read(p.second + i, q.second_zero_point), q.second));
    const int32_t value = wrapping_add(scale_fixed_point(sum, q.result), q.zero_point);
    p.out[i] = static_cast<std::byte>(clamp_int(value, q.bounds.lo, q.bounds.hi));
  }
}

#if HWY_TARGET == HWY_SCALAR

void add_arrays(const Quant8Arithmetic& q, const ArrayPair& p) { add_one_by_one(q, p); }

#else

// Does the same as scale_fixed_point() of core/base/fixed_point.h for all lanes, with one multiplier without a left shift.
// Arguments still contain the zero point and lack the guard bits; the constants account for both. Corrected arguments are at most
// 2^29, so adding the first half unit cannot overflow. PanelScaling explains the roundings.
class SumScale {
 public:
  SumScale(FixedPointMultiplier m, int32_t zero_point, int guard_bits) : first_bit_(31 - guard_bits) {
    const IntLanes lanes;
    const int right = -m.exponent;
    const int32_t half = right == 0 ? 0 : 1 << (right - 1);
    mantissa_ = hn::Set(lanes, m.mantissa);
    const int64_t first_half = int64_t{1} << (first_bit_ - 1);
    offset_ = hn::Set(WideLanes(), first_half + (int64_t{half} << first_bit_) - int64_t{zero_point} * m.mantissa);
    half_ = hn::Set(lanes, right == 0 ? std::numeric_limits<int32_t>::min() : half);
    right_ = hn::Set(lanes, right);
  }
  HWY_INLINE Ints scale(Ints values) const {
    const IntLanes lanes;
    const hn::RebindToUnsigned<WideLanes> bits;
    const Wides even = hn::Add(hn::MulEven(values, mantissa_), offset_);
    const Wides odd = hn::Add(hn::MulEven(odd_to_even(values), mantissa_), offset_);
    const Ints nearest = hn::OddEven(hn::BitCast(lanes, hn::ShiftLeftSame(odd, 32 - first_bit_)),
                                     hn::BitCast(lanes, hn::ShiftRightSame(hn::BitCast(bits, even), first_bit_)));
    // A number below half_ was negative before half_ was added: subtracting one rounds its ties away from zero.
    return hn::Shr(hn::Sub(nearest, hn::IfThenElseZero(hn::Lt(nearest, half_), hn::Set(lanes, 1))), right_);
  }

 private:
  int first_bit_;  // the lowest bit of the products that is kept
  Ints mantissa_, half_, right_;
  Wides offset_;
};

// Widens as many bytes as there are 32-bit lanes.
HWY_INLINE Ints widen_bytes(const uint8_t* from, bool is_signed) {
  const IntLanes lanes;
  const hn::Rebind<uint8_t, IntLanes> bytes;
  const hn::Rebind<int8_t, IntLanes> signed_bytes;
  const auto loaded = hn::LoadU(bytes, from);
  return is_signed ? hn::PromoteTo(lanes, hn::BitCast(signed_bytes, loaded)) : hn::PromoteTo(lanes, loaded);
}

void add_arrays(const Quant8Arithmetic& q, const ArrayPair& p) {
  const bool is_bounded = q.first.exponent <= 0 && q.second.exponent <= 0 && q.result.exponent <= 0;
  if (!is_bounded) return add_one_by_one(q, p);
  const ByteLanes bytes;
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const SumScale first_scale(q.first, q.first_zero_point, kSumGuardBits);
  const SumScale second_scale(q.second, q.second_zero_point, kSumGuardBits);
  const SumScale result_scale(q.result, 0, 0);
  const ResultBytes results(q.zero_point, q.bounds, q.is_signed);
  const VectorOrder order;
  const auto add = [&](const uint8_t* a, const uint8_t* b) HWY_ATTR {
    Ints sums[4];
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; ++v) {
      sums[v] = result_scale.scale(hn::Add(first_scale.scale(widen_bytes(a + v * n, q.is_signed)),
                                           second_scale.scale(widen_bytes(b + v * n, q.is_signed))));
    }
    return order.ordered(results.in_blocks(sums[0], sums[1], sums[2], sums[3]));
  };
  const auto* const a = reinterpret_cast<const uint8_t*>(p.first);
  const auto* const b = reinterpret_cast<const uint8_t*>(p.second);
  auto* const out = reinterpret_cast<uint8_t*>(p.out);
  size_t i = 0;
  for (; i + 4 * n <= p.count; i += 4 * n) hn::StoreU(add(a + i, b + i), bytes, out + i);
  if (i == p.count) return;
  HWY_ALIGN uint8_t rest[2][HWY_MAX_BYTES] = {};
  std::memcpy(rest[0], a + i, p.count - i);
  std::memcpy(rest[1], b + i, p.count - i);
  store_first(add(rest[0], rest[1]), bytes, out + i, p.count - i);
}

#endif

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(combine);
HWY_EXPORT(add_arrays);

void combine_floats(PairOperation operation, ActivationBounds bounds, const ArrayPair& arrays) {
  HWY_DYNAMIC_DISPATCH(combine)(operation, bounds, arrays);
}

void add_byte_pairs(const Quant8Arithmetic& arithmetic, const ArrayPair& arrays) {
  HWY_DYNAMIC_DISPATCH(add_arrays)(arithmetic, arrays);
}

}  // namespace nnvk::cpu
#endif
