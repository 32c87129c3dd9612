// Arrays element by element. Compiled once per instruction set.
#include "cpu_fallback/optimized/elementwise_arrays.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/elementwise_arrays.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/requantize-inl.h"
#include "cpu_fallback/optimized/vector_tails-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

using FloatLanes = hn::ScalableTag<float>;
using Floats = hn::Vec<FloatLanes>;

template <class Combine>
void combine_with(const FloatArrays& p, size_t first, size_t end, const Combine& combine) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  // The bound comes first: NaN passes through.
  const auto bounded = [&](Floats value, ActivationBounds bounds)
                           HWY_ATTR { return hn::Min(hn::Set(lanes, bounds.hi), hn::Max(hn::Set(lanes, bounds.lo), value)); };
  const auto finish = [&](Floats value, Floats residual) HWY_ATTR {
    value = bounded(value, p.own);
    if (p.residual != nullptr) value = hn::Add(value, residual);
    return bounded(value, p.fused);
  };
  size_t i = first;
  for (; i + n <= end; i += n) {
    const Floats value = combine(hn::LoadU(lanes, p.first + i), hn::LoadU(lanes, p.second + i));
    hn::StoreU(finish(value, p.residual != nullptr ? hn::LoadU(lanes, p.residual + i) : hn::Zero(lanes)), lanes, p.out + i);
  }
  if (i == end) return;
  const size_t rest = end - i;
  const Floats value = combine(load_first(lanes, p.first + i, rest), load_first(lanes, p.second + i, rest));
  const Floats residual = p.residual != nullptr ? load_first(lanes, p.residual + i, rest) : hn::Zero(lanes);
  store_first(finish(value, residual), lanes, p.out + i, rest);
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

Multipliers same_for_all(FixedPointMultiplier m) {
  const IntLanes lanes;
  return Multipliers(hn::Set(lanes, m.mantissa), hn::Set(lanes, std::max(m.exponent, 0)),
                     hn::Set(lanes, std::max(-m.exponent, 0)));
}

void add_arrays(const Quant8Sum& p, size_t first, size_t end) {
  const IntLanes lanes;
  const hn::Rebind<uint8_t, IntLanes> bytes;
  const hn::Rebind<int8_t, IntLanes> signed_bytes;
  const size_t n = hn::Lanes(lanes);
  const Multipliers first_scale = same_for_all(p.first_multiplier);
  const Multipliers second_scale = same_for_all(p.second_multiplier);
  const Multipliers result_scale = same_for_all(p.result_multiplier);
  const Ints guard = hn::Set(lanes, p.guard_bits);
  const Ints lo = hn::Set(lanes, p.bounds.lo - p.zero_point);
  const Ints hi = hn::Set(lanes, p.bounds.hi - p.zero_point);
  const auto load = [&](const std::byte* from, size_t count, int32_t zero_point) HWY_ATTR {
    HWY_ALIGN uint8_t buffer[HWY_MAX_BYTES] = {};
    const auto* at = reinterpret_cast<const uint8_t*>(from);
    if (count < n) {
      std::memcpy(buffer, from, count);
      at = buffer;
    }
    const auto loaded = hn::LoadU(bytes, at);
    const Ints wide = p.is_signed ? hn::PromoteTo(lanes, hn::BitCast(signed_bytes, loaded)) : hn::PromoteTo(lanes, loaded);
    return hn::Shl(hn::Sub(wide, hn::Set(lanes, zero_point)), guard);
  };
  for (size_t i = first; i < end; i += n) {
    const size_t count = std::min(n, end - i);
    const Ints sum = hn::Add(first_scale.scale(load(p.first + i, count, p.first_zero_point)),
                             second_scale.scale(load(p.second + i, count, p.second_zero_point)));
    const Ints result = hn::Min(hn::Max(result_scale.scale(sum), lo), hi);
    store_bytes(hn::Add(result, hn::Set(lanes, p.zero_point)), p.out + i, count);
  }
}

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
