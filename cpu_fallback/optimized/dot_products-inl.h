// Multiply-adds of groups of small integers in one instruction, where Highway has no function for it. Compiled once per
// instruction set; instructions are written out because Highway's targets do not switch them on for the compiler.
#if defined(NNVK_DOT_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_DOT_PRODUCTS_INL
#undef NNVK_DOT_PRODUCTS_INL
#else
#define NNVK_DOT_PRODUCTS_INL
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using IntLanes = hn::ScalableTag<int32_t>;
using Ints = hn::Vec<IntLanes>;

#undef NNVK_HAS_BYTE_PRODUCTS
#if HWY_TARGET == HWY_AVX3_DL
#define NNVK_HAS_BYTE_PRODUCTS 1
// sums[i] += a[4i] * b[4i] + ... + a[4i+3] * b[4i+3] with a of unsigned and b of signed bytes; wraps.
HWY_INLINE Ints add_byte_products(Ints sums, Ints a, Ints b) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sums.raw) : "v"(a.raw), "vm"(b.raw));
  return sums;
}
#else
#define NNVK_HAS_BYTE_PRODUCTS 0
#endif

// Whether 64-bit numbers are shifted to the right by different numbers of bits in one instruction.
#undef NNVK_HAS_WIDE_SHIFTS
#if HWY_TARGET == HWY_SCALAR || (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3)
#define NNVK_HAS_WIDE_SHIFTS 0
#else
#define NNVK_HAS_WIDE_SHIFTS 1
#endif

// sums[i] += a[2i] * b[2i] + a[2i+1] * b[2i+1] for 16-bit numbers; wraps.
HWY_INLINE Ints add_pair_products(Ints sums, Ints a, Ints b) {
#if HWY_TARGET == HWY_AVX3_DL
  asm("vpdpwssd %2, %1, %0" : "+v"(sums.raw) : "v"(a.raw), "v"(b.raw));
  return sums;
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  const hn::Repartition<int16_t, IntLanes> shorts;
  Ints unused = hn::Zero(IntLanes());
  return hn::ReorderWidenMulAccumulate(IntLanes(), hn::BitCast(shorts, a), hn::BitCast(shorts, b), sums, unused);
#else
  const auto low = [](Ints v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  const auto high = [](Ints v) HWY_ATTR { return hn::ShiftRight<16>(v); };
  return hn::Add(sums, hn::Add(hn::Mul(low(a), low(b)), hn::Mul(high(a), high(b))));
#endif
}

#if HWY_TARGET != HWY_SCALAR
// Two vectors of 16-bit numbers as saturated bytes: every block of 16 bytes holds eight of `low`, then eight of `high`.
template <class Shorts>
HWY_INLINE auto saturate_to_bytes(Shorts low, Shorts high) {
  const hn::Repartition<int8_t, IntLanes> bytes;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return hn::Vec<decltype(bytes)>{_mm512_packs_epi16(low.raw, high.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  return hn::Vec<decltype(bytes)>{_mm256_packs_epi16(low.raw, high.raw)};
#elif HWY_ARCH_X86
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
