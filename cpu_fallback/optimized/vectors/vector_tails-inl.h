// Loads and stores of the first lanes of a vector that touch no byte behind them. Compiled once per instruction set.
#if defined(NNVK_VECTOR_TAILS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_VECTOR_TAILS_INL
#undef NNVK_VECTOR_TAILS_INL
#else
#define NNVK_VECTOR_TAILS_INL
#endif

#include <cstddef>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

// Loads the first `count` lanes; all other lanes are 0.
template <class D, class T = hwy::HWY_NAMESPACE::TFromD<D>>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> load_first(D lanes, const T* from, size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(lanes, count), lanes, from);
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(T) >= 4) return hn::MaskedLoad(hn::FirstN(lanes, count), lanes, from);
#endif
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)] = {};
  std::memcpy(buffer, from, count * sizeof(T));
  return hn::Load(lanes, buffer);
}

template <class D, class T = hwy::HWY_NAMESPACE::TFromD<D>>
HWY_INLINE void store_first(hwy::HWY_NAMESPACE::Vec<D> value, D lanes, T* to, size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return hn::BlendedStore(value, hn::FirstN(lanes, count), lanes, to);
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(T) >= 4) return hn::BlendedStore(value, hn::FirstN(lanes, count), lanes, to);
#endif
  HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(value, lanes, buffer);
  std::memcpy(to, buffer, count * sizeof(T));
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
