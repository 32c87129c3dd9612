// Computes tiles of pixels by vectors of channels, whose sums stay in registers. Compiled once per instruction set.
#include "cpu_fallback/optimized/products/float_product.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/products/float_product.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/float_finish-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

// Pixels of a tile with 1, 2 or 3 vectors of channels: as many sums as there are registers besides the factors. More pixels than
// general registers can point to would cost a load each.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr size_t kMostRows[] = {8, 6, 4};
#elif HWY_TARGET == HWY_NEON  // registers also hold vectors of the image
constexpr size_t kMostRows[] = {12, 8, 6};
#else
constexpr size_t kMostRows[] = {12, 10, 8};
#endif
constexpr size_t kMostRowsOfAll = kMostRows[0];
// Single pixels (FULLY_CONNECTED without a batch) read every weight once: many sums hide the latency.
constexpr size_t kRowVectors = 8;

// The beginning of a tile.
struct TilePlace {
  size_t panel;
  size_t at;  // of its first pixel, in the output
};

#if HWY_TARGET == HWY_NEON
// Adds the products of weights and lane kLane of each image vector, without copying that lane to all lanes before.
template <int kLane, size_t kRows, size_t kVectors>
HWY_INLINE void add_lane(Floats (&sums)[kRows][kVectors], const Floats (&image)[kRows], const float* weights, size_t panel_step) {
#pragma GCC unroll 16
  for (size_t v = 0; v < kVectors; ++v) {
    const Floats factors = hn::Load(FloatLanes(), weights + v * panel_step);
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) sums[r][v].raw = vfmaq_laneq_f32(sums[r][v].raw, factors.raw, image[r].raw, kLane);
  }
}

// Adds the products of the factors [k, k + 4); `weights` points to the weights of factor k.
template <size_t kRows, size_t kVectors>
HWY_INLINE void add_four(Floats (&sums)[kRows][kVectors], const float* const (&image)[kRows], size_t k, const float* weights,
                         size_t panel_step) {
  const size_t n = hn::Lanes(FloatLanes());
  Floats factors[kRows];
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) factors[r] = hn::LoadU(FloatLanes(), image[r] + k);
  add_lane<0>(sums, factors, weights, panel_step);
  add_lane<1>(sums, factors, weights + n, panel_step);
  add_lane<2>(sums, factors, weights + 2 * n, panel_step);
  add_lane<3>(sums, factors, weights + 3 * n, panel_step);
}
#endif

// Computes a tile. With kFetches, it also prefetches the panel `ahead_panel`. Prefetches compete with loads, so only a panel's
// first tiles make them. `runs` has a bit for each run of factors; the others read only padding. The arguments fit into
// registers: copies of a larger TilePlace cost a tile of 16 factors a third of its time (on Sapphire Rapids).
template <size_t kRows, size_t kVectors, bool kFetches>
void compute_tile(const FloatProduct& p, const float* const* pixels, TilePlace place, size_t ahead_panel, uint64_t runs) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const float* image[kRows];
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) image[r] = pixels[r];
  Floats sums[kRows][kVectors];
#pragma GCC unroll 16
  for (size_t v = 0; v < kVectors; ++v) {
    const Floats bias = hn::Load(lanes, p.bias + (place.panel + v) * n);
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) sums[r][v] = bias;
  }
  const size_t depth = p.rows.depth;
  const size_t panel_step = p.rows.taps.size() * depth * n;
  const float* weights = p.weights + place.panel * panel_step;
  const float* ahead = p.weights + ahead_panel * panel_step;
  for (size_t t = 0; t < p.rows.taps.size(); ++t) {
    if ((runs >> (t % 64) & 1) == 0) {
      weights += depth * n;
      ahead += depth * n;
      continue;
    }
    size_t k = p.rows.taps[t];
    const size_t end = k + depth;
#if HWY_TARGET == HWY_NEON
    for (; k + 4 <= end; k += 4, weights += 4 * n, ahead += 4 * n) {
      if constexpr (kFetches) hwy::Prefetch(ahead);
      add_four(sums, image, k, weights, panel_step);
    }
#endif
    for (; k < end; ++k, weights += n, ahead += n) {
      if constexpr (kFetches) hwy::Prefetch(ahead);
      Floats factors[kVectors];
#pragma GCC unroll 16
      for (size_t v = 0; v < kVectors; ++v) factors[v] = hn::Load(lanes, weights + v * panel_step);
#pragma GCC unroll 16
      for (size_t r = 0; r < kRows; ++r) {
        const Floats x = hn::Set(lanes, image[r][k]);
#pragma GCC unroll 16
        for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(x, factors[v], sums[r][v]);
      }
    }
  }
  const FinishLanes finish(p.finish);
  const size_t channels = p.outputs - place.panel * n;
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
    const size_t at = place.at + r * p.out_step + place.panel * n;
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      if ((v + 1) * n <= channels) {
        finish.store(sums[r][v], p.out, at + v * n);
      } else {
        finish.store_first_of(sums[r][v], p.out, at + v * n, channels - v * n);
      }
    }
  }
}

