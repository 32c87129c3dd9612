// Vectors of elements from and to arrays whose ends need not be whole vectors. Compiled once per instruction set.
#if defined(NNVK_ARRAY_LOOPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_ARRAY_LOOPS_INL
#undef NNVK_ARRAY_LOOPS_INL
#else
#define NNVK_ARRAY_LOOPS_INL
#endif

#include <algorithm>

#include "core/base/fixed_point.h"
#include "cpu_fallback/optimized/vectors/requantize-inl.h"
#include "cpu_fallback/optimized/vectors/vector_tails-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

using FloatLanes = hn::ScalableTag<float>;
using Floats = hn::Vec<FloatLanes>;

// These functions return std::max(a, b) and std::min(a, b): `a` unless b wins, also against NaN.
template <class V>
HWY_INLINE V greater(V a, V b) {
  return hn::IfThenElse(hn::Lt(a, b), b, a);
}
template <class V>
HWY_INLINE V lesser(V a, V b) {
  return hn::IfThenElse(hn::Lt(b, a), b, a);
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_some(D lanes, const T* from, size_t count) {
  return count == hn::Lanes(lanes) ? hn::LoadU(lanes, from) : load_first(lanes, from, count);
}
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_some(hn::Vec<D> value, D lanes, T* to, size_t count) {
  if (count == hn::Lanes(lanes)) {
    hn::StoreU(value, lanes, to);
  } else {
    store_first(value, lanes, to, count);
  }
}

// Calls function(first element, number of elements) for every vector of an array; the last vector may have fewer elements.
template <class D, class Function>
HWY_INLINE void for_vectors(D lanes, size_t count, const Function& function) {
  const size_t n = hn::Lanes(lanes);
  for (size_t i = 0; i < count; i += n) function(i, std::min(n, count - i));
}

// An operand of a loop over arrays: an array, or one element that is the partner of all.
template <class D, class T = hn::TFromD<D>>
struct ManyElements {
  const T* from;
  HWY_INLINE explicit ManyElements(const void* data) : from(static_cast<const T*>(data)) {}
  HWY_INLINE hn::Vec<D> load(size_t at) const { return hn::LoadU(D(), from + at); }
  HWY_INLINE hn::Vec<D> load_first_of(size_t at, size_t count) const { return load_first(D(), from + at, count); }
};
template <class D, class T = hn::TFromD<D>>
struct OneElement {
  hn::Vec<D> value;
  HWY_INLINE explicit OneElement(const void* data) : value(hn::Set(D(), *static_cast<const T*>(data))) {}
  HWY_INLINE hn::Vec<D> load(size_t) const { return value; }
  HWY_INLINE hn::Vec<D> load_first_of(size_t, size_t) const { return value; }
};

// Calls loop(first, second), each a ManyElements or a OneElement; at most one of them repeats.
template <class D, class Pair, class Loop>
HWY_INLINE void with_operands(D, const Pair& p, const Loop& loop) {
  if (p.first_repeats) {
    loop(OneElement<D>(p.first), ManyElements<D>(p.second));
  } else if (p.second_repeats) {
    loop(ManyElements<D>(p.first), OneElement<D>(p.second));
  } else {
    loop(ManyElements<D>(p.first), ManyElements<D>(p.second));
  }
}

// Computes out[i] = function(in[i]).
template <class D, class Function, class T = hn::TFromD<D>>
HWY_INLINE void map_array(D lanes, const T* in, T* out, size_t count, const Function& function) {
  const size_t n = hn::Lanes(lanes);
  size_t i = 0;
  for (; i + n <= count; i += n) hn::StoreU(function(hn::LoadU(lanes, in + i)), lanes, out + i);
  if (i < count) store_first(function(load_first(lanes, in + i, count - i)), lanes, out + i, count - i);
}

// Computes out[i] = function(first[i], second[i]) for the arrays of `p`, an ArrayPair.
template <class D, class Function, class Pair, class T = hn::TFromD<D>>
HWY_INLINE void map_pairs(D lanes, const Pair& p, const Function& function) {
  auto* out = reinterpret_cast<T*>(p.out);
  const size_t n = hn::Lanes(lanes);
  with_operands(lanes, p, [&](const auto& first, const auto& second) HWY_ATTR {
    size_t i = 0;
    for (; i + n <= p.count; i += n) hn::StoreU(function(first.load(i), second.load(i)), lanes, out + i);
    if (i == p.count) return;
    const size_t rest = p.count - i;
    store_first(function(first.load_first_of(i, rest), second.load_first_of(i, rest)), lanes, out + i, rest);
  });
}

// Returns the same multiplier in all lanes; its exponent is at most 31.
HWY_INLINE Multipliers same_multiplier(FixedPointMultiplier m) {
  const IntLanes lanes;
  return Multipliers(hn::Set(lanes, m.mantissa), hn::Set(lanes, std::max(m.exponent, 0)),
                     hn::Set(lanes, std::max(-m.exponent, 0)));
}

// Reads 8-bit numbers, widened to 32 bits less their zero point.
class ByteReader {
 public:
  HWY_INLINE ByteReader(bool is_signed, int32_t zero_point)
      : flipped_bit_(hn::Set(Bytes(), is_signed ? 0 : 0x80)),
        zero_point_(hn::Set(IntLanes(), is_signed ? zero_point : zero_point - 128)) {}
  HWY_INLINE Ints load(const std::byte* from, size_t count) const {
    const hn::Rebind<int8_t, IntLanes> signed_bytes;
    const auto loaded = hn::Xor(load_some(Bytes(), reinterpret_cast<const uint8_t*>(from), count), flipped_bit_);
    return hn::Sub(hn::PromoteTo(IntLanes(), hn::BitCast(signed_bytes, loaded)), zero_point_);
  }

 private:
  using Bytes = hn::Rebind<uint8_t, IntLanes>;
  hn::Vec<Bytes> flipped_bit_;  // makes unsigned bytes signed ones that are 128 less
  Ints zero_point_;
};

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
