// Computes tiles of up to 16 pixels by 1 to 4 vectors of channels; sums stay in registers. Compiled once per instruction set.
#include "cpu_fallback/optimized/products/quant8_product.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/products/quant8_product.cpp"
#include "cpu_fallback/optimized/vectors/every_instruction_set.h"  // must come first

#include "cpu_fallback/optimized/vectors/dot_products-inl.h"
#include "cpu_fallback/optimized/vectors/requantize-inl.h"
#include "cpu_fallback/optimized/vectors/vector_tails-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

// Numbers per group of factors: a group fills 4 bytes, one lane of Ints. Vectors of the image repeat one group in every lane;
// vectors of weights have a different group in every lane.
constexpr size_t kGroup = NNVK_HAS_BYTE_PRODUCTS ? 4 : 2;
constexpr size_t kGroupBytes = 4;

HWY_INLINE Ints add_products(Ints sums, Ints image, Ints weights) {
#if NNVK_HAS_LANE_PRODUCTS
  return add_lane_products<0>(sums, image, weights);
#elif NNVK_HAS_BYTE_PRODUCTS
  return add_byte_products(sums, image, weights);
#else
  return add_pair_products(sums, image, weights);
#endif
}

// Loads one group of the image into every lane, with the bits of `flip` inverted.
struct WholeGroup {
  Ints flip;
  HWY_INLINE Ints load(const std::byte* from) const {
    int32_t group = 0;
    std::memcpy(&group, from, sizeof group);
    return hn::Xor(hn::Set(IntLanes(), group), flip);
  }
};
// Loads the last 1 to 3 bytes of a run into every lane; the weights of the group's other bytes are 0.
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

// Adds the products of one group of factors. It is no lambda, because a lambda would keep its captures in memory.
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

#if NNVK_HAS_LANE_PRODUCTS
// Adds the products of weights and group kLane of each vector of the image.
template <int kLane, int kRows, int kVectors>
HWY_INLINE void add_lane(Ints (&sums)[kRows][kVectors], const Ints (&image)[kRows], GroupWeights weights) {
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const Ints factors = weights.load(v);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) sums[r][v] = add_lane_products<kLane>(sums[r][v], image[r], factors);
  }
}

// Adds the products of four groups of factors; `step`: bytes from the weights of one group to those of the next.
template <int kRows, int kVectors>
HWY_INLINE void add_four_groups(Ints (&sums)[kRows][kVectors], const std::byte* const (&image)[kRows], size_t at,
                                GroupWeights weights, size_t step, Ints flip) {
  Ints factors[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    factors[r] = hn::Xor(hn::LoadU(IntLanes(), reinterpret_cast<const int32_t*>(image[r] + at)), flip);
  }
  add_lane<0>(sums, factors, weights);
  add_lane<1>(sums, factors, {weights.first + step, weights.panel_step});
  add_lane<2>(sums, factors, {weights.first + 2 * step, weights.panel_step});
  add_lane<3>(sums, factors, {weights.first + 3 * step, weights.panel_step});
}
#endif

#if HWY_TARGET == HWY_SCALAR

int32_t sum_of(const Quant8Product& p, size_t m, size_t channel) {
  const size_t groups = (p.rows.depth + kGroup - 1) / kGroup;
  const size_t step = p.rows.taps.size() * groups * kGroup;
  const auto* const image = reinterpret_cast<const int16_t*>(p.image);
  const auto* weights = reinterpret_cast<const int16_t*>(p.weights) + channel * step;
  int32_t sum = p.bias[channel];
  for (const size_t tap : p.rows.taps) {
    for (size_t k = 0; k < p.rows.depth; ++k) sum = wrapping_add(sum, image[p.rows.start(m) + tap + k] * weights[k]);
    weights += groups * kGroup;
  }
  return sum;
}

void multiply_quant8(const Quant8Product& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  for (size_t m = first; m < end; ++m) {
    for (size_t channel = first_panel; channel < end_panel; ++channel) {
      p.out[m * p.out_step + channel] = result_of(*p.results, channel, sum_of(p, m, channel));
    }
  }
}

void sum_quant8(const Quant8Product& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  for (size_t m = first; m < end; ++m) {
    for (size_t channel = first_panel; channel < end_panel; ++channel) p.sums[m * p.out_step + channel] = sum_of(p, m, channel);
  }
}

#else

// The number of pixels whose factors are located together: a multiple of all heights of tiles.
constexpr size_t kBlockPixels = 96;
constexpr int kMostRows = 16;

