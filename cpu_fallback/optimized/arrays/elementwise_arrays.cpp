#include "cpu_fallback/optimized/arrays/elementwise_arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/arrays/elementwise_arrays.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

bool is_unbounded(ActivationBounds bounds) { return std::isinf(bounds.lo) && std::isinf(bounds.hi); }

// Computes elements [first, end), a vector at a time: combine(a, b) makes `count` elements from position `at` on, and
// finish(value, at, count) returns them with residual and activation.
template <class Combine, class Finish>
HWY_INLINE void combine_and_finish(const FloatArrays& p, size_t first, size_t end, const Combine& combine, const Finish& finish) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  with_operands(lanes, p, [&](const auto& a, const auto& b) HWY_ATTR {
    size_t i = first;
    for (; i + n <= end; i += n) hn::StoreU(finish(combine(a.load(i), b.load(i)), i, n), lanes, p.out + i);
    if (i == end) return;
    const size_t rest = end - i;
    store_first(finish(combine(a.load_first_of(i, rest), b.load_first_of(i, rest)), i, rest), lanes, p.out + i, rest);
  });
}

template <class Combine>
void combine_with(const FloatArrays& p, size_t first, size_t end, const Combine& combine) {
  const FloatLanes lanes;
  const float* const residual = p.finish.residual;
  if (residual == nullptr && is_unbounded(p.finish.own)) {
    return combine_and_finish(p, first, end, combine, [](Floats value, size_t, size_t) HWY_ATTR { return value; });
  }
  // Passes NaN through: lesser() and greater() do so on every processor, Highway's Min() and Max() do not.
  const auto bounded = [&](Floats value, ActivationBounds bounds)
                           HWY_ATTR { return lesser(greater(value, hn::Set(lanes, bounds.lo)), hn::Set(lanes, bounds.hi)); };
  // Without a residual, `own` already contains the bounds of `fused`.
  combine_and_finish(p, first, end, combine, [&](Floats value, size_t at, size_t count) HWY_ATTR {
    value = bounded(value, p.finish.own);
    if (residual == nullptr) return value;
    return bounded(hn::Add(value, load_some(lanes, residual + at, count)), p.finish.fused);
  });
}

void combine(const FloatArrays& p, size_t first, size_t end) {
  switch (p.operation) {
    case FloatOperation::kAdd:
      return combine_with(p, first, end, [](Floats a, Floats b) HWY_ATTR { return hn::Add(a, b); });
    case FloatOperation::kSubtract:
      return combine_with(p, first, end, [](Floats a, Floats b) HWY_ATTR { return hn::Sub(a, b); });
    case FloatOperation::kMultiply:
      return combine_with(p, first, end, [](Floats a, Floats b) HWY_ATTR { return hn::Mul(a, b); });
    case FloatOperation::kDivide:
      return combine_with(p, first, end, [](Floats a, Floats b) HWY_ATTR { return hn::Div(a, b); });
  }
}

// Adds one element at a time, for any multipliers. The vector code below supports only multipliers without a left shift.
void add_one_by_one(const Quant8Sum& p, size_t first, size_t end) {
  const auto read = [&](const std::byte* from, int32_t zero_point) {
    const int32_t value = p.is_signed ? static_cast<int8_t>(*from) : static_cast<uint8_t>(*from);
    return wrapping_shift_left(value - zero_point, p.guard_bits);
  };
  for (size_t i = first; i < end; ++i) {
    const int32_t sum = wrapping_add(scale_fixed_point(read(p.first + i, p.first_zero_point), p.first_multiplier),
                                     scale_fixed_point(read(p.second + i, p.second_zero_point), p.second_multiplier));
    const int32_t value = wrapping_add(scale_fixed_point(sum, p.result_multiplier), p.zero_point);
    p.out[i] = static_cast<std::byte>(clamp_int(value, p.bounds.lo, p.bounds.hi));
  }
}

#if HWY_TARGET == HWY_SCALAR

void add_arrays(const Quant8Sum& p, size_t first, size_t end) { add_one_by_one(p, first, end); }

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

void add_arrays(const Quant8Sum& p, size_t first, size_t end) {
  const bool is_bounded =
      p.first_multiplier.exponent <= 0 && p.second_multiplier.exponent <= 0 && p.result_multiplier.exponent <= 0;
  if (!is_bounded) return add_one_by_one(p, first, end);
  const ByteLanes bytes;
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const SumScale first_scale(p.first_multiplier, p.first_zero_point, p.guard_bits);
  const SumScale second_scale(p.second_multiplier, p.second_zero_point, p.guard_bits);
  const SumScale result_scale(p.result_multiplier, 0, 0);
  const ResultBytes results(p.zero_point, p.bounds, p.is_signed);
  const VectorOrder order;
  const auto add = [&](const uint8_t* a, const uint8_t* b) HWY_ATTR {
    Ints sums[4];
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; ++v) {
      sums[v] = result_scale.scale(hn::Add(first_scale.scale(widen_bytes(a + v * n, p.is_signed)),
                                           second_scale.scale(widen_bytes(b + v * n, p.is_signed))));
    }
    return order.ordered(results.in_blocks(sums[0], sums[1], sums[2], sums[3]));
  };
  const auto* const a = reinterpret_cast<const uint8_t*>(p.first);
  const auto* const b = reinterpret_cast<const uint8_t*>(p.second);
  auto* const out = reinterpret_cast<uint8_t*>(p.out);
  size_t i = first;
  for (; i + 4 * n <= end; i += 4 * n) hn::StoreU(add(a + i, b + i), bytes, out + i);
  if (i == end) return;
  HWY_ALIGN uint8_t rest[2][HWY_MAX_BYTES] = {};
  std::memcpy(rest[0], a + i, end - i);
  std::memcpy(rest[1], b + i, end - i);
  store_first(add(rest[0], rest[1]), bytes, out + i, end - i);
}

#endif

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(combine);
HWY_EXPORT(add_arrays);

void combine_floats(const FloatArrays& arrays, size_t first, size_t end) { HWY_DYNAMIC_DISPATCH(combine)(arrays, first, end); }

void add_quant8(const Quant8Sum& sum, size_t first, size_t end) { HWY_DYNAMIC_DISPATCH(add_arrays)(sum, first, end); }

}  // namespace nnvk::cpu
#endif
