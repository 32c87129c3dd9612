// Exponentials of float vectors with the special values of the C library. Compiled once per instruction set.
#if defined(NNVK_EXPONENTIALS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_EXPONENTIALS_INL
#undef NNVK_EXPONENTIALS_INL
#else
#define NNVK_EXPONENTIALS_INL
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns e^x. Highway's Exp() is valid from -104 to 104. Beyond 89 all results are infinite.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exponential(D lanes, V x) {
  const V near = hn::Max(hn::Min(x, hn::Set(lanes, 89.0F)), hn::Set(lanes, -104.0F));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(lanes, near));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V logistic(D lanes, V x) {
  const V one = hn::Set(lanes, 1.0F);
  return hn::Div(one, hn::Add(one, exponential(lanes, hn::Neg(x))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V hyperbolic_tangent(D lanes, V x) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(lanes, x));
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
