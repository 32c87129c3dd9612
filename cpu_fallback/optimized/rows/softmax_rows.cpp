#include "cpu_fallback/optimized/rows/softmax_rows.h"

#include <algorithm>

#include "core/base/quantized_softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/rows/softmax_rows.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "cpu_fallback/optimized/vectors/exponentials-inl.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace {

// Returns logarithms. It computes in double, as the reference does. The sums are 1 or more, or NaN.
HWY_INLINE Floats logarithm_of_sums(Floats sums) {
  const FloatLanes lanes;
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> half;
  HWY_ALIGN float values[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(sums, lanes, values);
  for (size_t i = 0; i < hn::Lanes(lanes); i += hn::Lanes(wide)) {
    hn::Store(hn::DemoteTo(half, hn::Log(wide, hn::PromoteTo(wide, hn::Load(half, values + i)))), half, values + i);
  }
  return hn::IfThenElse(hn::IsNaN(sums), sums, hn::Load(lanes, values));
}

void one_slice(const float* in, float* out, const FloatSoftmax& s) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const size_t size = s.split.size;
  const size_t whole = size / n * n;
  const auto rest_lanes = hn::FirstN(lanes, size - whole);
  Floats largest = hn::Set(lanes, in[0]);
  for (size_t i = 0; i < whole; i += n) largest = greater(largest, hn::LoadU(lanes, in + i));
  if (whole < size) {
    const Floats rest = load_first(lanes, in + whole, size - whole);
    largest = greater(largest, hn::IfThenElse(rest_lanes, rest, largest));
  }
  largest = hn::MaxOfLanes(lanes, largest);
  const Floats beta = hn::Set(lanes, s.beta);
  const auto exponent = [&](Floats x) HWY_ATTR { return hn::Mul(hn::Sub(x, largest), beta); };
  Floats sums = hn::Zero(lanes);
  for (size_t i = 0; i < whole; i += n) {
    const Floats e = exponent(hn::LoadU(lanes, in + i));
    const Floats value = exponential(lanes, e);
    sums = hn::Add(sums, value);
    hn::StoreU(s.is_logarithm ? e : value, lanes, out + i);
  }
  Floats last = hn::Zero(lanes);
  if (whole < size) {
    last = exponent(load_first(lanes, in + whole, size - whole));
    const Floats value = exponential(lanes, last);
    sums = hn::Add(sums, hn::IfThenElseZero(rest_lanes, value));
    if (!s.is_logarithm) last = value;
  }
  const Floats sum = hn::SumOfLanes(lanes, sums);
  const Floats change = s.is_logarithm ? logarithm_of_sums(sum) : hn::Div(hn::Set(lanes, 1.0F), sum);
  const auto finish = [&](Floats v) HWY_ATTR { return s.is_logarithm ? hn::Sub(v, change) : hn::Mul(v, change); };
  for (size_t i = 0; i < whole; i += n) hn::StoreU(finish(hn::LoadU(lanes, out + i)), lanes, out + i);
  if (whole < size) store_first(finish(last), lanes, out + whole, size - whole);
}

}  // namespace

void float_slices(const FloatSoftmax& s, size_t first, size_t end) {
  for (size_t slice = first; slice < end; ++slice) one_slice(s.in + slice * s.split.size, s.out + slice * s.split.size, s);
}

void float_columns(const FloatSoftmax& s, size_t outer, size_t first, size_t end) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const size_t step = s.split.inner;
  const Floats beta = hn::Set(lanes, s.beta);
  for (size_t column = first; column < end; column += n) {
    const size_t count = std::min(n, end - column);
    const float* in = s.in + outer * s.split.size * step + column;
    float* out = s.out + outer * s.split.size * step + column;
    Floats largest = load_some(lanes, in, count);
    for (size_t i = 1; i < s.split.size; ++i) largest = greater(largest, load_some(lanes, in + i * step, count));
    Floats sum = hn::Zero(lanes);
    for (size_t i = 0; i < s.split.size; ++i) {
      const Floats e = hn::Mul(hn::Sub(load_some(lanes, in + i * step, count), largest), beta);
      const Floats value = exponential(lanes, e);
      sum = hn::Add(sum, value);
      store_some(s.is_logarithm ? e : value, lanes, out + i * step, count);
    }
    const Floats change = s.is_logarithm ? logarithm_of_sums(sum) : sum;
    for (size_t i = 0; i < s.split.size; ++i) {
      const Floats value = load_some(lanes, out + i * step, count);
      store_some(s.is_logarithm ? hn::Sub(value, change) : hn::Div(value, change), lanes, out + i * step, count);
    }
  }
}