// Output pixels whose factors have been found.
struct Pixels {
  const std::byte* image[kBlockPixels + kMostRows];  // the last one is repeated at the end
  int32_t corrections[kBlockPixels + kMostRows];     // to subtract from all sums of a pixel
  size_t count;
};

// Adds up the products of some pixels with some vectors of channels, from `panel` on.
template <int kRows, int kVectors>
HWY_INLINE void add_up(const Quant8Product& p, size_t panel, const Pixels& pixels, size_t at_pixel,
                       Ints (&sums)[kRows][kVectors]) {
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  constexpr size_t element = kGroupBytes / kGroup;
  const std::byte* image[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) image[r] = pixels.image[at_pixel + static_cast<size_t>(r)];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) {
    const Ints bias = hn::Load(lanes, p.bias + panel * n + static_cast<size_t>(v) * n);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r][v] = hn::Sub(bias, hn::Set(lanes, pixels.corrections[at_pixel + static_cast<size_t>(r)]));
    }
  }
  const size_t depth = p.rows.depth * element;  // bytes
  const size_t groups = (depth + kGroupBytes - 1) / kGroupBytes;
  const size_t step = n * kGroupBytes;
  const size_t panel_step = p.rows.taps.size() * groups * step;
  const std::byte* weights = p.weights + panel * panel_step;
  const Ints flip = hn::Set(lanes, p.flips_image ? static_cast<int32_t>(0x80808080U) : 0);
  const size_t whole = (p.may_read_behind ? groups : depth / kGroupBytes) * kGroupBytes;
  for (const size_t tap : p.rows.taps) {
    const size_t at = tap * element;
    size_t k = 0;
#if NNVK_HAS_LANE_PRODUCTS
    for (; k + 4 * kGroupBytes <= whole; k += 4 * kGroupBytes, weights += 4 * step) {
      add_four_groups(sums, image, at + k, {weights, panel_step}, step, flip);
    }
#endif
    for (; k < whole; k += kGroupBytes, weights += step) {
      add_group(sums, image, at + k, {weights, panel_step}, WholeGroup{flip});
    }
    if (whole >= depth) continue;
    add_group(sums, image, at + whole, {weights, panel_step}, LastGroup{flip, depth - whole});
    weights += step;
  }
}

// Writes rows of results, `step` bytes apart: the first `count` channels of kVectors vectors each. write() writes kTogether rows
// at once, which fill four vectors.
template <int kVectors>
class RowWriter {
 public:
  static constexpr int kTogether = kVectors == 3 ? 1 : 4 / kVectors;

  RowWriter(const ResultBytes& results, size_t step, size_t count) : results_(results), step_(step), count_(count) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    const ByteLanes bytes;
    for (size_t i = 0; i < kTogether; ++i) {
      masks_[i] = hn::AndNot(hn::FirstN(bytes, i * width()), hn::FirstN(bytes, i * width() + count));
    }
#endif
  }
  // Writes at most `count` rows, whose sums come first in `four`; it ignores the sums behind them.
  HWY_INLINE void write(const Ints (&four)[4], uint8_t* to, size_t count) const {
    const ByteLanes bytes;
    const Bytes rows = order_.ordered(results_.in_blocks(four[0], four[1], four[2], four[3]));
    if (kVectors == 4 && count_ == width()) return hn::StoreU(rows, bytes, to);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#pragma GCC unroll 4
    for (size_t i = 0; i < kTogether; ++i) {
      if (i < count) hn::BlendedStore(rows, masks_[i], bytes, to + i * step_ - i * width());
    }
#else
    HWY_ALIGN uint8_t buffer[HWY_MAX_BYTES];
    hn::Store(rows, bytes, buffer);
    for (size_t i = 0; i < std::min<size_t>(kTogether, count); ++i) {
      if (count_ == width()) {
        std::memcpy(to + i * step_, buffer + i * width(), width());  // of known size
      } else {
        std::memcpy(to + i * step_, buffer + i * width(), count_);
      }
    }
#endif
  }

 private:
  static size_t width() { return hn::Lanes(IntLanes()) * kVectors; }

  const ResultBytes& results_;
  const size_t step_;
  const size_t count_;
  const VectorOrder order_;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  hn::Mask<ByteLanes> masks_[kTogether];
#endif
};

