#include "cpu_fallback/optimized/arrays/array_conversions.h"

#include "core/base/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/arrays/array_conversions.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "hwy/highway.h"

// Whether the instruction set converts halves itself, rounding to nearest even. Highway's code for other sets truncates.
#undef NNVK_HAS_HALVES
#define NNVK_HAS_HALVES (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2)

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

void widen_halves(const uint16_t* in, float* out, size_t count) {
  size_t i = 0;
#if NNVK_HAS_HALVES
  const FloatLanes lanes;
  const hn::Rebind<hwy::float16_t, FloatLanes> halves;
  const hn::Rebind<uint16_t, FloatLanes> bits;
  const size_t n = hn::Lanes(lanes);
  for (; i + n <= count; i += n) {
    hn::StoreU(hn::PromoteTo(lanes, hn::BitCast(halves, hn::LoadU(bits, in + i))), lanes, out + i);
  }
#endif
  for (; i < count; ++i) out[i] = half_to_float(in[i]);
}

void narrow_floats(const float* in, uint16_t* out, size_t count) {
  size_t i = 0;
#if NNVK_HAS_HALVES
  const FloatLanes lanes;
  const hn::Rebind<hwy::float16_t, FloatLanes> halves;
  const hn::Rebind<uint16_t, FloatLanes> bits;
  const size_t n = hn::Lanes(lanes);
  for (; i + n <= count; i += n) {
    hn::StoreU(hn::BitCast(bits, hn::DemoteTo(halves, hn::LoadU(lanes, in + i))), bits, out + i);
  }
#endif
  for (; i < count; ++i) out[i] = float_to_half(in[i]);
}

// Converts floats to integers. It handles values beyond +-2^31 explicitly, because processors give different results for them.
void truncate_floats(const float* in, int32_t* out, size_t count) {
  const FloatLanes lanes;
  const IntLanes ints;
  const Floats limit = hn::Set(lanes, 2147483648.0F);
  const Ints largest = hn::Set(ints, INT32_MAX);
  const Ints least = hn::Set(ints, INT32_MIN);
  for_vectors(lanes, count, [&](size_t i, size_t some) HWY_ATTR {
    const Floats x = load_some(lanes, in + i, some);
    const auto is_near = hn::Lt(hn::Abs(x), limit);  // false for NaN
    Ints result = hn::ConvertTo(ints, hn::IfThenElseZero(is_near, x));
    result = hn::IfThenElse(hn::RebindMask(ints, hn::Ge(x, limit)), largest, result);
    result = hn::IfThenElse(hn::RebindMask(ints, hn::Le(x, hn::Neg(limit))), least, result);
    store_some(result, ints, out + i, some);
  });
}

void floats_of_ints(const int32_t* in, float* out, size_t count) {
  const FloatLanes lanes;
  const IntLanes ints;
  for_vectors(lanes, count, [&](size_t i, size_t some) HWY_ATTR {
    store_some(hn::ConvertTo(lanes, load_some(ints, in + i, some)), lanes, out + i, some);
  });
}

void bytes_of_floats(const float* in, std::byte* out, size_t count) {
  const FloatLanes lanes;
  const Floats zero = hn::Zero(lanes);
  const Floats largest = hn::Set(lanes, 255.0F);
  for_vectors(lanes, count, [&](size_t i, size_t some) HWY_ATTR {
    const Floats near = lesser(largest, greater(zero, load_some(lanes, in + i, some)));  // NaN becomes 0
    store_bytes(hn::ConvertTo(IntLanes(), near), out + i, some);
  });
}

void bytes_of_ints(const int32_t* in, std::byte* out, size_t count) {
  const IntLanes ints;
  for_vectors(ints, count, [&](size_t i, size_t some) HWY_ATTR {
    store_bytes(hn::Min(hn::Max(load_some(ints, in + i, some), hn::Zero(ints)), hn::Set(ints, 255)), out + i, some);
  });
}

void ints_of_bytes(const std::byte* in, int32_t* out, size_t count) {
  const ByteReader bytes(false, 0);
  for_vectors(IntLanes(), count,
              [&](size_t i, size_t some) HWY_ATTR { store_some(bytes.load(in + i, some), IntLanes(), out + i, some); });
}

