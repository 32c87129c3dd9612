// Computes blocks of channels for up to 16 pixels of a row. Compiled once per instruction set.
#include "cpu_fallback/optimized/products/quant8_depthwise.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/products/quant8_depthwise.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/dot_products-inl.h"
#include "cpu_fallback/optimized/vectors/requantize-inl.h"
#include "cpu_fallback/optimized/vectors/vector_tails-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

constexpr size_t kTapGroup = NNVK_HAS_BYTE_PRODUCTS ? 4 : 2;
constexpr size_t kChunkPixels = 32;
constexpr size_t kChunkVectors = 16;  // of sums of one kind
constexpr size_t kBatchTaps = 32;     // a multiple of kTapGroup

// Up to kChunkPixels pixels of an output row.
struct Chunk {
  size_t row;
  size_t first;
  size_t count;
};

// Addresses of some taps for each pixel of a chunk.
struct TapTable {
  const uint8_t* places[kBatchTaps][kChunkPixels];
  size_t first_tap;
  size_t groups;  // of taps, the last one filled up
};

// Fills the table with the addresses of the taps from `first_tap` on, as many as it holds.
void find_taps(const Quant8Depthwise& p, const Chunk& chunk, size_t first_tap, TapTable& table) {
  const WindowParameters& w = p.window;
  const size_t taps = size_t{w.filter_height} * w.filter_width;
  const size_t count = std::min(taps - first_tap, kBatchTaps);
  const auto* const image = reinterpret_cast<const uint8_t*>(p.image);
  const auto* const padding = reinterpret_cast<const uint8_t*>(p.padding);
  const size_t batch = chunk.row / w.out_height;
  const auto top = static_cast<int64_t>(chunk.row % w.out_height) * w.stride_height - w.pad_top;
  const int64_t left = static_cast<int64_t>(chunk.first) * w.stride_width - w.pad_left;
  table.first_tap = first_tap;
  table.groups = (count + kTapGroup - 1) / kTapGroup;
  size_t i = first_tap / w.filter_width;
  size_t j = first_tap % w.filter_width;
  for (size_t t = 0; t < table.groups * kTapGroup; ++t) {
    const uint8_t** const places = table.places[t];
    const int64_t y = top + static_cast<int64_t>(i) * w.dilation_height;
    size_t x = 0;
    if (t < count && y >= 0 && y < w.in_height) {
      const size_t row = (batch * w.in_height + static_cast<size_t>(y)) * w.in_width;
      int64_t column = left + static_cast<int64_t>(j) * w.dilation_width;
      for (; x < chunk.count; ++x, column += w.stride_width) {
        const bool is_inside = column >= 0 && column < w.in_width;
        places[x] = is_inside ? image + (row + static_cast<size_t>(column)) * w.in_channels : padding;
      }
    }
    std::fill(places + x, places + kChunkPixels, padding);
    if (++j == w.filter_width) {
      j = 0;
      ++i;
    }
  }
}

// The addresses of the image columns under a chunk's windows of three rows: those of pixel x begin at entry x * stride_width.
struct ColumnTable {
  const uint8_t* places[3][2 * kChunkPixels + 1];
};

void find_columns(const Quant8Depthwise& p, const Chunk& chunk, ColumnTable& table) {
  const WindowParameters& w = p.window;
  const auto* const padding = reinterpret_cast<const uint8_t*>(p.padding);
  const size_t batch = chunk.row / w.out_height;
  const auto top = static_cast<int64_t>(chunk.row % w.out_height) * w.stride_height - w.pad_top;
  const int64_t left = static_cast<int64_t>(chunk.first) * w.stride_width - w.pad_left;
  const size_t columns = (chunk.count - 1) * static_cast<size_t>(w.stride_width) + 3;
  for (size_t i = 0; i < 3; ++i) {
    const uint8_t** const places = table.places[i];
    const int64_t y = top + static_cast<int64_t>(i) * w.dilation_height;
    size_t begin = columns;  // of the columns in the image
    size_t end = columns;
    if (y >= 0 && y < w.in_height) {
      begin = std::min(columns, static_cast<size_t>(std::max<int64_t>(-left, 0)));
      end =
          static_cast<size_t>(std::clamp<int64_t>(w.in_width - left, static_cast<int64_t>(begin), static_cast<int64_t>(columns)));
      const size_t row = (batch * w.in_height + static_cast<size_t>(y)) * w.in_width;
      const auto column = static_cast<size_t>(left + static_cast<int64_t>(begin));
      const auto* image = reinterpret_cast<const uint8_t*>(p.image) + (row + column) * w.in_channels;
      for (size_t x = begin; x < end; ++x, image += w.in_channels) places[x] = image;
    }
    std::fill(places, places + begin, padding);
    std::fill(places + end, places + 2 * kChunkPixels + 1, padding);
  }
}