// One set of panels for a block of pixels.
template <int kVectors, RequantizationForm kForm>
class PanelSet {
 public:
  PanelSet(const Quant8Product& p, const Pixels& pixels, size_t first_pixel, size_t panel, const ResultBytes& results)
      : p_(p),
        pixels_(pixels),
        panel_(panel),
        out_(reinterpret_cast<uint8_t*>(p.out) + first_pixel * p.out_step + panel * hn::Lanes(IntLanes())),
        writer_(results, p.out_step, std::min(hn::Lanes(IntLanes()) * kVectors, p.outputs - panel * hn::Lanes(IntLanes()))) {}

  template <int kRows>
  void compute_all() const {
    for (size_t at = 0; at < pixels_.count;) {
      const size_t left = pixels_.count - at;
      if (left >= kRows && (kForm != RequantizationForm::kAny || kHasRoundingInstructions)) {
        compute_whole<kRows>(at);
        at += kRows;
      } else if (left == 1) {
        compute<1>(at);
        at += 1;
      } else if (left <= kRows / 2) {
        compute<kRows / 2>(at);
        at += kRows / 2;
      } else {
        compute<kRows>(at);
        at += kRows;
      }
    }
  }

 private:
  // Computes a tile that has all its rows: the sums stay in registers.
  template <int kRows>
  HWY_NOINLINE void compute_whole(size_t at) const {
    constexpr int kTogether = RowWriter<kVectors>::kTogether;
    static_assert(kRows % kTogether == 0);
    Ints sums[kRows][kVectors];
    add_up(p_, panel_, pixels_, at, sums);
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      const PanelScaling<kForm> scaling(constants(v));
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) sums[r][v] = scaling.scale(sums[r][v]);
    }
    uint8_t* to = out_ + at * p_.out_step;
    const auto sum_of = [&](int r, int i) HWY_ATTR -> Ints {
      return kVectors == 3 ? sums[r][std::min(i, kVectors - 1)] : sums[r + i / kVectors][i % kVectors];
    };
#pragma GCC unroll 16
    for (int r = 0; r < kRows; r += kTogether, to += kTogether * p_.out_step) {
      writer_.write({sum_of(r, 0), sum_of(r, 1), sum_of(r, 2), sum_of(r, 3)}, to, kTogether);
    }
  }

  // Computes a tile with any number of rows.
  template <int kRows>
  HWY_NOINLINE void compute(size_t at) const {
    const IntLanes lanes;
    const size_t n = hn::Lanes(lanes);
    constexpr int kTogether = RowWriter<kVectors>::kTogether;
    constexpr int kHeight = (kRows + kTogether - 1) / kTogether * kTogether;
    HWY_ALIGN int32_t buffer[size_t{kHeight} * kVectors * HWY_MAX_BYTES / sizeof(int32_t)];
    const auto place = [&](int r, int v) { return buffer + static_cast<size_t>(v * kHeight + r) * n; };
    {
      Ints sums[kRows][kVectors];
      add_up(p_, panel_, pixels_, at, sums);
#pragma GCC unroll 16
      for (int r = 0; r < kHeight; ++r) {
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) hn::Store(sums[std::min(r, kRows - 1)][v], lanes, place(r, v));
      }
    }
    const size_t rows = std::min<size_t>(kRows, pixels_.count - at);
    for (int v = 0; v < kVectors; ++v) scale_rows<kForm>(constants(v), rows, place(0, v));
    uint8_t* to = out_ + at * p_.out_step;
    const auto sum_of = [&](int r, int i) HWY_ATTR -> Ints {
      return hn::Load(lanes, kVectors == 3 ? place(r, std::min(i, kVectors - 1)) : place(r + i / kVectors, i % kVectors));
    };
    for (int r = 0; static_cast<size_t>(r) < rows; r += kTogether, to += kTogether * p_.out_step) {
      const size_t count = std::min<size_t>(kTogether, rows - static_cast<size_t>(r));
      writer_.write({sum_of(r, 0), sum_of(r, 1), sum_of(r, 2), sum_of(r, 3)}, to, count);
    }
  }

  const int32_t* constants(int vector) const { return p_.results->panel(panel_ + static_cast<size_t>(vector)); }

  const Quant8Product& p_;
  const Pixels& pixels_;
  const size_t panel_;
  uint8_t* const out_;
  const RowWriter<kVectors> writer_;
};

