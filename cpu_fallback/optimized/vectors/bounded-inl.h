// Floats within bounds; NaN passes through. Compiled once per instruction set.
#if defined(NNVK_BOUNDED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_BOUNDED_INL
#undef NNVK_BOUNDED_INL
#else
#define NNVK_BOUNDED_INL
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

template <class Floats>
HWY_INLINE Floats bounded(Floats value, Floats lo, Floats hi) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Min(hi, hn::Max(lo, value));  // of a number and NaN, x86 takes the second
#else
  return hn::IfThenElse(hn::Lt(value, lo), lo, hn::IfThenElse(hn::Gt(value, hi), hi, value));
#endif
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