#if HWY_TARGET == HWY_SCALAR

Quant8DepthwiseForm depthwise_form() { return {1, 1, kTapGroup, false, false, false}; }

void depthwise_rows(const Quant8Depthwise& p, size_t first, size_t end) {
  const WindowParameters& w = p.window;
  const size_t taps = size_t{w.filter_height} * w.filter_width;
  const size_t stored = p.stored_groups(kTapGroup) * kTapGroup;
  const uint8_t flip = p.is_signed ? 0x80 : 0;
  TapTable table;
  for (size_t m = first; m < end; ++m) {
    for (size_t x = 0; x < w.out_width; ++x) {
      for (size_t c = 0; c < w.out_channels; ++c) {
        int32_t sum = p.bias[c];
        const auto* const weights = reinterpret_cast<const int16_t*>(p.weights) + c * stored;
        for (size_t tap = 0; tap < taps; tap += kBatchTaps) {
          find_taps(p, {m, x, 1}, tap, table);
          for (size_t t = 0; t < table.groups * kTapGroup; ++t) {
            sum = wrapping_add(sum, (table.places[t][0][c] ^ flip) * weights[(tap + t) % stored]);
          }
        }
        p.out[(m * w.out_width + x) * w.out_channels + c] = result_of(*p.results, c, sum);
      }
    }
  }
}

#else

constexpr bool kCanShareVectors = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;

Quant8DepthwiseForm depthwise_form() {
  return {hn::Lanes(IntLanes()), 4, kTapGroup, NNVK_HAS_BYTE_PRODUCTS != 0, kCanShareVectors, NNVK_HAS_WIDE_SHIFTS != 0};
}

// Loads and stores the channels of a block; a vector holds kPixels pixels. kIsWhole: their channels fill it.
template <int kPixels, bool kIsWhole>
class ChannelBlock {
 public:
  explicit ChannelBlock(const DepthwiseBlock& block) : first_(block.first), count_(block.count) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    const ByteLanes bytes;
    for (size_t i = 0; i < kPixels; ++i) {
      masks_[i] = hn::AndNot(hn::FirstN(bytes, i * width()), hn::FirstN(bytes, i * width() + count_));
    }
#endif
  }

  // Loads kPixels pixels, whose addresses are `step` entries of the table apart, into one vector.
  HWY_INLINE Bytes load(const uint8_t* const* places, size_t step) const {
    const ByteLanes bytes;
    const auto at = [&](size_t i) { return places[i * step] + first_; };
    if constexpr (kIsWhole && kPixels == 1) return hn::LoadU(bytes, at(0));
    const hn::Half<ByteLanes> half;
    if constexpr (kIsWhole && kPixels == 2) return hn::Combine(bytes, hn::LoadU(half, at(1)), hn::LoadU(half, at(0)));
    if constexpr (kIsWhole && kPixels == 4) {
      const hn::Half<decltype(half)> quarter;
      return hn::Combine(bytes, hn::Combine(half, hn::LoadU(quarter, at(3)), hn::LoadU(quarter, at(2))),
                         hn::Combine(half, hn::LoadU(quarter, at(1)), hn::LoadU(quarter, at(0))));
    }
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    Bytes all = hn::MaskedLoad(masks_[0], bytes, at(0));
#pragma GCC unroll 4
    for (size_t i = 1; i < kPixels; ++i) {
      all = hn::Or(all, hn::MaskedLoad(masks_[i], bytes, at(i) - i * width()));
    }
    return all;
#else
    return load_first(bytes, at(0), count_);
#endif
  }
  // Stores pixel i at `to` + i * step, for each i below `count`.
  HWY_INLINE void store(Bytes results, uint8_t* to, [[maybe_unused]] size_t step, [[maybe_unused]] size_t count) const {
    const ByteLanes bytes;
    to += first_;
    if constexpr (kIsWhole && kPixels == 1) return hn::StoreU(results, bytes, to);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#pragma GCC unroll 4
    for (size_t i = 0; i < kPixels; ++i) {
      if (i < count) hn::BlendedStore(results, masks_[i], bytes, to + i * step - i * width());
    }
#else
    store_first(results, bytes, to, count_);
#endif
  }

 private:
  static size_t width() { return hn::Lanes(ByteLanes()) / kPixels; }

  size_t first_;
  size_t count_;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  hn::Mask<ByteLanes> masks_[kPixels];  // the places of each pixel
