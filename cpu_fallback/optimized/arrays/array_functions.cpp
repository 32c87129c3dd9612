#include "cpu_fallback/optimized/arrays/array_functions.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/arrays/array_functions.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "cpu_fallback/optimized/vectors/exponentials-inl.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3_DL
// Looks bytes up in the 128 bytes of `low` and `high`. The low seven bits of each index choose one of them: vpermi2b, for which
// Highway has no function.
using TableBytes = hn::Vec<hn::ScalableTag<uint8_t>>;
HWY_INLINE TableBytes choose_of_128(TableBytes index, TableBytes low, TableBytes high) {
  asm("vpermi2b %2, %1, %0" : "+v"(index.raw) : "v"(low.raw), "v"(high.raw));
  return index;
}
#endif

void float_function(const FloatFunctionCall& call, const float* in, float* out, size_t count) {
  const FloatLanes lanes;
  const auto map = [&](const auto& function) HWY_ATTR { map_array(lanes, in, out, count, function); };
  const auto constant = [&](float value) HWY_ATTR { return hn::Set(lanes, value); };
  switch (call.function) {
    case FloatFunction::kAbs:
      return map([](Floats x) HWY_ATTR { return hn::Abs(x); });
    case FloatFunction::kNegate:
      return map([&](Floats x) HWY_ATTR { return hn::Xor(x, hn::SignBit(lanes)); });
    case FloatFunction::kFloor:
      return map([](Floats x) HWY_ATTR { return hn::Floor(x); });
    case FloatFunction::kExp:
      return map([&](Floats x) HWY_ATTR { return exponential(lanes, x); });
    case FloatFunction::kLog:
      return map([&](Floats x) HWY_ATTR { return hn::Log(lanes, x); });
    case FloatFunction::kSin:
      return map([&](Floats x) HWY_ATTR { return hn::Sin(lanes, x); });
    case FloatFunction::kSqrt:
      return map([](Floats x) HWY_ATTR { return hn::Sqrt(x); });
    case FloatFunction::kReciprocalRoot:
      return map([&](Floats x) HWY_ATTR { return hn::Div(constant(1.0F), hn::Sqrt(x)); });
    case FloatFunction::kElu:
      return map([&, alpha = constant(call.alpha)](Floats x) HWY_ATTR {
        const Floats below = hn::Mul(alpha, hn::Sub(exponential(lanes, x), constant(1.0F)));
        return hn::Add(greater(constant(0.0F), x), lesser(constant(0.0F), below));
      });
    case FloatFunction::kClamp:
      return map([lo = constant(call.bounds.lo), hi = constant(call.bounds.hi)](Floats x)
                     HWY_ATTR { return lesser(hi, greater(lo, x)); });
    case FloatFunction::kLogistic:
      return map([&](Floats x) HWY_ATTR { return logistic(lanes, x); });
    case FloatFunction::kTanh:
      return map([&](Floats x) HWY_ATTR { return hyperbolic_tangent(lanes, x); });
    case FloatFunction::kHardSwish:
      return map([&](Floats x) HWY_ATTR {
        const Floats gate = lesser(constant(6.0F), greater(constant(0.0F), hn::Add(x, constant(3.0F))));
        return hn::Div(hn::Mul(x, gate), constant(6.0F));
      });
  }
}

void negated_ints(const int32_t* in, int32_t* out, size_t count) {
  map_array(IntLanes(), in, out, count, [](Ints x) HWY_ATTR { return hn::Sub(hn::Zero(IntLanes()), x); });
}
void int_magnitudes(const int32_t* in, int32_t* out, size_t count) {
  map_array(IntLanes(), in, out, count, [](Ints x) HWY_ATTR { return hn::Abs(x); });
}

// Returns whether lo <= in[i] <= hi for all elements; false if one of them is NaN.
bool all_between(ActivationBounds bounds, const float* in, size_t count) {
  const FloatLanes lanes;
  const Floats lo = hn::Set(lanes, bounds.lo);
  const Floats hi = hn::Set(lanes, bounds.hi);
  const size_t n = hn::Lanes(lanes);
  auto inside = hn::Eq(lo, lo);
  size_t i = 0;
  for (; i + n <= count; i += n) {
    const Floats x = hn::LoadU(lanes, in + i);
    inside = hn::And(inside, hn::And(hn::Ge(x, lo), hn::Le(x, hi)));
  }
  for (; i < count; ++i) {
    if (!(in[i] >= bounds.lo && in[i] <= bounds.hi)) return false;
  }
  return hn::AllTrue(lanes, inside);
}

void bytes_of_table(const uint8_t* table, const std::byte* in, std::byte* out, size_t count) {
  const auto* from = reinterpret_cast<const uint8_t*>(in);
  auto* to = reinterpret_cast<uint8_t*>(out);
  size_t i = 0;
#if HWY_TARGET == HWY_AVX3_DL
  const hn::ScalableTag<uint8_t> lanes;
  const hn::RebindToSigned<decltype(lanes)> signs;
  const size_t n = hn::Lanes(lanes);
  const TableBytes part[4] = {hn::LoadU(lanes, table), hn::LoadU(lanes, table + n), hn::LoadU(lanes, table + 2 * n),
                              hn::LoadU(lanes, table + 3 * n)};
  for (; i < count; i += n) {
    const size_t some = std::min(n, count - i);
    const TableBytes index = load_some(lanes, from + i, some);
    const auto is_high = hn::RebindMask(lanes, hn::Lt(hn::BitCast(signs, index), hn::Zero(signs)));
    const TableBytes result =
        hn::IfThenElse(is_high, choose_of_128(index, part[2], part[3]), choose_of_128(index, part[0], part[1]));
    store_some(result, lanes, to + i, some);
  }
#endif
  for (; i < count; ++i) to[i] = table[from[i]];
}

