// Tiles of up to 16 pixels by up to 3 vectors of channels, held in registers. Compiled once per instruction set.
#include "cpu_fallback/optimized/quant8_product.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/quant8_product.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/dot_products-inl.h"
#include "cpu_fallback/optimized/requantize-inl.h"
#include "cpu_fallback/optimized/vector_tails-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

// One group of factors in every lane of the image, a group per lane of the weights.
constexpr size_t kGroup = NNVK_HAS_BYTE_PRODUCTS ? 4 : 2;
constexpr size_t kGroupBytes = 4;

HWY_INLINE Ints add_products(Ints sums, Ints image, Ints weights) {
#if NNVK_HAS_BYTE_PRODUCTS
  return add_byte_products(sums, image, weights);
#else
  return add_pair_products(sums, image, weights);
#endif
}

// One group of the image in every lane, with the bits of `flip` turned over.
struct WholeGroup {
  Ints flip;
  HWY_INLINE Ints load(const std::byte* from) const {
    int32_t group = 0;
    std::memcpy(&group, from, sizeof group);
    return hn::Xor(hn::Set(IntLanes(), group), flip);
  }
};
// The same of the 1 to 3 bytes that are left of a run; the weights of the others are 0.
struct LastGroup {
  Ints flip;
  size_t bytes;
  HWY_INLINE Ints load(const std::byte* from) const {
    uint32_t group = static_cast<uint8_t>(from[0]);
    if (bytes > 1) group |= static_cast<uint32_t>(from[1]) << 8;
    if (bytes > 2) group |= static_cast<uint32_t>(from[2]) << 16;
    return hn::Xor(hn::Set(IntLanes(), static_cast<int32_t>(group)), flip);
  }
};
// The weights of one group for the vectors of a tile.
struct GroupWeights {
  const std::byte* first;
  size_t panel_step;  // bytes from one vector to the next
  HWY_INLINE Ints load(int vector) const {
    return hn::Load(IntLanes(), reinterpret_cast<const int32_t*>(first + static_cast<size_t>(vector) * panel_step));
  }
};

// Adds the products of one group of factors. A function that is always inlined: what a lambda captures is kept in memory.
template <int kRows, int kVectors, class Group>
HWY_INLINE void add_group(Ints (&sums)[kRows][kVectors], const std::byte* const (&image)[kRows], size_t at, GroupWeights weights,
                          Group group) {
  Ints factors[kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) factors[v] = weights.load(v);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const Ints x = group.load(image[r] + at);
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) sums[r][v] = add_products(sums[r][v], x, factors[v]);
  }
}

#if HWY_TARGET == HWY_SCALAR

void multiply_quant8(const Quant8Product& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  const size_t groups = (p.rows.depth + kGroup - 1) / kGroup;
  const size_t step = p.rows.taps.size() * groups * kGroup;
  const auto* const image = reinterpret_cast<const int16_t*>(p.image);
  for (size_t m = first; m < end; ++m) {
    for (size_t channel = first_panel; channel < end_panel; ++channel) {
      const auto* weights = reinterpret_cast<const int16_t*>(p.weights) + channel * step;
      int32_t sum = p.bias[channel];
      for (const size_t tap : p.rows.taps) {
        for (size_t k = 0; k < p.rows.depth; ++k) {
          sum = wrapping_add(sum, image[p.rows.start(m) + tap + k] * weights[k]);
        }
        weights += groups * kGroup;
      }
      p.out[m * p.out_step + channel] = result_of(*p.results, channel, sum);
    }
  }
}

#else

// Pixels whose factors are looked up at once: multiples of all heights of tiles.
constexpr size_t kBlockPixels = 96;
constexpr int kMostRows = 16;

// Output pixels whose factors have been found.
struct Pixels {
  const std::byte* image[kBlockPixels + kMostRows];  // the last one is repeated at the end
  int32_t corrections[kBlockPixels + kMostRows];     // to be taken from all sums of a pixel
  size_t count;
};

