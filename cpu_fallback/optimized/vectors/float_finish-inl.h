// Applies activations to vectors of float results, adds the residual, and stores them. Compiled once per instruction set.
#if defined(NNVK_FLOAT_FINISH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NNVK_FLOAT_FINISH_INL
#undef NNVK_FLOAT_FINISH_INL
#else
#define NNVK_FLOAT_FINISH_INL
#endif

#include "cpu_fallback/optimized/vectors/bounded-inl.h"
#include "cpu_fallback/optimized/vectors/float_finish.h"
#include "cpu_fallback/optimized/vectors/vector_tails-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatLanes = hn::ScalableTag<float>;
using Floats = hn::Vec<FloatLanes>;

struct FinishLanes {
  Floats lo, hi, fused_lo, fused_hi;
  const float* residual;

  HWY_INLINE explicit FinishLanes(const FloatFinish& finish)
      : lo(hn::Set(FloatLanes(), finish.own.lo)),
        hi(hn::Set(FloatLanes(), finish.own.hi)),
        fused_lo(hn::Set(FloatLanes(), finish.fused.lo)),
        fused_hi(hn::Set(FloatLanes(), finish.fused.hi)),
        residual(finish.residual) {}

  HWY_INLINE Floats own(Floats value) const { return bounded(value, lo, hi); }
  HWY_INLINE Floats fused(Floats value) const { return bounded(value, fused_lo, fused_hi); }

  // Writes a whole vector of results to out[at...].
  HWY_INLINE void store(Floats value, float* out, size_t at) const {
    value = own(value);
    if (residual != nullptr) value = fused(hn::Add(value, hn::LoadU(FloatLanes(), residual + at)));
    hn::StoreU(value, FloatLanes(), out + at);
  }
  // Writes only the first `count` results of the vector.
  HWY_INLINE void store_first_of(Floats value, float* out, size_t at, size_t count) const {
    value = own(value);
    if (residual != nullptr) value = fused(hn::Add(value, load_first(FloatLanes(), residual + at, count)));
    store_first(value, FloatLanes(), out + at, count);
  }
};

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