#if NNVK_HAS_BYTE_PRODUCTS
// The part of a pixel's sums that comes from the zero point of the weights: its product with the sum of the pixel's factors.
class ZeroPointProducts {
 public:
  explicit ZeroPointProducts(const Quant8Product& p) : p_(p), rest_(p.rows.depth % hn::Lanes(ByteLanes())) {
    const ByteLanes bytes;
    flip_ = hn::Set(bytes, p.flips_image ? 0x80 : 0);
    is_rest_ = hn::FirstN(bytes, rest_);
    ones_ = hn::Set(bytes, 1);
    rest_ones_ = hn::IfThenElseZero(is_rest_, ones_);
  }

  // Computes the products for four pixels.
  HWY_INLINE void compute(const std::byte* const* pixels, int32_t* products) const {
    const IntLanes lanes;
    const hn::ScalableTag<int64_t> wide;
    const auto pairs = [&](Ints a, Ints b) HWY_ATTR {
      return hn::BitCast(wide, hn::Add(hn::InterleaveLower(lanes, a, b), hn::InterleaveUpper(lanes, a, b)));
    };
    const auto low = pairs(partial_sums(pixels[0]), partial_sums(pixels[1]));
    const auto high = pairs(partial_sums(pixels[2]), partial_sums(pixels[3]));
    // Every block of 16 bytes has a part of the four sums.
    const Ints parts = hn::Add(hn::BitCast(lanes, hn::InterleaveLower(wide, low, high)),
                               hn::BitCast(lanes, hn::InterleaveUpper(wide, low, high)));
    HWY_ALIGN int32_t buffer[HWY_MAX_BYTES / sizeof(int32_t)];
    hn::Store(parts, lanes, buffer);
    const hn::FixedTag<int32_t, 4> block;
    auto sums = hn::Load(block, buffer);
    for (size_t i = 4; i < hn::Lanes(lanes); i += 4) sums = hn::Add(sums, hn::Load(block, buffer + i));
    hn::StoreU(hn::Mul(sums, hn::Set(block, p_.weight_zero_point)), block, products);
  }

 private:
  // Returns a vector of partial sums: the sum of all its lanes is the sum of the pixel's factors.
  HWY_INLINE Ints partial_sums(const std::byte* pixel) const {
    const ByteLanes bytes;
    const IntLanes lanes;
    const size_t n = hn::Lanes(bytes);
    const auto factors = [&](Bytes loaded) HWY_ATTR { return hn::BitCast(lanes, hn::Xor(loaded, flip_)); };
    Ints sums = hn::Zero(lanes);
    for (const size_t tap : p_.rows.taps) {
      const auto* const run = reinterpret_cast<const uint8_t*>(pixel) + tap;
      size_t k = 0;
      for (; k + n <= p_.rows.depth; k += n) {
        sums = add_byte_products(sums, factors(hn::LoadU(bytes, run + k)), hn::BitCast(lanes, ones_));
      }
      if (rest_ == 0) continue;
#if HWY_ARCH_X86
      const Bytes last = hn::MaskedLoad(is_rest_, bytes, run + k);
#else
      const Bytes last = load_first(bytes, run + k, rest_);
#endif
      sums = add_byte_products(sums, factors(last), hn::BitCast(lanes, rest_ones_));
    }
    return sums;
  }

  const Quant8Product& p_;
  const size_t rest_;  // factors of a run behind whole vectors
  Bytes flip_, ones_, rest_ones_;
  hn::Mask<ByteLanes> is_rest_;
};
#endif

void find_pixels(const Quant8Product& p, size_t first, size_t end, Pixels& pixels) {
  constexpr size_t element = kGroupBytes / kGroup;
  pixels.count = end - first;
  RowWalk walk(p.rows, first);
  for (size_t m = 0; m < pixels.count; ++m, walk.next()) pixels.image[m] = p.image + walk.at() * element;
  std::fill_n(pixels.image + pixels.count, kMostRows, pixels.image[pixels.count - 1]);
#if NNVK_HAS_BYTE_PRODUCTS
  if (p.weight_zero_point != 0) {
    const ZeroPointProducts products(p);
    for (size_t m = 0; m < pixels.count; m += 4) products.compute(pixels.image + m, pixels.corrections + m);
    return;
  }
#endif
  std::fill_n(pixels.corrections, pixels.count + kMostRows, 0);
}

// Rows of a tile with 1, 2 or more vectors of channels: as many sums as there are registers besides one vector per factor.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr int kTileRows[] = {8, 6};
#elif NNVK_HAS_LANE_PRODUCTS  // registers also hold vectors of the image
constexpr int kTileRows[] = {12, 8};
#else
constexpr int kTileRows[] = {16, 12, 8, 6};
#endif
constexpr int kMostVectors = std::size(kTileRows);

