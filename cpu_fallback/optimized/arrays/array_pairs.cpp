#include "cpu_fallback/optimized/arrays/array_pairs.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/arrays/array_pairs.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace {

constexpr auto kLarger = [](auto a, auto b) HWY_ATTR { return hn::IfThenElse(hn::Gt(b, a), b, a); };
constexpr auto kSmaller = [](auto a, auto b) HWY_ATTR { return hn::IfThenElse(hn::Lt(b, a), b, a); };

// Returns 1 in each lane whose comparison holds, else 0.
template <class M>
HWY_INLINE Ints ones_where(M mask) {
  const IntLanes ints;
  return hn::IfThenElseZero(hn::RebindMask(ints, mask), hn::Set(ints, 1));
}
constexpr auto kEqual = [](auto a, auto b) HWY_ATTR { return ones_where(hn::Eq(a, b)); };
constexpr auto kNotEqual = [](auto a, auto b) HWY_ATTR { return hn::Xor(kEqual(a, b), hn::Set(IntLanes(), 1)); };
constexpr auto kLess = [](auto a, auto b) HWY_ATTR { return ones_where(hn::Lt(a, b)); };
constexpr auto kLessEqual = [](auto a, auto b) HWY_ATTR { return ones_where(hn::Le(a, b)); };
// A predicate for integers only, which have no NaN.
constexpr auto kNotGreater = [](auto a, auto b) HWY_ATTR { return hn::Xor(kLess(b, a), hn::Set(IntLanes(), 1)); };

template <class D, class Predicate>
HWY_INLINE void compare_pairs(D lanes, const Predicate& predicate, const ArrayPair& p) {
  const size_t n = hn::Lanes(lanes);
  with_operands(lanes, p, [&](const auto& first, const auto& second) HWY_ATTR {
    size_t i = 0;
    for (; i + n <= p.count; i += n) store_bytes(predicate(first.load(i), second.load(i)), p.out + i, n);
    if (i == p.count) return;
    const size_t rest = p.count - i;
    store_bytes(predicate(first.load_first_of(i, rest), second.load_first_of(i, rest)), p.out + i, rest);
  });
}

template <class Predicate>
HWY_INLINE void compare_reals(const Predicate& predicate, const ComparedBytes& b, const ArrayPair& p) {
  const FloatLanes lanes;
  const ByteReader first(b.is_signed, b.first_zero_point);
  const ByteReader second(b.is_signed, b.second_zero_point);
  const Floats first_scale = hn::Set(lanes, b.first_scale);
  const Floats second_scale = hn::Set(lanes, b.second_scale);
  const size_t n = hn::Lanes(lanes);
  for (size_t i = 0; i < p.count; i += n) {
    const size_t count = std::min(n, p.count - i);
    const Floats x = hn::Mul(hn::ConvertTo(lanes, first.load(p.first + i, count)), first_scale);
    const Floats y = hn::Mul(hn::ConvertTo(lanes, second.load(p.second + i, count)), second_scale);
    store_bytes(predicate(x, y), p.out + i, count);
  }
}

// Calls `use` with the predicate of the operation, if that is a comparison. `at_most`: the predicate of
// PairOperation::kLessEqual.
template <class AtMost, class Use>
HWY_INLINE void with_comparison(PairOperation operation, const AtMost& at_most, const Use& use) {
  switch (operation) {
    case PairOperation::kEqual:
      return use(kEqual);
    case PairOperation::kNotEqual:
      return use(kNotEqual);
    case PairOperation::kLess:
      return use(kLess);
    case PairOperation::kLessEqual:
      return use(at_most);
    default:
      return;
  }
}

}  // namespace

void float_pairs(PairOperation operation, const ArrayPair& p) {
  const FloatLanes lanes;
  switch (operation) {
    case PairOperation::kLarger:
      return map_pairs(lanes, p, kLarger);
    case PairOperation::kSmaller:
      return map_pairs(lanes, p, kSmaller);
    case PairOperation::kPrelu:
      return map_pairs(lanes, p, [&](Floats x, Floats alpha) HWY_ATTR {
        return hn::IfThenElse(hn::Ge(x, hn::Zero(lanes)), x, hn::Mul(x, alpha));
      });
    default:
      return with_comparison(operation, kLessEqual, [&](auto holds) HWY_ATTR { compare_pairs(lanes, holds, p); });
  }
}

