// Vectors hold channels; the cells of a window follow each other in the reference's order. Compiled once per instruction set.
#include "cpu_fallback/optimized/rows/pooled_rows.h"

#include <algorithm>
#include <limits>

#include "core/operations/parameters/window_axis.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/rows/pooled_rows.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/bounded-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Each class below is a way to pool: start(), then add() for each cell, then finish() with the number of cells.

template <class D>
struct FloatSums {
  using Element = float;
  using Lanes = D;
  using Values = hn::Vec<D>;
  D lanes;
  Values lo, hi;
  bool is_l2;

  HWY_INLINE FloatSums(const PooledRow& row, bool l2)
      : lo(hn::Set(lanes, row.float_bounds.lo)), hi(hn::Set(lanes, row.float_bounds.hi)), is_l2(l2) {}
  HWY_INLINE Values start() const { return hn::Zero(lanes); }
  HWY_INLINE Values add(Values sum, const float* cells) const {
    const Values values = hn::LoadU(lanes, cells);
    return hn::Add(sum, is_l2 ? hn::Mul(values, values) : values);
  }
  HWY_INLINE void finish(Values sum, size_t count, float* to) const {
    const auto cells = static_cast<float>(count);
    const Values mean = is_l2 ? hn::Sqrt(hn::Mul(sum, hn::Set(lanes, 1.0F / cells))) : hn::Div(sum, hn::Set(lanes, cells));
    hn::StoreU(bounded(mean, lo, hi), lanes, to);
  }
};

template <class T, class D>
struct ByteSums {
  using Element = T;
  using Lanes = D;
  using Values = hn::Vec<D>;
  D lanes;
  hn::Rebind<T, D> bytes;
  hn::Rebind<float, D> floats;
  Values lo, hi;

  HWY_INLINE explicit ByteSums(const PooledRow& row) : lo(hn::Set(lanes, row.bounds.lo)), hi(hn::Set(lanes, row.bounds.hi)) {}
  HWY_INLINE Values start() const { return hn::Zero(lanes); }
  HWY_INLINE Values add(Values sum, const T* cells) const { return hn::Add(sum, hn::PromoteTo(lanes, hn::LoadU(bytes, cells))); }
  // Divides |sum| + count / 2 by the count. The quotient is at most 255, so its float estimate is off by less than 1; the
  // remainder gives the direction.
  HWY_INLINE void finish(Values sum, size_t count, T* to) const {
    const Values cells = hn::Set(lanes, static_cast<int32_t>(count));
    const Values numerator = hn::Add(hn::Abs(sum), hn::ShiftRight<1>(cells));
    const auto estimate = hn::Mul(hn::ConvertTo(floats, numerator), hn::Set(floats, 1.0F / static_cast<float>(count)));
    Values quotient = hn::ConvertTo(lanes, estimate);
    const Values remainder = hn::Sub(numerator, hn::Mul(quotient, cells));
    quotient = hn::Add(quotient, hn::VecFromMask(lanes, hn::Lt(remainder, hn::Zero(lanes))));
    quotient = hn::Sub(quotient, hn::VecFromMask(lanes, hn::Gt(remainder, hn::Sub(cells, hn::Set(lanes, 1)))));
    const Values result = hn::IfThenElse(hn::Lt(sum, hn::Zero(lanes)), hn::Neg(quotient), quotient);
    hn::StoreU(hn::DemoteTo(bytes, hn::Min(hn::Max(result, lo), hi)), bytes, to);
  }
};

template <class T, class D>
struct Largest {
  using Element = T;
  using Lanes = D;
  using Values = hn::Vec<D>;
  D lanes;
  Values lo, hi;

  HWY_INLINE Largest(T smallest, T largest) : lo(hn::Set(lanes, smallest)), hi(hn::Set(lanes, largest)) {}
  HWY_INLINE Values start() const { return hn::Set(lanes, std::numeric_limits<T>::lowest()); }
  HWY_INLINE Values add(Values largest, const T* cells) const { return hn::Max(hn::LoadU(lanes, cells), largest); }
  HWY_INLINE void finish(Values largest, size_t /*count*/, T* to) const {
    hn::StoreU(hn::Min(hn::Max(largest, lo), hi), lanes, to);
  }
};