#endif
};

// A group of taps for all channels of a block, interleaved: vector v holds the channels 4v to 4v + 3 of every 16.
struct TapGroup {
  Ints factors[4];

#if NNVK_HAS_BYTE_PRODUCTS
  TapGroup() = default;
  HWY_INLINE explicit TapGroup(const Bytes (&taps)[4]) {
    const ShortLanes shorts;
    const ByteLanes bytes;
    const auto pairs = [&](Bytes v) HWY_ATTR { return hn::BitCast(shorts, v); };
    const Shorts ab_low = pairs(hn::InterleaveLower(bytes, taps[0], taps[1]));
    const Shorts ab_high = pairs(hn::InterleaveUpper(bytes, taps[0], taps[1]));
    const Shorts cd_low = pairs(hn::InterleaveLower(bytes, taps[2], taps[3]));
    const Shorts cd_high = pairs(hn::InterleaveUpper(bytes, taps[2], taps[3]));
    const IntLanes lanes;
    factors[0] = hn::BitCast(lanes, hn::InterleaveLower(shorts, ab_low, cd_low));
    factors[1] = hn::BitCast(lanes, hn::InterleaveUpper(shorts, ab_low, cd_low));
    factors[2] = hn::BitCast(lanes, hn::InterleaveLower(shorts, ab_high, cd_high));
    factors[3] = hn::BitCast(lanes, hn::InterleaveUpper(shorts, ab_high, cd_high));
  }
#else
  HWY_INLINE explicit TapGroup(const Bytes (&taps)[2]) {
    const ByteLanes bytes;
    const IntLanes lanes;
    const Bytes zero = hn::Zero(bytes);
    const Bytes low = hn::InterleaveLower(bytes, taps[0], taps[1]);
    const Bytes high = hn::InterleaveUpper(bytes, taps[0], taps[1]);
    factors[0] = hn::BitCast(lanes, hn::InterleaveLower(bytes, low, zero));
    factors[1] = hn::BitCast(lanes, hn::InterleaveUpper(bytes, low, zero));
    factors[2] = hn::BitCast(lanes, hn::InterleaveLower(bytes, high, zero));
    factors[3] = hn::BitCast(lanes, hn::InterleaveUpper(bytes, high, zero));
  }
#endif
  HWY_INLINE void add_to(Ints (&sums)[4], const int32_t* weights) const {
    const IntLanes lanes;
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; ++v) {
      const Ints w = hn::Load(lanes, weights + v * hn::Lanes(lanes));
#if NNVK_HAS_BYTE_PRODUCTS
      sums[v] = add_byte_products(sums[v], factors[v], w);
#else
      sums[v] = add_pair_products(sums[v], factors[v], w);
#endif
    }
  }
};

// The sums of a chunk: [4][kChunkVectors] vectors.
struct ChunkSums {
  HWY_ALIGN int32_t values[4 * kChunkVectors * HWY_MAX_BYTES / sizeof(int32_t)];
  int32_t* at(size_t vector, size_t i) { return values + (vector * kChunkVectors + i) * hn::Lanes(IntLanes()); }
};

// The weights and the bias of one block.
struct BlockWeights {
  const int32_t* bias;
  const int32_t* weights;
  size_t group_step;
  size_t parts;
  size_t part_step;

  BlockWeights(const Quant8Depthwise& p, size_t block) {
    const size_t step = 4 * hn::Lanes(IntLanes());
    const size_t all = p.stored_groups(kTapGroup) * step;
    bias = p.bias + block * step;
    weights = reinterpret_cast<const int32_t*>(p.weights) + block * all;
    group_step = p.has_equal_taps ? 0 : step;
    parts = p.blocks[block].parts;
    part_step = p.blocks.size() * all;
  }
};