void int_pairs(PairOperation operation, const ArrayPair& p) {
  const IntLanes lanes;
  switch (operation) {
    case PairOperation::kLarger:
      return map_pairs(lanes, p, kLarger);
    case PairOperation::kSmaller:
      return map_pairs(lanes, p, kSmaller);
    case PairOperation::kAdd:
      return map_pairs(lanes, p, [](Ints a, Ints b) HWY_ATTR { return hn::Add(a, b); });
    case PairOperation::kSubtract:
      return map_pairs(lanes, p, [](Ints a, Ints b) HWY_ATTR { return hn::Sub(a, b); });
    case PairOperation::kMultiply:
      return map_pairs(lanes, p, [](Ints a, Ints b) HWY_ATTR { return hn::Mul(a, b); });
    default:
      return with_comparison(operation, kNotGreater, [&](auto holds) HWY_ATTR { compare_pairs(lanes, holds, p); });
  }
}

void byte_pairs(PairOperation operation, bool is_signed, const ArrayPair& p) {
  const hn::ScalableTag<uint8_t> lanes;
  const hn::ScalableTag<int8_t> signed_lanes;
  switch (operation) {
    case PairOperation::kLarger:
      return is_signed ? map_pairs(signed_lanes, p, kLarger) : map_pairs(lanes, p, kLarger);
    case PairOperation::kSmaller:
      return is_signed ? map_pairs(signed_lanes, p, kSmaller) : map_pairs(lanes, p, kSmaller);
    case PairOperation::kAnd:
      return map_pairs(lanes, p, [&](auto a, auto b) HWY_ATTR {
        const auto one = hn::Set(lanes, 1);
        return hn::And(hn::Min(a, one), hn::Min(b, one));
      });
    case PairOperation::kOr:
      return map_pairs(lanes, p, [&](auto a, auto b) HWY_ATTR { return hn::Min(hn::Or(a, b), hn::Set(lanes, 1)); });
    default:
      return;
  }
}

void compare_bytes(PairOperation operation, const ComparedBytes& bytes, const ArrayPair& p) {
  with_comparison(operation, kLessEqual, [&](auto holds) HWY_ATTR { compare_reals(holds, bytes, p); });
}

void multiply_bytes(const Quant8Arithmetic& f, bool is_prelu, const ArrayPair& p) {
  const IntLanes lanes;
  const ByteReader first(f.is_signed, f.first_zero_point);
  const ByteReader second(f.is_signed, f.second_zero_point);
  const Multipliers product = same_multiplier(is_prelu ? f.second : f.result);
  const Multipliers positive = same_multiplier(f.first);
  const Ints zero_point = hn::Set(lanes, f.zero_point);
  const Ints lo = hn::Set(lanes, f.bounds.lo - f.zero_point);
  const Ints hi = hn::Set(lanes, f.bounds.hi - f.zero_point);
  const size_t n = hn::Lanes(lanes);
  for (size_t i = 0; i < p.count; i += n) {
    const size_t count = std::min(n, p.count - i);
    const Ints a = first.load(p.first + i, count);
    Ints result = product.scale(hn::Mul(a, second.load(p.second + i, count)));
    if (is_prelu) result = hn::IfThenElse(hn::Lt(a, hn::Zero(lanes)), result, positive.scale(a));
    store_bytes(hn::Add(hn::Min(hn::Max(result, lo), hi), zero_point), p.out + i, count);
  }
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(float_pairs);
HWY_EXPORT(int_pairs);
HWY_EXPORT(byte_pairs);
HWY_EXPORT(compare_bytes);
HWY_EXPORT(multiply_bytes);

void combine_float_pairs(PairOperation operation, const ArrayPair& arrays) {
  HWY_DYNAMIC_DISPATCH(float_pairs)(operation, arrays);
}
void combine_int_pairs(PairOperation operation, const ArrayPair& arrays) { HWY_DYNAMIC_DISPATCH(int_pairs)(operation, arrays); }
void combine_byte_pairs(PairOperation operation, bool is_signed, const ArrayPair& arrays) {
  HWY_DYNAMIC_DISPATCH(byte_pairs)(operation, is_signed, arrays);
}
void compare_byte_pairs(PairOperation operation, const ComparedBytes& bytes, const ArrayPair& arrays) {
  HWY_DYNAMIC_DISPATCH(compare_bytes)(operation, bytes, arrays);
}
void multiply_byte_pairs(const Quant8Arithmetic& arithmetic, bool is_prelu, const ArrayPair& arrays) {
  HWY_DYNAMIC_DISPATCH(multiply_bytes)(arithmetic, is_prelu, arrays);
}

}  // namespace nnvk::cpu
#endif