// sums[v][r] of panels from `panel` on, one vector each.
template <int kRows, int kVectors>
void add_up_tile(const Quant8Product& p, size_t panel, const std::byte* const* pixels, int32_t* to) {
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  constexpr size_t element = kGroupBytes / kGroup;
  const std::byte* image[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) image[r] = pixels[r];
  Ints sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const Ints bias = hn::Load(lanes, p.bias + panel * n + static_cast<size_t>(v) * n);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) sums[r][v] = bias;
  }
  const size_t depth = p.rows.depth * element;  // bytes
  const size_t groups = (depth + kGroupBytes - 1) / kGroupBytes;
  const size_t step = n * kGroupBytes;
  const size_t panel_step = p.rows.taps.size() * groups * step;
  const std::byte* weights = p.weights + panel * panel_step;
  const Ints flip = hn::Set(lanes, p.is_signed_image ? static_cast<int32_t>(0x80808080U) : 0);
  const size_t whole = (p.may_read_behind ? groups : depth / kGroupBytes) * kGroupBytes;
  for (const size_t tap : p.rows.taps) {
    const size_t at = tap * element;
    for (size_t k = 0; k < whole; k += kGroupBytes, weights += step) {
      add_group(sums, image, at + k, {weights, panel_step}, WholeGroup{flip});
    }
    if (whole >= depth) continue;
    add_group(sums, image, at + whole, {weights, panel_step}, LastGroup{flip, depth - whole});
    weights += step;
  }
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) hn::Store(sums[r][v], lanes, to + static_cast<size_t>(v * kRows + r) * n);
  }
}

// Vectors of results, and where each of them comes from: results.in_blocks() of four vectors, in their order again.
class ResultOrder {
 public:
  ResultOrder() {
    const IntLanes lanes;
    const size_t n = hn::Lanes(lanes);
    const size_t blocks = n / 4;
    HWY_ALIGN int32_t places[HWY_MAX_BYTES / 4];
    for (size_t i = 0; i < n; ++i) places[i] = static_cast<int32_t>(i % blocks * 4 + i / blocks);
    places_ = hn::Load(lanes, places);
  }
  HWY_INLINE Bytes ordered(Bytes in_blocks) const {
    const IntLanes lanes;
    return hn::BitCast(ByteLanes(),
                       hn::TableLookupLanes(hn::BitCast(lanes, in_blocks), hn::IndicesFromVec(lanes, places_)));
  }

 private:
  Ints places_;
};

// Writes rows of scaled numbers, `count` channels each.
template <int kVectors>
void store_rows(const ResultBytes& results, const int32_t* scaled, size_t height, size_t rows, uint8_t* out, size_t step,
                size_t count) {
  const IntLanes lanes;
  const ByteLanes bytes;
  const size_t n = hn::Lanes(lanes);
  constexpr int kTogether = kVectors == 3 ? 1 : 4 / kVectors;  // rows
  const ResultOrder order;
  const size_t width = n * kVectors;
  for (size_t r = 0; r < rows; r += kTogether) {
    Ints four[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const size_t vector = kVectors == 3 ? std::min(i, 2) : i % kVectors;
      const size_t row = kVectors == 3 ? r : r + i / kVectors;
      four[i] = hn::Load(lanes, scaled + (vector * height + row) * n);
    }
    const Bytes packed = order.ordered(results.in_blocks(four[0], four[1], four[2], four[3]));
    uint8_t* const to = out + r * step;
    if constexpr (kVectors == 4) {
      count == width ? hn::StoreU(packed, bytes, to) : store_first(packed, bytes, to, count);
    } else {
      HWY_ALIGN uint8_t buffer[HWY_MAX_BYTES];
      hn::Store(packed, bytes, buffer);
      const size_t together = std::min<size_t>(kTogether, rows - r);
      for (size_t i = 0; i < together; ++i) {
        if (count == width) {
          std::memcpy(to + i * step, buffer + i * width, width);
        } else {
          std::memcpy(to + i * step, buffer + i * width, count);
        }
      }
    }
  }
}

