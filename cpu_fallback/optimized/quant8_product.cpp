// Tiles of up to 16 pixels by up to 3 vectors of channels, held in registers. Compiled once per instruction set.
#include "cpu_fallback/optimized/quant8_product.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/quant8_product.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/dot_products-inl.h"
#include "cpu_fallback/optimized/requantize-inl.h"
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

// Neighbouring output pixels.
struct Pixels {
  size_t first;
  size_t count;
};

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

template <int kRows, int kVectors>
void compute_tile(const Quant8Product& p, size_t panel, Pixels pixels, RowWalk& walk, const Scaling* scaling) {
  const size_t first = pixels.first;
  const size_t rows = pixels.count;
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  constexpr size_t element = kGroupBytes / kGroup;
  const std::byte* image[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    image[r] = p.image + walk.at() * element;
    if (r + 1 < rows || rows == kRows) walk.next();
  }
  Ints sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const Ints bias = hn::LoadU(lanes, p.bias + panel * n + static_cast<size_t>(v) * n);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) sums[r][v] = bias;
  }
  const size_t depth = p.rows.depth * element;  // bytes
  const size_t groups = (depth + kGroupBytes - 1) / kGroupBytes;
  const size_t step = n * kGroupBytes;
  const size_t panel_step = p.rows.taps.size() * groups * step;
  const std::byte* weights = p.weights + panel * panel_step;
  const Ints flip = hn::Set(lanes, p.is_signed_image ? static_cast<int32_t>(0x80808080U) : 0);
  const size_t whole = depth / kGroupBytes * kGroupBytes;
  for (const size_t tap : p.rows.taps) {
    const size_t at = tap * element;
    for (size_t k = 0; k < whole; k += kGroupBytes, weights += step) {
      add_group(sums, image, at + k, {weights, panel_step}, WholeGroup{flip});
    }
    if (whole == depth) continue;
    add_group(sums, image, at + whole, {weights, panel_step}, LastGroup{flip, depth - whole});
    weights += step;
  }
  const size_t channels = p.outputs - panel * n;
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const size_t c = static_cast<size_t>(v) * n;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      if (static_cast<size_t>(r) >= rows) break;
      const size_t m = first + static_cast<size_t>(r);
      Ints sum = sums[r][v];
      if (p.sums != nullptr) sum = hn::Sub(sum, hn::Set(lanes, wrapping_multiply(p.weight_zero_point, p.sums[m])));
      store_bytes(scaling[v].apply(sum), p.out + m * p.out_step + panel * n + c, std::min(n, channels - c));
    }
  }
}

template <int kRows, int kVectors>
void compute_panels(const Quant8Product& p, size_t panel, size_t first, size_t end) {
  const size_t n = hn::Lanes(IntLanes());
  Scaling scaling[kVectors];
  for (size_t v = 0; v < kVectors; ++v) scaling[v] = Scaling(*p.results, (panel + v) * n);
  RowWalk walk(p.rows, first);
  for (size_t m = first; m < end; m += kRows) {
    compute_tile<kRows, kVectors>(p, panel, {m, std::min<size_t>(kRows, end - m)}, walk, scaling);
  }
}

void multiply_quant8(const Quant8Product& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  // As many sums as there are registers besides one vector per factor.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  constexpr int kOne = 8, kTwo = 5, kThree = 3;
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

void sum_quant8(const Quant8Product& p, size_t first, size_t end, int32_t* sums) {
  const hn::ScalableTag<uint8_t> bytes;
  [[maybe_unused]] const size_t n = hn::Lanes(bytes);
  const auto* const image = reinterpret_cast<const uint8_t*>(p.image);
  const uint8_t flip = p.is_signed_image ? 0x80 : 0;
  RowWalk walk(p.rows, first);
  for (size_t m = first; m < end; ++m, walk.next()) {
    uint32_t sum = 0;
    for (const size_t tap : p.rows.taps) {
      const uint8_t* const run = image + walk.at() + tap;
      size_t k = 0;
#if HWY_TARGET != HWY_SCALAR
      auto partial = hn::Zero(hn::ScalableTag<uint64_t>());
      for (; k + n <= p.rows.depth; k += n) {
        partial = hn::Add(partial, hn::SumsOf8(hn::Xor(hn::LoadU(bytes, run + k), hn::Set(bytes, flip))));
      }
      sum += static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(hn::ScalableTag<uint64_t>(), partial)));
#endif
      for (; k < p.rows.depth; ++k) sum += run[k] ^ flip;
    }
    sums[m] = static_cast<int32_t>(sum);
  }
}

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

Quant8Form form() { return {hn::Lanes(IntLanes()), kGroup}; }

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(multiply_quant8);
HWY_EXPORT(sum_quant8);
HWY_EXPORT(widen);
HWY_EXPORT(form);

Quant8Form quant8_form() { return HWY_DYNAMIC_DISPATCH(form)(); }

void quant8_product(const Quant8Product& product, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  HWY_DYNAMIC_DISPATCH(multiply_quant8)(product, first, end, first_panel, end_panel);
}

void quant8_sums(const Quant8Product& product, size_t first, size_t end, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(sum_quant8)(product, first, end, sums);
}

void widen_quant8(const std::byte* from, bool is_signed, int32_t zero_point, int16_t* to, size_t count) {
  HWY_DYNAMIC_DISPATCH(widen)(from, is_signed, zero_point, to, count);
}

}  // namespace nnvk::cpu
#endif