namespace {

template <class T>
void selected(const Selection& s, size_t count) {
  const hn::ScalableTag<T> lanes;
  const hn::Rebind<uint8_t, decltype(lanes)> bytes;
  const auto* mask = reinterpret_cast<const uint8_t*>(s.mask);
  const auto* first = reinterpret_cast<const T*>(s.first);
  const auto* second = reinterpret_cast<const T*>(s.second);
  for_vectors(lanes, count, [&](size_t i, size_t some) HWY_ATTR {
    hn::Vec<hn::ScalableTag<T>> wide;
    if constexpr (sizeof(T) == 1) {
      wide = load_some(lanes, mask + i, some);
    } else {
      wide = hn::PromoteTo(lanes, load_some(bytes, mask + i, some));
    }
    const auto is_second = hn::Eq(wide, hn::Zero(lanes));
    const auto chosen = hn::IfThenElse(is_second, load_some(lanes, second + i, some), load_some(lanes, first + i, some));
    store_some(chosen, lanes, reinterpret_cast<T*>(s.out) + i, some);
  });
}

}  // namespace

void selected_elements(const Selection& s, size_t count) {
  if (s.width == 1) return selected<uint8_t>(s, count);
  if (s.width == 2) return selected<uint16_t>(s, count);
  selected<uint32_t>(s, count);
}

// Computes the powers as exp(y log x) in double, whose errors are far below a float's.
bool powers_in_double(const float* base, const float* exponent, float* out, size_t count) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> lanes;
  const size_t n = hn::Lanes(lanes);
  const auto least = hn::Set(lanes, FLT_MIN);
  const auto largest = hn::Set(lanes, FLT_MAX);
  const auto one = hn::Set(lanes, 1.0F);
  for (size_t i = 0; i < count; i += n) {
    const size_t some = std::min(n, count - i);
    auto x = load_some(lanes, base + i, some);
    if (some < n) x = hn::IfThenElse(hn::FirstN(lanes, some), x, one);
    if (!hn::AllTrue(lanes, hn::And(hn::Ge(x, least), hn::Le(x, largest)))) return false;
    const auto y = load_some(lanes, exponent + i, some);
    const auto product = hn::Mul(hn::Log(wide, hn::PromoteTo(wide, x)), hn::PromoteTo(wide, y));
    // The bounds are ln(FLT_MIN) rounded up and ln(FLT_MAX) rounded down.
    const auto is_inside = hn::And(hn::Gt(product, hn::Set(wide, -87.3)), hn::Lt(product, hn::Set(wide, 88.7)));
    if (!hn::AllTrue(wide, is_inside)) return false;
    store_some(hn::DemoteTo(lanes, hn::Exp(wide, product)), lanes, out + i, some);
  }
  return true;
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {
namespace {

HWY_EXPORT(float_function);
HWY_EXPORT(negated_ints);
HWY_EXPORT(int_magnitudes);
HWY_EXPORT(all_between);
HWY_EXPORT(bytes_of_table);
HWY_EXPORT(selected_elements);
HWY_EXPORT(powers_in_double);

// The ranges in which the vector code of a function is valid; outside them the C library's code runs.
constexpr ActivationBounds kOfLog = {FLT_MIN, FLT_MAX};
constexpr ActivationBounds kOfSin = {-39000.0F, 39000.0F};

}  // namespace

void apply_float_function(const FloatFunctionCall& call, const float* in, float* out, size_t count) {
  const bool is_log = call.function == FloatFunction::kLog;
  if (is_log || call.function == FloatFunction::kSin) {
    if (!HWY_DYNAMIC_DISPATCH(all_between)(is_log ? kOfLog : kOfSin, in, count)) {
      for (size_t i = 0; i < count; ++i) out[i] = is_log ? std::log(in[i]) : std::sin(in[i]);
      return;
    }
  }
  HWY_DYNAMIC_DISPATCH(float_function)(call, in, out, count);
}

void negate_ints(const int32_t* in, int32_t* out, size_t count) { HWY_DYNAMIC_DISPATCH(negated_ints)(in, out, count); }
void magnitude_of_ints(const int32_t* in, int32_t* out, size_t count) { HWY_DYNAMIC_DISPATCH(int_magnitudes)(in, out, count); }
void look_up_bytes(const uint8_t* table, const std::byte* in, std::byte* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(bytes_of_table)(table, in, out, count);
}
void select_elements(const Selection& selection, size_t count) { HWY_DYNAMIC_DISPATCH(selected_elements)(selection, count); }
bool powers(const float* base, const float* exponent, float* out, size_t count) {
  return HWY_DYNAMIC_DISPATCH(powers_in_double)(base, exponent, out, count);
}

}  // namespace nnvk::cpu
#endif