// One set of panels for the pixels from `first` on, as many as there are rows in the tile or left.
struct Tile {
  const Quant8Product& p;
  const Pixels& pixels;
  size_t first_pixel;  // of the block
  size_t panel;
  ScaleRows scale;
  const ResultBytes& results;

  template <int kRows, int kVectors>
  void compute(size_t at) const {
    const size_t n = hn::Lanes(IntLanes());
    HWY_ALIGN int32_t sums[static_cast<size_t>(kRows + 3) * kVectors * HWY_MAX_BYTES / sizeof(int32_t)];
    add_up_tile<kRows, kVectors>(p, panel, pixels.image + at, sums);
    const size_t rows = std::min<size_t>(kRows, pixels.count - at);
    const int32_t* const corrections = p.weight_zero_point != 0 ? pixels.corrections + at : nullptr;
    for (size_t v = 0; v < kVectors; ++v) {
      scale(p.results->constants.data() + (panel + v) * Requantization::kVectors * n, corrections, rows, sums + v * kRows * n);
    }
    auto* const out = reinterpret_cast<uint8_t*>(p.out) + (first_pixel + at) * p.out_step + panel * n;
    store_rows<kVectors>(results, sums, kRows, rows, out, p.out_step, std::min(n * kVectors, p.outputs - panel * n));
  }

  template <int kRows, int kVectors>
  void compute_all() const {
    for (size_t at = 0; at < pixels.count;) {
      const size_t left = pixels.count - at;
      if (left == 1) {
        compute<1, kVectors>(at);
        at += 1;
      } else if (left <= kRows / 2) {
        compute<kRows / 2, kVectors>(at);
        at += kRows / 2;
      } else {
        compute<kRows, kVectors>(at);
        at += kRows;
      }
    }
  }
};

// The sums of the factors of four pixels, read as the product reads them.
void sum_pixels(const Quant8Product& p, const std::byte* const* pixels, int32_t* sums) {
#if NNVK_HAS_BYTE_PRODUCTS
  const IntLanes lanes;
  const ByteLanes bytes;
  const size_t n = hn::Lanes(bytes);
  const Ints ones = hn::BitCast(lanes, hn::Set(bytes, 1));
  const Bytes flip = hn::Set(bytes, p.is_signed_image ? 0x80 : 0);
  const size_t rest = p.rows.depth % n;
  Ints partial[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) {
    Ints sum = hn::Zero(lanes);
    for (const size_t tap : p.rows.taps) {
      const auto* const run = reinterpret_cast<const uint8_t*>(pixels[r]) + tap;
      size_t k = 0;
      for (; k + n <= p.rows.depth; k += n) {
        sum = add_byte_products(sum, hn::BitCast(lanes, hn::Xor(hn::LoadU(bytes, run + k), flip)), ones);
      }
      if (rest == 0) continue;
      const Bytes last = hn::Xor(load_first(bytes, run + k, rest), flip);
      sum = add_byte_products(sum, hn::BitCast(lanes, last), hn::BitCast(lanes, hn::IfThenElseZero(hn::FirstN(bytes, rest), hn::Set(bytes, 1))));
    }
    partial[r] = sum;
  }
  const auto pairs = [&](Ints a, Ints b) HWY_ATTR {
    return hn::BitCast(hn::ScalableTag<int64_t>(), hn::Add(hn::InterleaveLower(lanes, a, b), hn::InterleaveUpper(lanes, a, b)));
  };
  const auto low = pairs(partial[0], partial[1]);
  const auto high = pairs(partial[2], partial[3]);
  const hn::ScalableTag<int64_t> wide;
  const Ints in_blocks = hn::Add(hn::BitCast(lanes, hn::InterleaveLower(wide, low, high)), hn::BitCast(lanes, hn::InterleaveUpper(wide, low, high)));
  HWY_ALIGN int32_t parts[HWY_MAX_BYTES / 4];
  hn::Store(in_blocks, lanes, parts);
  const hn::FixedTag<int32_t, 4> block;
  auto total = hn::Load(block, parts);
  for (size_t i = 4; i < hn::Lanes(lanes); i += 4) total = hn::Add(total, hn::Load(block, parts + i));
  hn::StoreU(total, block, sums);
#endif
}