void byte_slices(const Quant8Softmax& s, size_t first, size_t end) {
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const ByteReader bytes(s.is_signed, 0);
  // rounding_shift_right(e, 12) for numbers that are not negative.
  const Ints one = hn::Set(lanes, 1);
  const auto in_sum = [&](Ints e) HWY_ATTR { return hn::Add(hn::ShiftRight<12>(e), hn::And(hn::ShiftRight<11>(e), one)); };
  const Ints offset = hn::Set(lanes, s.is_signed ? -128 : 0);
  // A 32-bit lane holds the sum of this many 20-bit numbers.
  constexpr size_t kVectorsPerSum = 4096;
  // Keeps the exponentials of short slices: looking them up takes most of the time.
  constexpr size_t kKept = 2048;
  HWY_ALIGN int32_t kept[kKept];
  const bool are_kept = s.size <= kKept;
  for (size_t slice = first; slice < end; ++slice) {
    const std::byte* in = s.in + slice * s.size;
    std::byte* out = s.out + slice * s.size;
    const size_t whole = s.size / n * n;
    const size_t rest = s.size - whole;
    const auto is_rest = hn::FirstN(lanes, rest);
    Ints largest = hn::Set(lanes, -128);
    for (size_t i = 0; i < whole; i += n) largest = hn::Max(largest, bytes.load(in + i, n));
    if (rest > 0) largest = hn::Max(largest, hn::IfThenElse(is_rest, bytes.load(in + whole, rest), largest));
    largest = hn::MaxOfLanes(lanes, largest);
    const auto exponential_of = [&](Ints q) HWY_ATTR { return hn::GatherIndex(lanes, s.exponentials, hn::Sub(largest, q)); };
    uint64_t sum = 0;
    for (size_t from = 0; from < whole; from += kVectorsPerSum * n) {
      Ints part = hn::Zero(lanes);
      for (size_t i = from; i < std::min(whole, from + kVectorsPerSum * n); i += n) {
        const Ints e = exponential_of(bytes.load(in + i, n));
        if (are_kept) hn::Store(e, lanes, kept + i);
        part = hn::Add(part, in_sum(e));
      }
      HWY_ALIGN int32_t lane_sums[HWY_MAX_BYTES / sizeof(int32_t)];
      hn::Store(part, lanes, lane_sums);
      for (size_t i = 0; i < n; ++i) sum += static_cast<uint32_t>(lane_sums[i]);
    }
    Ints last = hn::Zero(lanes);
    if (rest > 0) {
      last = exponential_of(hn::IfThenElse(is_rest, bytes.load(in + whole, rest), largest));
      const Ints counted = hn::IfThenElseZero(is_rest, in_sum(last));
      sum += static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(lanes, counted)));
    }
    const SoftmaxReciprocal reciprocal = softmax_reciprocal(sum);
    const bool is_nothing = reciprocal.shift > 31;
    const Multipliers scale = same_multiplier({reciprocal.mantissa, is_nothing ? 0 : -reciprocal.shift});
    const auto share = [&](Ints e) HWY_ATTR {
      const Ints q = hn::Min(hn::Max(scale.scale(e), hn::Zero(lanes)), hn::Set(lanes, 255));
      return hn::Add(is_nothing ? hn::Zero(lanes) : q, offset);
    };
    for (size_t i = 0; i < whole; i += n) {
      const Ints e = are_kept ? hn::Load(lanes, kept + i) : exponential_of(bytes.load(in + i, n));
      store_bytes(share(e), out + i, n);
    }
    if (rest > 0) store_bytes(share(last), out + whole, rest);
  }
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(float_slices);
HWY_EXPORT(float_columns);
HWY_EXPORT(byte_slices);

void softmax_slices(const FloatSoftmax& softmax, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(float_slices)(softmax, first, end);
}
void softmax_columns(const FloatSoftmax& softmax, size_t outer, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(float_columns)(softmax, outer, first, end);
}
void softmax_bytes(const Quant8Softmax& softmax, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(byte_slices)(softmax, first, end);
}

}  // namespace nnvk::cpu
#endif
