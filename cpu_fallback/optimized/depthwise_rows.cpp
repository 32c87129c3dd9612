// Rows of depthwise convolutions. Compiled once per instruction set.
#include "cpu_fallback/optimized/depthwise_rows.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/depthwise_rows.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/dot_products-inl.h"
#include "cpu_fallback/optimized/requantize-inl.h"
#include "cpu_fallback/optimized/vector_tails-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

size_t row_start(const DepthwiseRows& rows, size_t m) {
  return m / rows.height * rows.batch_step + m % rows.height * rows.y_step;
}

#if HWY_TARGET == HWY_SCALAR

size_t block_size() { return 2; }
size_t channel_of(size_t i) { return i; }

void depthwise_quant8(const Quant8Depthwise& p, size_t first, size_t end) {
  for (size_t m = first; m < end; ++m) {
    for (size_t x = 0; x < p.rows.width; ++x) {
      for (size_t c = 0; c < p.rows.channels; ++c) {
        Ints sum(p.bias[c]);
        const size_t pairs = (p.rows.taps.size() + 1) / 2;
        for (size_t t = 0; t < p.rows.taps.size(); ++t) {
          const int32_t weight = p.weights[((c / 2 * pairs + t / 2) * 2 + c % 2) * 2 + t % 2];
          const int32_t value = p.image[row_start(p.rows, m) + x * p.rows.x_step + p.rows.taps[t] + c];
          sum = hn::Add(sum, Ints(value * weight));
        }
        store_bytes(Scaling(*p.results, c).apply(sum), p.out + (m * p.rows.width + x) * p.rows.channels + c, 1);
      }
    }
  }
}

#else

using ShortLanes = hn::Repartition<int16_t, IntLanes>;
using Shorts = hn::Vec<ShortLanes>;

size_t block_size() { return hn::Lanes(ShortLanes()); }

// Two vectors of 16-bit numbers are interleaved in parts of 16 bytes: first the lower halves of all parts, then the upper ones.
size_t channel_of(size_t i) {
  const size_t half = block_size() / 2;
  return i % half / 4 * 8 + i % 4 + (i >= half ? 4 : 0);
}

// One block of channels of one row; `count` of them are there.
template <bool kIsPartial>
void quant8_row(const Quant8Depthwise& p, size_t m, size_t block, size_t count) {
  const ShortLanes shorts;
  const IntLanes lanes;
  const size_t n = hn::Lanes(shorts);
  const DepthwiseRows& rows = p.rows;
  const size_t taps = rows.taps.size();
  const size_t pairs = (taps + 1) / 2;
  const int16_t* image = p.image + row_start(rows, m) + block * n;
  const int16_t* const weights = p.weights + block * pairs * n * 2;
  const Ints bias_low = hn::Load(lanes, p.bias + block * n);
  const Ints bias_high = hn::Load(lanes, p.bias + block * n + n / 2);
  const Scaling low_scaling(*p.results, block * n);
  const Scaling high_scaling(*p.results, block * n + n / 2);
  const auto load = [&](const int16_t* from) HWY_ATTR {
    if constexpr (kIsPartial) return load_first(shorts, from, count);
    return hn::LoadU(shorts, from);
  };
  std::byte* out = p.out + m * rows.width * rows.channels + block * n;
  for (size_t x = 0; x < rows.width; ++x, image += rows.x_step, out += rows.channels) {
    Ints low = bias_low;
    Ints high = bias_high;
    for (size_t pair = 0; pair < pairs; ++pair) {
      const Shorts a = load(image + rows.taps[2 * pair]);
      const Shorts b = 2 * pair + 1 < taps ? load(image + rows.taps[2 * pair + 1]) : hn::Zero(shorts);
      const int16_t* const w = weights + pair * n * 2;
      low =
          add_pair_products(low, hn::BitCast(lanes, hn::InterleaveLower(shorts, a, b)), hn::BitCast(lanes, hn::Load(shorts, w)));
      high = add_pair_products(high, hn::BitCast(lanes, hn::InterleaveUpper(shorts, a, b)),
                               hn::BitCast(lanes, hn::Load(shorts, w + n)));
    }
    const Shorts results = hn::ReorderDemote2To(shorts, low_scaling.apply(low), high_scaling.apply(high));
    HWY_ALIGN uint8_t bytes[HWY_MAX_BYTES];
    uint8_t* const to = kIsPartial ? bytes : reinterpret_cast<uint8_t*>(out);
    if (p.is_signed) {
      const hn::Rebind<int8_t, ShortLanes> narrow;
      hn::StoreU(hn::DemoteTo(narrow, results), narrow, reinterpret_cast<int8_t*>(to));
    } else {
      const hn::Rebind<uint8_t, ShortLanes> narrow;
      hn::StoreU(hn::DemoteTo(narrow, results), narrow, to);
    }
    if constexpr (kIsPartial) std::memcpy(out, bytes, count);
  }
}

void depthwise_quant8(const Quant8Depthwise& p, size_t first, size_t end) {
  const size_t n = block_size();
  for (size_t m = first; m < end; ++m) {
    size_t c = 0;
    for (; c + n <= p.rows.channels; c += n) quant8_row<false>(p, m, c / n, n);
    if (c < p.rows.channels) quant8_row<true>(p, m, c / n, p.rows.channels - c);
  }
}

#endif

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(depthwise_quant8);
HWY_EXPORT(block_size);
HWY_EXPORT(channel_of);

size_t depthwise_block() { return HWY_DYNAMIC_DISPATCH(block_size)(); }
size_t depthwise_channel(size_t i) { return HWY_DYNAMIC_DISPATCH(channel_of)(i); }

void quant8_depthwise(const Quant8Depthwise& depthwise, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(depthwise_quant8)(depthwise, first, end);
}

}  // namespace nnvk::cpu
#endif