void find_pixels(const Quant8Product& p, size_t first, size_t end, Pixels& pixels) {
  constexpr size_t element = kGroupBytes / kGroup;
  pixels.count = end - first;
  RowWalk walk(p.rows, first);
  for (size_t m = 0; m < pixels.count; ++m, walk.next()) pixels.image[m] = p.image + walk.at() * element;
  std::fill_n(pixels.image + pixels.count, kMostRows, pixels.image[pixels.count - 1]);
  if (p.weight_zero_point == 0) return;
  for (size_t m = 0; m < pixels.count; m += 4) {
    sum_pixels(p, pixels.image + m, pixels.corrections + m);
    for (size_t i = m; i < m + 4; ++i) pixels.corrections[i] = wrapping_multiply(p.weight_zero_point, pixels.corrections[i]);
  }
}

void multiply_quant8(const Quant8Product& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  const ResultBytes results(p.results->zero_point, p.results->bounds, p.is_signed_result);
  const ScaleRows scale = rows_scaler(p.results->form);
  Pixels pixels;
  for (size_t m = first; m < end; m += kBlockPixels) {
    find_pixels(p, m, std::min(end, m + kBlockPixels), pixels);
    for (size_t panel = first_panel; panel < end_panel;) {
      const size_t left = end_panel - panel;
      const Tile tile{p, pixels, m, panel, scale, results};
      // As many sums as there are registers besides one vector per factor.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
      if (left == 1) {
        tile.compute_all<8, 1>();
        panel += 1;
      } else {
        tile.compute_all<6, 2>();
        panel += 2;
      }
#else
      if (left >= 4) {
        tile.compute_all<6, 4>();
        panel += 4;
      } else if (left == 3) {
        tile.compute_all<8, 3>();
        panel += 3;
      } else if (left == 2) {
        tile.compute_all<12, 2>();
        panel += 2;
      } else {
        tile.compute_all<16, 1>();
        panel += 1;
      }
#endif
    }
  }
}

#endif

void widen(const std::byte* from, bool is_signed, int32_t zero_point, int16_t* to, size_t count) {
  const hn::ScalableTag<int16_t> shorts;
  const hn::Rebind<uint8_t, decltype(shorts)> bytes;
  const hn::Rebind<int8_t, decltype(shorts)> signed_bytes;
  const size_t n = hn::Lanes(shorts);
  const auto zero = hn::Set(shorts, static_cast<int16_t>(zero_point));
  const auto* const values = reinterpret_cast<const uint8_t*>(from);
  size_t i = 0;
  for (; i + n <= count; i += n) {
    const auto loaded = hn::LoadU(bytes, values + i);
    const auto wide = is_signed ? hn::PromoteTo(shorts, hn::BitCast(signed_bytes, loaded)) : hn::PromoteTo(shorts, loaded);
    hn::StoreU(hn::Sub(wide, zero), shorts, to + i);
  }
  for (; i < count; ++i) {
    const int32_t value = is_signed ? static_cast<int8_t>(values[i]) : values[i];
    to[i] = static_cast<int16_t>(value - zero_point);
  }
}

Quant8Form form() { return {hn::Lanes(IntLanes()), kGroup, NNVK_HAS_WIDE_SHIFTS != 0}; }

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(multiply_quant8);
HWY_EXPORT(widen);
HWY_EXPORT(form);

Quant8Form quant8_form() { return HWY_DYNAMIC_DISPATCH(form)(); }

void quant8_product(const Quant8Product& product, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  HWY_DYNAMIC_DISPATCH(multiply_quant8)(product, first, end, first_panel, end_panel);
}

void widen_quant8(const std::byte* from, bool is_signed, int32_t zero_point, int16_t* to, size_t count) {
  HWY_DYNAMIC_DISPATCH(widen)(from, is_signed, zero_point, to, count);
}

}  // namespace nnvk::cpu
#endif
