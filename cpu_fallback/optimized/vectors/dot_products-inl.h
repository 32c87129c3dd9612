// Multiply-adds of groups of small integers in one instruction, for which Highway has no function. Compiled once per instruction
// set; x86 instructions are written as assembly because Highway's targets do not enable them for the compiler.
#if defined(NNVK_DOT_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_DOT_PRODUCTS_INL
#undef NNVK_DOT_PRODUCTS_INL
#else
#define NNVK_DOT_PRODUCTS_INL
#endif

#include <cstdint>

#include "hwy/highway.h"

#if NNVK_WITH_NEON_DOT  // instructions that the compiler may use from here on
#undef HWY_BEFORE_NAMESPACE
#undef HWY_AFTER_NAMESPACE
#undef HWY_ATTR
#define HWY_BEFORE_NAMESPACE() HWY_PUSH_ATTRIBUTES("arch=armv8.2-a+dotprod") static_assert(true)
#define HWY_AFTER_NAMESPACE() HWY_POP_ATTRIBUTES static_assert(true)
#define HWY_ATTR __attribute__((target("arch=armv8.2-a+dotprod")))
#endif

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using IntLanes = hn::ScalableTag<int32_t>;
using Ints = hn::Vec<IntLanes>;

// Whether the processor has dot products of bytes, and whether their image bytes are signed. Weight bytes are always signed.
#undef NNVK_HAS_BYTE_PRODUCTS
#undef NNVK_IMAGE_BYTES_ARE_SIGNED
#if HWY_TARGET == HWY_AVX3_DL
#define NNVK_HAS_BYTE_PRODUCTS 1
#define NNVK_IMAGE_BYTES_ARE_SIGNED 0
#elif NNVK_WITH_NEON_DOT
#define NNVK_HAS_BYTE_PRODUCTS 1
#define NNVK_IMAGE_BYTES_ARE_SIGNED 1
#else
#define NNVK_HAS_BYTE_PRODUCTS 0
#define NNVK_IMAGE_BYTES_ARE_SIGNED 0
#endif

#if NNVK_HAS_BYTE_PRODUCTS
// Returns sums[i] + a[4i] * b[4i] + ... + a[4i+3] * b[4i+3] with a of image and b of weight bytes; wraps.
HWY_INLINE Ints add_byte_products(Ints sums, Ints a, Ints b) {
#if HWY_TARGET == HWY_AVX3_DL
  asm("vpdpbusd %2, %1, %0" : "+v"(sums.raw) : "v"(a.raw), "vm"(b.raw));
#else
  sums.raw = vdotq_s32(sums.raw, vreinterpretq_s8_s32(a.raw), vreinterpretq_s8_s32(b.raw));
#endif
  return sums;
}
#endif

// Whether an instruction multiplies by one of the four groups in an image vector, so that no group has to be copied to every lane
// before. The weights of a group of 16-bit pairs are then all first factors, followed by all second ones.
#undef NNVK_HAS_LANE_PRODUCTS
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
#define NNVK_HAS_LANE_PRODUCTS 1
// Multiplies group kLane of the image by each group of the weights. Product i is added to sums[i]; the sums wrap. A group has
// four bytes if the processor has dot products of bytes, else two 16-bit numbers.
template <int kLane>
HWY_INLINE Ints add_lane_products(Ints sums, Ints image, Ints weights) {
#if NNVK_HAS_BYTE_PRODUCTS
  return Ints(vdotq_laneq_s32(sums.raw, vreinterpretq_s8_s32(weights.raw), vreinterpretq_s8_s32(image.raw), kLane));
#else
  const int16x8_t x = vreinterpretq_s16_s32(image.raw);
  const int16x8_t w = vreinterpretq_s16_s32(weights.raw);
  return Ints(vmlal_high_laneq_s16(vmlal_laneq_s16(sums.raw, vget_low_s16(w), x, 2 * kLane), w, x, 2 * kLane + 1));
#endif
}
#else
#define NNVK_HAS_LANE_PRODUCTS 0
#endif

// Whether one instruction shifts 64-bit numbers to the right by different numbers of bits.
#undef NNVK_HAS_WIDE_SHIFTS
#if HWY_TARGET == HWY_SCALAR || (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3)
#define NNVK_HAS_WIDE_SHIFTS 0
#else
#define NNVK_HAS_WIDE_SHIFTS 1
#endif

// Returns sums[i] + a[2i] * b[2i] + a[2i+1] * b[2i+1] for 16-bit numbers; wraps.
HWY_INLINE Ints add_pair_products(Ints sums, Ints a, Ints b) {
#if HWY_TARGET == HWY_AVX3_DL
  asm("vpdpwssd %2, %1, %0" : "+v"(sums.raw) : "v"(a.raw), "v"(b.raw));
  return sums;
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  const hn::Repartition<int16_t, IntLanes> shorts;
  Ints unused = hn::Zero(IntLanes());
  return hn::ReorderWidenMulAccumulate(IntLanes(), hn::BitCast(shorts, a), hn::BitCast(shorts, b), sums, unused);
#elif HWY_TARGET == HWY_NEON
  const int16x8_t x = vreinterpretq_s16_s32(a.raw);
  const int16x8_t y = vreinterpretq_s16_s32(b.raw);
  const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
  return Ints(vaddq_s32(sums.raw, vpaddq_s32(low, vmull_high_s16(x, y))));
#else
  const auto low = [](Ints v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  const auto high = [](Ints v) HWY_ATTR { return hn::ShiftRight<16>(v); };
  return hn::Add(sums, hn::Add(hn::Mul(low(a), low(b)), hn::Mul(high(a), high(b))));
#endif
}

#if HWY_TARGET != HWY_SCALAR
// Returns two vectors of 16-bit numbers as saturated bytes: every block of 16 bytes holds eight of `low`, then eight of `high`.
template <class Shorts>
HWY_INLINE auto saturate_to_bytes(Shorts low, Shorts high) {
  const hn::Repartition<int8_t, IntLanes> bytes;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return hn::Vec<decltype(bytes)>{_mm512_packs_epi16(low.raw, high.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  return hn::Vec<decltype(bytes)>{_mm256_packs_epi16(low.raw, high.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  return hn::Vec<decltype(bytes)>{_mm_packs_epi16(low.raw, high.raw)};
#else
  const hn::Half<decltype(bytes)> half;  // one block
  return hn::Combine(bytes, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
#endif
}
#endif

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