// The window addresses of a chunk's pixels; Quant8Depthwise::by_columns determines which member is used.
union Windows {
  TapTable taps;
  ColumnTable columns;
};

// One block of one chunk.
struct BlockTask {
  const Quant8Depthwise& p;
  const BlockWeights weights;
  size_t vectors;  // of each of the four kinds
  Windows& windows;
  ChunkSums& sums;
};

// Adds the products of the table's taps to task.vectors vectors of sums of each of the four kinds (TapGroup).
template <class Channels>
void add_up_taps(const Channels& block_channels, const BlockTask& task) {
  const BlockWeights& block = task.weights;
  const TapTable& table = task.windows.taps;
  const size_t vectors = task.vectors;
  ChunkSums& sums = task.sums;
  const Channels channels = block_channels;
  const IntLanes lanes;
  const Bytes flip = hn::Set(ByteLanes(), task.p.is_signed ? 0x80 : 0);
  const size_t first_group = table.first_tap / kTapGroup;
  for (size_t x = 0; x < vectors; ++x) {
    Ints total[4];
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; ++v) {
      total[v] = hn::Load(lanes, first_group == 0 ? block.bias + v * hn::Lanes(lanes) : sums.at(v, x));
    }
    for (size_t g = 0; g < table.groups; ++g) {
      Bytes taps[kTapGroup];
#pragma GCC unroll 4
      for (size_t t = 0; t < kTapGroup; ++t) {
        taps[t] = hn::Xor(channels.load(table.places[g * kTapGroup + t] + x, vectors), flip);
      }
      const TapGroup group(taps);
      const int32_t* const weights = block.weights + (first_group + g) * block.group_step;
      group.add_to(total, weights);
      for (size_t part = 1; part < block.parts; ++part) group.add_to(total, weights + part * block.part_step);
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; ++v) hn::Store(total[v], lanes, sums.at(v, x));
  }
}

#if NNVK_HAS_BYTE_PRODUCTS
// Adds up windows of 3 x 3 taps, with one group per column; neighbouring windows share columns.
template <class Channels, size_t kStride, bool kHasParts>
void add_up_columns(const Channels& block_channels, const BlockTask& task) {
  const BlockWeights& block = task.weights;
  const ColumnTable& table = task.windows.columns;
  const size_t vectors = task.vectors;
  ChunkSums& sums = task.sums;
  const Channels channels = block_channels;
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const Bytes flip = hn::Set(ByteLanes(), task.p.is_signed ? 0x80 : 0);
  const auto column = [&](size_t x) HWY_ATTR {
    Bytes taps[4];
#pragma GCC unroll 4
    for (size_t i = 0; i < 3; ++i) taps[i] = hn::Xor(channels.load(table.places[i] + x, vectors * kStride), flip);
    taps[3] = taps[2];  // its weights are 0
    return TapGroup(taps);
  };
  TapGroup columns[3];
#pragma GCC unroll 4
  for (size_t j = kStride; j < 3; ++j) columns[j] = column(j - kStride);
  for (size_t x = 0; x < vectors; ++x) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 3; ++j) columns[j] = j + kStride < 3 ? columns[(j + kStride) % 3] : column(x * kStride + j);
    Ints total[4];
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; ++v) total[v] = hn::Load(lanes, block.bias + v * n);
#pragma GCC unroll 4
    for (size_t j = 0; j < 3; ++j) {
      const int32_t* const weights = block.weights + j * 4 * n;
      columns[j].add_to(total, weights);
      for (size_t part = 1; kHasParts && part < block.parts; ++part) columns[j].add_to(total, weights + part * block.part_step);
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; ++v) hn::Store(total[v], lanes, sums.at(v, x));
  }
}
#endif

// The parameters that are the same for all rows.
struct RowCall {
  const Quant8Depthwise& p;
  ScaleRows scale;
  ResultBytes results;
};

