// Tiles of up to 16 pixels by up to 3 vectors of channels, held in registers. Compiled once per instruction set.
#include "cpu_fallback/optimized/float_product.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/float_product.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vector_tails-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<float>;
using Floats = hn::Vec<Lanes>;

// Reads `rows` pixels from `walk` on (registers of the others repeat the last one) and writes them to `out`.
template <int kRows, int kVectors>
void compute_tile(const FloatProduct& p, size_t panel, size_t first, size_t rows, RowWalk& walk) {
  const Lanes lanes;
  const size_t n = hn::Lanes(lanes);
  const float* image[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    image[r] = p.image + walk.at();
    if (r + 1 < rows || rows == kRows) walk.next();
  }
  Floats sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const Floats bias = hn::LoadU(lanes, p.bias + panel * n + static_cast<size_t>(v) * n);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) sums[r][v] = bias;
  }
  const size_t depth = p.rows.depth;
  const size_t panel_step = p.rows.taps.size() * depth * n;
  const float* weights = p.weights + panel * panel_step;
  for (const size_t tap : p.rows.taps) {
    for (size_t k = 0; k < depth; ++k, weights += n) {
      Floats factors[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) factors[v] = hn::Load(lanes, weights + static_cast<size_t>(v) * panel_step);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const Floats x = hn::Set(lanes, image[r][tap + k]);
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(x, factors[v], sums[r][v]);
      }
    }
  }
  // The bound comes first: NaN passes through.
  const auto bounded = [&](Floats value, ActivationBounds bounds)
                           HWY_ATTR { return hn::Min(hn::Set(lanes, bounds.hi), hn::Max(hn::Set(lanes, bounds.lo), value)); };
  const size_t channels = p.outputs - panel * n;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    if (static_cast<size_t>(r) >= rows) break;
    const size_t at = (first + static_cast<size_t>(r)) * p.out_step + panel * n;
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      const size_t c = static_cast<size_t>(v) * n;
      const size_t count = std::min(n, channels - c);
      Floats value = bounded(sums[r][v], p.own);
      if (p.residual != nullptr) {
        const float* const added = p.residual + at + c;
        value = hn::Add(value, count == n ? hn::LoadU(lanes, added) : load_first(lanes, added, count));
      }
      value = bounded(value, p.fused);
      if (count == n) {
        hn::StoreU(value, lanes, p.out + at + c);
      } else {
        store_first(value, lanes, p.out + at + c, count);
      }
    }
  }
}

template <int kRows, int kVectors>
void compute_panels(const FloatProduct& p, size_t panel, size_t first, size_t end) {
  RowWalk walk(p.rows, first);
  for (size_t m = first; m < end; m += kRows) compute_tile<kRows, kVectors>(p, panel, m, std::min<size_t>(kRows, end - m), walk);
}

void multiply(const FloatProduct& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  // As many sums as there are registers besides one vector per factor.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  constexpr int kOne = 8, kTwo = 6, kThree = 4;
#else
  constexpr int kOne = 16, kTwo = 12, kThree = 8;
#endif
  for (size_t panel = first_panel; panel < end_panel;) {
    const size_t left = end_panel - panel;
    if (left == 1) {
      compute_panels<kOne, 1>(p, panel, first, end);
      panel += 1;
    } else if (left == 2 || left == 4) {
      compute_panels<kTwo, 2>(p, panel, first, end);
      panel += 2;
    } else {
      compute_panels<kThree, 3>(p, panel, first, end);
      panel += 3;
    }
  }
}

size_t count_lanes() { return hn::Lanes(Lanes()); }

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(multiply);
HWY_EXPORT(count_lanes);

size_t float_lanes() { return HWY_DYNAMIC_DISPATCH(count_lanes)(); }

void float_product(const FloatProduct& product, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  HWY_DYNAMIC_DISPATCH(multiply)(product, first, end, first_panel, end_panel);
}

}  // namespace nnvk::cpu
#endif