// Computes the first of these panels for a block of pixels: kVectors of them, or all if they are fewer. Returns their number.
template <int kVectors, RequantizationForm kForm>
size_t compute_panels(const Quant8Product& p, const Pixels& pixels, size_t first_pixel, IndexRange panels,
                      const ResultBytes& results) {
  if constexpr (kVectors > 1) {
    if (panels.end - panels.first < kVectors) {
      return compute_panels<kVectors - 1, kForm>(p, pixels, first_pixel, panels, results);
    }
  }
  PanelSet<kVectors, kForm>(p, pixels, first_pixel, panels.first, results).template compute_all<kTileRows[kVectors - 1]>();
  return kVectors;
}

template <RequantizationForm kForm>
void multiply(const Quant8Product& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  const ResultBytes results(p.results->zero_point, p.results->bounds, p.is_signed_result);
  Pixels pixels;
  for (size_t m = first; m < end; m += kBlockPixels) {
    find_pixels(p, m, std::min(end, m + kBlockPixels), pixels);
    for (size_t panel = first_panel; panel < end_panel;) {
      panel += compute_panels<kMostVectors, kForm>(p, pixels, m, {panel, end_panel}, results);
    }
  }
}

void multiply_quant8(const Quant8Product& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  switch (p.results->form) {
    case RequantizationForm::kRectified:
      return multiply<RequantizationForm::kRectified>(p, first, end, first_panel, end_panel);
    case RequantizationForm::kBounded:
      return multiply<RequantizationForm::kBounded>(p, first, end, first_panel, end_panel);
    case RequantizationForm::kAny:
      return multiply<RequantizationForm::kAny>(p, first, end, first_panel, end_panel);
  }
}

// Stores the sums of a block of pixels for kVectors panels.
template <int kRows, int kVectors>
HWY_NOINLINE void store_sums(const Quant8Product& p, const Pixels& pixels, size_t first_pixel, size_t panel) {
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  for (size_t at = 0; at < pixels.count; at += kRows) {
    Ints sums[kRows][kVectors];
    add_up(p, panel, pixels, at, sums);
    int32_t* to = p.sums + (first_pixel + at) * p.out_step + panel * n;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r, to += p.out_step) {
      if (at + static_cast<size_t>(r) >= pixels.count) break;
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], lanes, to + static_cast<size_t>(v) * n);
    }
  }
}

void sum_quant8(const Quant8Product& p, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  constexpr int kVectors = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 2 : 4;
  Pixels pixels;
  for (size_t m = first; m < end; m += kBlockPixels) {
    find_pixels(p, m, std::min(end, m + kBlockPixels), pixels);
    for (size_t panel = first_panel; panel < end_panel;) {
      const bool is_wide = end_panel - panel >= kVectors;
      if (pixels.count == 1) {
        is_wide ? store_sums<1, kVectors>(p, pixels, m, panel) : store_sums<1, 1>(p, pixels, m, panel);
      } else {
        is_wide ? store_sums<4, kVectors>(p, pixels, m, panel) : store_sums<4, 1>(p, pixels, m, panel);
      }
      panel += is_wide ? kVectors : 1;
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

Quant8Form form() {
  return {hn::Lanes(IntLanes()), kGroup, NNVK_HAS_WIDE_SHIFTS != 0, NNVK_IMAGE_BYTES_ARE_SIGNED != 0,
          NNVK_HAS_LANE_PRODUCTS != 0};
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

NNVK_EXPORT(multiply_quant8);
NNVK_EXPORT(sum_quant8);
NNVK_EXPORT(widen);
NNVK_EXPORT(form);

Quant8Form quant8_form() { return NNVK_CHOOSE(form)(); }

void quant8_product(const Quant8Product& product, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  NNVK_CHOOSE(multiply_quant8)(product, first, end, first_panel, end_panel);
}

void quant8_sums(const Quant8Product& product, size_t first, size_t end, size_t first_panel, size_t end_panel) {
  NNVK_CHOOSE(sum_quant8)(product, first, end, first_panel, end_panel);
}

void widen_quant8(const std::byte* from, bool is_signed, int32_t zero_point, int16_t* to, size_t count) {
  NNVK_CHOOSE(widen)(from, is_signed, zero_point, to, count);
}

}  // namespace nnvk::cpu
#endif