template <class Channels>
void add_up_block(const Channels& channels, const Chunk& chunk, const BlockTask& task) {
  const Quant8Depthwise& p = task.p;
#if NNVK_HAS_BYTE_PRODUCTS
  if (p.by_columns) {
    const bool is_dense = p.window.stride_width == 1;
    const auto add_up = task.weights.parts == 1
                            ? is_dense ? add_up_columns<Channels, 1, false> : add_up_columns<Channels, 2, false>
                        : is_dense ? add_up_columns<Channels, 1, true>
                                   : add_up_columns<Channels, 2, true>;
    return add_up(channels, task);
  }
#endif
  const size_t taps = size_t{p.window.filter_height} * p.window.filter_width;
  for (size_t tap = 0; tap < taps; tap += kBatchTaps) {
    if (taps > kBatchTaps) find_taps(p, chunk, tap, task.windows.taps);
    add_up_taps(channels, task);
  }
}

template <int kPixels, bool kIsWhole>
void compute_block(const RowCall& call, const Chunk& chunk, size_t block, Windows& windows, ChunkSums& sums) {
  const Quant8Depthwise& p = call.p;
  const IntLanes lanes;
  const ChannelBlock<kPixels, kIsWhole> channels(p.blocks[block]);
  const size_t vectors = (chunk.count + kPixels - 1) / kPixels;
  add_up_block(channels, chunk, {p, BlockWeights(p, block), vectors, windows, sums});
  for (size_t v = 0; v < 4; ++v) call.scale(p.results->panel(block * 4 + v), vectors, sums.at(v, 0));
  const size_t step = p.window.out_channels;
  auto* const out = reinterpret_cast<uint8_t*>(p.out) + (chunk.row * p.window.out_width + chunk.first) * step;
  for (size_t x = 0; x < vectors; ++x) {
    const Bytes bytes = call.results.in_blocks(hn::Load(lanes, sums.at(0, x)), hn::Load(lanes, sums.at(1, x)),
                                               hn::Load(lanes, sums.at(2, x)), hn::Load(lanes, sums.at(3, x)));
    channels.store(bytes, out + x * step, vectors * step, (chunk.count - x + vectors - 1) / vectors);
  }
}

void compute_chunk(const RowCall& call, const Chunk& chunk) {
  Windows windows;
  ChunkSums sums;
  if (call.p.by_columns) {
    find_columns(call.p, chunk, windows.columns);
  } else {
    find_taps(call.p, chunk, 0, windows.taps);
  }
  for (size_t block = 0; block < call.p.blocks.size(); ++block) {
    const DepthwiseBlock& b = call.p.blocks[block];
    const bool is_whole = b.count * b.pixels == hn::Lanes(ByteLanes());
    constexpr int kTwo = kCanShareVectors ? 2 : 1;
    constexpr int kFour = kCanShareVectors ? 4 : 1;
    const auto compute = b.pixels == 1   ? is_whole ? compute_block<1, true> : compute_block<1, false>
                           : b.pixels == 2 ? is_whole ? compute_block<kTwo, true> : compute_block<kTwo, false>
                           : is_whole ? compute_block<kFour, true>
                                         : compute_block<kFour, false>;
    compute(call, chunk, block, windows, sums);
  }
}

void depthwise_rows(const Quant8Depthwise& p, size_t first, size_t end) {
  const RowCall call{p, rows_scaler(p.results->form), ResultBytes(p.results->zero_point, p.results->bounds, p.is_signed)};
  const size_t width = p.window.out_width;
  size_t fewest = kChunkPixels / kChunkVectors;  // pixels that share a vector
  for (const DepthwiseBlock& block : p.blocks) fewest = std::min(fewest, block.pixels);
  const size_t most = fewest * kChunkVectors;
  const size_t chunks = (width + most - 1) / most;
  for (size_t m = first; m < end; ++m) {
    for (size_t i = 0; i < chunks; ++i) {
      const size_t begin = width * i / chunks;
      compute_chunk(call, {m, begin, width * (i + 1) / chunks - begin});
    }
  }
}

#endif

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(depthwise_rows);
HWY_EXPORT(depthwise_form);

Quant8DepthwiseForm quant8_depthwise_form() { return HWY_DYNAMIC_DISPATCH(depthwise_form)(); }

void quant8_depthwise(const Quant8Depthwise& depthwise, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(depthwise_rows)(depthwise, first, end);
}

}  // namespace nnvk::cpu
#endif