void reals_of_bytes(const ByteQuantization& q, const std::byte* in, float* out, size_t count) {
  const FloatLanes lanes;
  const ByteReader bytes(q.is_signed, q.zero_point);
  const Floats scale = hn::Set(lanes, q.scale);
  for_vectors(lanes, count, [&](size_t i, size_t some) HWY_ATTR {
    store_some(hn::Mul(scale, hn::ConvertTo(lanes, bytes.load(in + i, some))), lanes, out + i, some);
  });
}

void reals_of_channels(const float* scales, const std::byte* in, float* out, size_t count) {
  const FloatLanes lanes;
  const ByteReader bytes(true, 0);
  for_vectors(lanes, count, [&](size_t i, size_t some) HWY_ATTR {
    const Floats scale = load_some(lanes, scales + i, some);
    store_some(hn::Mul(scale, hn::ConvertTo(lanes, bytes.load(in + i, some))), lanes, out + i, some);
  });
}

void bytes_of_reals(const ByteQuantization& q, const float* in, std::byte* out, size_t count) {
  const FloatLanes lanes;
  const Floats scale = hn::Set(lanes, q.scale);
  const Floats zero_point = hn::Set(lanes, static_cast<float>(q.zero_point));
  const Floats least = hn::Set(lanes, q.is_signed ? -128.0F : 0.0F);
  const Floats greatest = hn::Set(lanes, q.is_signed ? 127.0F : 255.0F);
  // Truncation after adding the largest float below 0.5 rounds ties away from zero and moves nothing else.
  const Floats below_half = hn::Set(lanes, 0.49999997F);
  for_vectors(lanes, count, [&](size_t i, size_t some) HWY_ATTR {
    const Floats steps = hn::Div(load_some(lanes, in + i, some), scale);
    const Floats rounded = hn::Trunc(hn::Add(steps, hn::CopySign(below_half, steps)));
    const Floats value = greater(least, lesser(greatest, hn::Add(zero_point, rounded)));  // this order sends NaN to `greatest`
    store_bytes(hn::ConvertTo(IntLanes(), value), out + i, some);
  });
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(widen_halves);
HWY_EXPORT(narrow_floats);
HWY_EXPORT(truncate_floats);
HWY_EXPORT(floats_of_ints);
HWY_EXPORT(bytes_of_floats);
HWY_EXPORT(bytes_of_ints);
HWY_EXPORT(ints_of_bytes);
HWY_EXPORT(reals_of_bytes);
HWY_EXPORT(reals_of_channels);
HWY_EXPORT(bytes_of_reals);

void halves_to_floats(const uint16_t* in, float* out, size_t count) { HWY_DYNAMIC_DISPATCH(widen_halves)(in, out, count); }
void floats_to_halves(const float* in, uint16_t* out, size_t count) { HWY_DYNAMIC_DISPATCH(narrow_floats)(in, out, count); }
void floats_to_ints(const float* in, int32_t* out, size_t count) { HWY_DYNAMIC_DISPATCH(truncate_floats)(in, out, count); }
void ints_to_floats(const int32_t* in, float* out, size_t count) { HWY_DYNAMIC_DISPATCH(floats_of_ints)(in, out, count); }
void floats_to_unsigned_bytes(const float* in, std::byte* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(bytes_of_floats)(in, out, count);
}
void ints_to_unsigned_bytes(const int32_t* in, std::byte* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(bytes_of_ints)(in, out, count);
}
void unsigned_bytes_to_ints(const std::byte* in, int32_t* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(ints_of_bytes)(in, out, count);
}
void dequantize_bytes(const ByteQuantization& q, const std::byte* in, float* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(reals_of_bytes)(q, in, out, count);
}
void dequantize_by_channel(const float* scales, const std::byte* in, float* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(reals_of_channels)(scales, in, out, count);
}
void quantize_floats(const ByteQuantization& q, const float* in, std::byte* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(bytes_of_reals)(q, in, out, count);
}

}  // namespace nnvk::cpu
#endif