// Pools kVectors vectors of channels from channel c on, for a window with these columns.
template <size_t kVectors, class Pool>
HWY_INLINE void pool_channels(const Pool& pool, const PooledRow& row, IndexRange columns, size_t c,
                              typename Pool::Element* HWY_RESTRICT out) {
  using T = typename Pool::Element;
  const size_t n = hn::Lanes(pool.lanes);
  typename Pool::Values values[kVectors];
  for (size_t v = 0; v < kVectors; ++v) values[v] = pool.start();
  for (size_t y = row.first_row; y < row.end_row; ++y) {
    const T* cell = reinterpret_cast<const T*>(row.image) + (y * row.in_width + columns.first) * row.channels + c;
    for (size_t x = columns.first; x < columns.end; ++x, cell += row.channels) {
      for (size_t v = 0; v < kVectors; ++v) values[v] = pool.add(values[v], cell + v * n);
    }
  }
  const size_t count = (row.end_row - row.first_row) * (columns.end - columns.first);
  for (size_t v = 0; v < kVectors; ++v) pool.finish(values[v], count, out + c + v * n);
}

// Pools one output row. The last vector ends with the last channel, and so overlaps the vector before.
template <class Pool>
void pool_pixels(const Pool& pool, const PooledRow& row) {
  constexpr size_t kAtOnce = 4;
  const size_t n = hn::Lanes(pool.lanes);
  for (size_t x = 0; x < row.out_width; ++x) {
    const ptrdiff_t left = row.left + static_cast<ptrdiff_t>(x * row.stride);
    const IndexRange columns{static_cast<size_t>(std::max<ptrdiff_t>(left, 0)),
                             std::min(static_cast<size_t>(left + static_cast<ptrdiff_t>(row.window_width)), row.in_width)};
    auto* const out = reinterpret_cast<typename Pool::Element*>(row.out) + x * row.channels;
    size_t c = row.first_channel;
    for (; c + kAtOnce * n <= row.end_channel; c += kAtOnce * n) pool_channels<kAtOnce>(pool, row, columns, c, out);
    for (; c < row.end_channel; c += n) pool_channels<1>(pool, row, columns, std::min(c, row.end_channel - n), out);
  }
}

// Calls fn(tag) with the longest vector of kMost elements or fewer that the channels fill.
template <class T, size_t kMost, class Function>
HWY_INLINE void with_lanes(const PooledRow& row, const Function& fn) {
  const hn::CappedTag<T, kMost> lanes;
  if constexpr (kMost > 1) {
    if (row.end_channel - row.first_channel < hn::Lanes(lanes)) return with_lanes<T, kMost / 2>(row, fn);
  }
  fn(lanes);
}

template <class T>
void pool_bytes(PoolKind kind, const PooledRow& row) {
  if (kind == PoolKind::kMax) {
    return with_lanes<T, 64>(row, [&](auto lanes) HWY_ATTR {
      pool_pixels(Largest<T, decltype(lanes)>(static_cast<T>(row.bounds.lo), static_cast<T>(row.bounds.hi)), row);
    });
  }
  with_lanes<int32_t, 16>(row, [&](auto lanes) HWY_ATTR { pool_pixels(ByteSums<T, decltype(lanes)>(row), row); });
}

void pool_floats(PoolKind kind, const PooledRow& row) {
  with_lanes<float, 16>(row, [&](auto lanes) HWY_ATTR {
    using D = decltype(lanes);
    if (kind == PoolKind::kMax) return pool_pixels(Largest<float, D>(row.float_bounds.lo, row.float_bounds.hi), row);
    pool_pixels(FloatSums<D>(row, kind == PoolKind::kL2), row);
  });
}

void pool(PoolKind kind, OperandType type, const PooledRow& row) {
  if (type == OperandType::kTensorFloat32) return pool_floats(kind, row);
  if (type == OperandType::kTensorQuant8Asymm) return pool_bytes<uint8_t>(kind, row);
  pool_bytes<int8_t>(kind, row);
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(pool);

void pool_row(PoolKind kind, OperandType type, const PooledRow& row) { HWY_DYNAMIC_DISPATCH(pool)(kind, type, row); }

}  // namespace nnvk::cpu
#endif