using Tile = void (*)(const FloatProduct& p, const float* const* pixels, TilePlace place, size_t ahead_panel, uint64_t runs);
using TilesByRows = std::array<Tile, kMostRowsOfAll + 1>;
template <size_t kVectors, bool kFetches, size_t... kRows>
constexpr TilesByRows tiles_of(std::index_sequence<kRows...>) {
  return {nullptr, compute_tile<kRows + 1, kVectors, kFetches>...};
}
template <bool kFetches>
Tile find_tile(size_t rows, size_t vectors) {
  static constexpr TilesByRows kTiles[] = {
      tiles_of<1, kFetches>(std::make_index_sequence<kMostRows[0]>()),
      tiles_of<2, kFetches>(std::make_index_sequence<kMostRows[1]>()),
      tiles_of<3, kFetches>(std::make_index_sequence<kMostRows[2]>()),
  };
  return kTiles[vectors - 1][rows];
}

// Computes the pixels [first, end) of the first `vectors` ones of these panels; the others follow.
void compute_panels(const FloatProduct& p, IndexRange panels, size_t vectors, size_t first, size_t end) {
  // Makes tiles of nearly equal height, so that the last one is not much shorter than the others.
  const size_t most = kMostRows[vectors - 1];
  const size_t tiles = (end - first + most - 1) / most;
  RowWalk walk(p.rows, first);
  size_t m = first;
  for (size_t tile = 0; tile < tiles; ++tile) {
    const size_t tile_end = first + (end - first) * (tile + 1) / tiles;
    const size_t rows = tile_end - m;
    const float* pixels[kMostRowsOfAll];
    const uint64_t runs = walk.runs(rows);
    for (size_t r = 0; r < rows; ++r, walk.next()) pixels[r] = p.image + walk.at();
    const size_t ahead = panels.first + vectors + tile;  // the panels of the next tiles, one by one
    if (tile < vectors && ahead < panels.end) {
      find_tile<true>(rows, vectors)(p, pixels, {panels.first, m * p.out_step}, ahead, runs);
    } else {
      find_tile<false>(rows, vectors)(p, pixels, {panels.first, m * p.out_step}, 0, runs);
    }
    m = tile_end;
  }
}

// Returns the number of panels in the next tile if `left` panels are left: up to 3, so that no single panel remains for the last
// tile.
size_t vectors_of_next_tile(size_t left) {
  if (left == 4) return 2;
  return left < 3 ? left : 3;
}

void multiply(const FloatProduct& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  size_t panel = first_panel;
  if (end - first == 1) {
    const float* const pixel = p.image + p.rows.start(first);
    for (; panel + kRowVectors <= end_panel; panel += kRowVectors) {
      compute_tile<1, kRowVectors, false>(p, &pixel, {panel, first * p.out_step}, 0, ~uint64_t{0});
    }
  }
  while (panel < end_panel) {
    const size_t vectors = vectors_of_next_tile(end_panel - panel);
    compute_panels(p, {panel, end_panel}, vectors, first, end);
    panel += vectors;
  }
}

void multiply_blocks(const FloatProduct& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  // A block of pixels whose factors and results stay in the second-level cache while all panels are computed.
  constexpr size_t kBlockFloats = size_t{64} * 1024;
  const size_t floats = p.rows.taps.size() * p.rows.depth + (end_panel - first_panel) * hn::Lanes(FloatLanes());
  const size_t step = std::max(kBlockFloats / floats, 4 * kMostRowsOfAll);
  for (size_t m = first; m < end; m += step) multiply(p, m, std::min(m + step, end), first_panel, end_panel);
}

size_t count_lanes() { return hn::Lanes(FloatLanes()); }

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(multiply_blocks);
HWY_EXPORT(count_lanes);

size_t float_lanes() { return HWY_DYNAMIC_DISPATCH(count_lanes)(); }

void float_product(const FloatProduct& product, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  HWY_DYNAMIC_DISPATCH(multiply_blocks)(product, first, end, first_panel, end_panel);
}

}  // namespace nnvk::cpu
#endif
