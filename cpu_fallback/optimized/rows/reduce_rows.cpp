#include "cpu_fallback/optimized/rows/reduce_rows.h"

#include <algorithm>
#include <cfloat>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/rows/reduce_rows.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace {

struct AddUp {
  template <class D, class V>
  static HWY_INLINE V fold(D, V value, V x) {
    return hn::Add(value, x);
  }
  static constexpr Fold kFold = Fold::kSum;
  template <class D, class V>
  static HWY_INLINE V all(D lanes, V values) {
    return hn::SumOfLanes(lanes, values);
  }
};
struct Largest {
  template <class D, class V>
  static HWY_INLINE V fold(D, V value, V x) {
    return hn::IfThenElse(hn::Gt(x, value), x, value);
  }
  static constexpr Fold kFold = Fold::kLargest;
  template <class D, class V>
  static HWY_INLINE V all(D lanes, V values) {
    return hn::MaxOfLanes(lanes, values);
  }
};
struct Smallest {
  template <class D, class V>
  static HWY_INLINE V fold(D, V value, V x) {
    return hn::IfThenElse(hn::Lt(x, value), x, value);
  }
  static constexpr Fold kFold = Fold::kSmallest;
  template <class D, class V>
  static HWY_INLINE V all(D lanes, V values) {
    return hn::MinOfLanes(lanes, values);
  }
};
struct Multiply {
  template <class D, class V>
  static HWY_INLINE V fold(D lanes, V value, V x) {
    const V zero = hn::Zero(lanes);
    const auto is_zero = hn::Or(hn::Eq(value, zero), hn::Eq(x, zero));
    return hn::IfThenElse(is_zero, zero, hn::Mul(value, x));
  }
};

template <class How>
HWY_INLINE void float_columns_by(const FoldedColumns<float>& p, float* out) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  size_t c = 0;
  for (; c + 4 * n <= p.columns; c += 4 * n) {
    Floats a = hn::LoadU(lanes, out + c);
    Floats b = hn::LoadU(lanes, out + c + n);
    Floats x = hn::LoadU(lanes, out + c + 2 * n);
    Floats y = hn::LoadU(lanes, out + c + 3 * n);
    for (size_t r = 0; r < p.rows; ++r) {
      const float* at = p.in + r * p.step + c;
      a = How::fold(lanes, a, hn::LoadU(lanes, at));
      b = How::fold(lanes, b, hn::LoadU(lanes, at + n));
      x = How::fold(lanes, x, hn::LoadU(lanes, at + 2 * n));
      y = How::fold(lanes, y, hn::LoadU(lanes, at + 3 * n));
    }
    hn::StoreU(a, lanes, out + c);
    hn::StoreU(b, lanes, out + c + n);
    hn::StoreU(x, lanes, out + c + 2 * n);
    hn::StoreU(y, lanes, out + c + 3 * n);
  }
  for (; c < p.columns; c += n) {
    const size_t some = std::min(n, p.columns - c);
    Floats value = load_some(lanes, out + c, some);
    for (size_t r = 0; r < p.rows; ++r) value = How::fold(lanes, value, load_some(lanes, p.in + r * p.step + c, some));
    store_some(value, lanes, out + c, some);
  }
}

template <class How>
HWY_INLINE float float_row_by(const float* in, size_t count, float before) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const Floats start = hn::Set(lanes, float_start(How::kFold));
  Floats value[4] = {start, start, start, start};
  size_t i = 0;
  for (; i + 4 * n <= count; i += 4 * n) {
    for (size_t k = 0; k < 4; ++k) value[k] = How::fold(lanes, value[k], hn::LoadU(lanes, in + i + k * n));
  }
  for (; i + n <= count; i += n) value[0] = How::fold(lanes, value[0], hn::LoadU(lanes, in + i));
  if (i < count) {
    const Floats rest = load_first(lanes, in + i, count - i);
    value[1] = How::fold(lanes, value[1], hn::IfThenElse(hn::FirstN(lanes, count - i), rest, start));
  }
  value[0] = How::fold(lanes, How::fold(lanes, value[0], value[1]), How::fold(lanes, value[2], value[3]));
  const Floats all = hn::Set(lanes, hn::GetLane(How::all(lanes, value[0])));
  return hn::GetLane(How::fold(lanes, hn::Set(lanes, before), all));
}

// Multiplies in the reference's order: in another order, a product may overflow although the reference's does not.
float product_of_row(const float* in, size_t count, float product) {
  for (size_t i = 0; i < count; ++i) product = product == 0.0F || in[i] == 0.0F ? 0.0F : product * in[i];
  return product;
}

template <class How>
HWY_INLINE void byte_columns_by(bool is_signed, const FoldedColumns<std::byte>& p, int32_t* out) {
  const IntLanes lanes;
  const ByteReader bytes(is_signed, 0);
  const size_t n = hn::Lanes(lanes);
  for (size_t c = 0; c < p.columns; c += n) {
    const size_t some = std::min(n, p.columns - c);
    Ints value = load_some(lanes, out + c, some);
    for (size_t r = 0; r < p.rows; ++r) value = How::fold(lanes, value, bytes.load(p.in + r * p.step + c, some));
    store_some(value, lanes, out + c, some);
  }
}

template <class How>
HWY_INLINE int32_t byte_row_by(bool is_signed, const std::byte* in, size_t count, int32_t before) {
  const IntLanes lanes;
  const ByteReader bytes(is_signed, 0);
  const size_t n = hn::Lanes(lanes);
  const Ints start = hn::Set(lanes, byte_start(How::kFold));
  Ints value[2] = {start, start};
  size_t i = 0;
  for (; i + 2 * n <= count; i += 2 * n) {
    for (size_t k = 0; k < 2; ++k) value[k] = How::fold(lanes, value[k], bytes.load(in + i + k * n, n));
  }
  for (; i < count; i += n) {
    const size_t some = std::min(n, count - i);
    const Ints rest = bytes.load(in + i, some);
    value[0] = How::fold(lanes, value[0], hn::IfThenElse(hn::FirstN(lanes, some), rest, start));
  }
  const Ints all = hn::Set(lanes, hn::GetLane(How::all(lanes, How::fold(lanes, value[0], value[1]))));
  return hn::GetLane(How::fold(lanes, hn::Set(lanes, before), all));
}

// Reads elements as numbers of 32 bits.
template <class T>
class NumberReader {
 public:
  using D = hn::ScalableTag<T>;
  explicit NumberReader(bool) {}
  static constexpr size_t kWidth = sizeof(T);
  HWY_INLINE hn::Vec<D> load(const std::byte* in, size_t i, size_t count) const {
    return load_some(D(), reinterpret_cast<const T*>(in) + i, count);
  }
};
class BytesAsNumbers {
 public:
  using D = IntLanes;
  explicit HWY_INLINE BytesAsNumbers(bool is_signed) : bytes_(is_signed, 0) {}
  static constexpr size_t kWidth = 1;
  HWY_INLINE Ints load(const std::byte* in, size_t i, size_t count) const { return bytes_.load(in + i, count); }

 private:
  ByteReader bytes_;
};

template <class V>
HWY_INLINE auto wins(bool is_largest, V x, V best) {
  return is_largest ? hn::Gt(x, best) : hn::Gt(best, x);
}

template <class Reader>
HWY_INLINE void column_extremes(const ExtremeSearch& s, size_t columns, size_t step) {
  const typename Reader::D lanes;
  const IntLanes ints;
  const Reader reader(s.kind == ElementKind::kSignedByte);
  const size_t n = hn::Lanes(lanes);
  for (size_t c = 0; c < columns; c += n) {
    const size_t some = std::min(n, columns - c);
    auto best = reader.load(s.in, c, some);
    Ints at = hn::Zero(ints);
    for (size_t i = 1; i < s.size; ++i) {
      const auto x = reader.load(s.in, i * step + c, some);
      const auto is_better = wins(s.is_largest, x, best);
      best = hn::IfThenElse(is_better, x, best);
      at = hn::IfThenElse(hn::RebindMask(ints, is_better), hn::Set(ints, static_cast<int32_t>(i)), at);
    }
    store_some(at, ints, s.out + c, some);
  }
}

// Finds the position of the extreme of a slice. Every lane finds its own winner. The best winner is the result; of equal winners,
// the one at the lowest position.
template <class Reader>
HWY_INLINE int32_t slice_extreme(const ExtremeSearch& s, const std::byte* in) {
  const typename Reader::D lanes;
  using T = hn::TFromD<typename Reader::D>;
  const IntLanes ints;
  const Reader reader(s.kind == ElementKind::kSignedByte);
  const size_t n = hn::Lanes(lanes);
  const auto first = hn::Set(lanes, hn::GetLane(reader.load(in, 0, 1)));
  if (!hn::AllTrue(lanes, hn::Eq(first, first))) return 0;  // NaN
  auto best = first;
  Ints at = hn::Zero(ints);
  Ints position = hn::Iota(ints, 0);
  for (size_t i = 0; i < s.size; i += n) {
    auto x = reader.load(in, i, std::min(n, s.size - i));
    if (s.size - i < n) x = hn::IfThenElse(hn::FirstN(lanes, s.size - i), x, first);
    const auto is_better = wins(s.is_largest, x, best);
    best = hn::IfThenElse(is_better, x, best);
    at = hn::IfThenElse(hn::RebindMask(ints, is_better), position, at);
    position = hn::Add(position, hn::Set(ints, static_cast<int32_t>(n)));
  }
  const auto winner = s.is_largest ? hn::MaxOfLanes(lanes, best) : hn::MinOfLanes(lanes, best);
  const auto has_won = hn::RebindMask(ints, hn::Eq(best, hn::Set(lanes, static_cast<T>(hn::GetLane(winner)))));
  return hn::GetLane(hn::MinOfLanes(ints, hn::IfThenElse(has_won, at, hn::Set(ints, INT32_MAX))));
}

template <class Reader>
HWY_INLINE void slice_extremes(const ExtremeSearch& s, size_t first, size_t end) {
  for (size_t slice = first; slice < end; ++slice) {
    s.out[slice] = slice_extreme<Reader>(s, s.in + slice * s.size * Reader::kWidth);
  }
}

#if HWY_TARGET != HWY_SCALAR
// Searches slices of 8 to 256 bytes: the rank of the byte and its position form one number of 16 bits, and the least of them
// wins.
void short_byte_slices(const ExtremeSearch& s, size_t first, size_t end) {
  const hn::FixedTag<uint16_t, 8> lanes;
  const hn::Rebind<uint8_t, decltype(lanes)> bytes;
  const size_t n = 8;
  // Unsigned bytes whose smallest wins.
  const auto flip =
      hn::Set(bytes, static_cast<uint8_t>((s.is_largest ? 0xFF : 0) ^ (s.kind == ElementKind::kSignedByte ? 0x80 : 0)));
  const auto positions = hn::Iota(lanes, 0);
  for (size_t slice = first; slice < end; ++slice) {
    const auto* in = reinterpret_cast<const uint8_t*>(s.in) + slice * s.size;
    const auto rank_at = [&](size_t i) HWY_ATTR {
      const auto rank = hn::PromoteTo(lanes, hn::Xor(hn::LoadU(bytes, in + i), flip));
      return hn::Or(hn::ShiftLeft<8>(rank), hn::Add(positions, hn::Set(lanes, static_cast<uint16_t>(i))));
    };
    auto best = rank_at(s.size - n);
    for (size_t i = 0; i + n < s.size; i += n) best = hn::Min(best, rank_at(i));
    s.out[slice] = hn::GetLane(hn::MinOfLanes(lanes, best)) & 0xFF;
  }
}
#endif

}  // namespace

void float_columns_folded(Fold fold, const FoldedColumns<float>& columns, float* out) {
  switch (fold) {
    case Fold::kSum:
      return float_columns_by<AddUp>(columns, out);
    case Fold::kLargest:
      return float_columns_by<Largest>(columns, out);
    case Fold::kSmallest:
      return float_columns_by<Smallest>(columns, out);
    case Fold::kProduct:
      return float_columns_by<Multiply>(columns, out);
  }
}

float float_row_folded(Fold fold, const float* in, size_t count, float value) {
  switch (fold) {
    case Fold::kSum:
      return float_row_by<AddUp>(in, count, value);
    case Fold::kLargest:
      return float_row_by<Largest>(in, count, value);
    case Fold::kSmallest:
      return float_row_by<Smallest>(in, count, value);
    case Fold::kProduct:
      break;
  }
  return product_of_row(in, count, value);
}

void byte_columns_folded(Fold fold, bool is_signed, const FoldedColumns<std::byte>& columns, int32_t* out) {
  if (fold == Fold::kSum) return byte_columns_by<AddUp>(is_signed, columns, out);
  if (fold == Fold::kLargest) return byte_columns_by<Largest>(is_signed, columns, out);
  byte_columns_by<Smallest>(is_signed, columns, out);
}

int32_t byte_row_folded(Fold fold, bool is_signed, const std::byte* in, size_t count, int32_t value) {
  return fold == Fold::kSum       ? byte_row_by<AddUp>(is_signed, in, count, value)
         : fold == Fold::kLargest ? byte_row_by<Largest>(is_signed, in, count, value)
                                  : byte_row_by<Smallest>(is_signed, in, count, value);
}

void extremes_of_slices(const ExtremeSearch& s, size_t first, size_t end) {
  if (s.kind == ElementKind::kFloat) return slice_extremes<NumberReader<float>>(s, first, end);
  if (s.kind == ElementKind::kInt) return slice_extremes<NumberReader<int32_t>>(s, first, end);
#if HWY_TARGET != HWY_SCALAR
  if (s.size >= 8 && s.size <= 256) return short_byte_slices(s, first, end);
#endif
  slice_extremes<BytesAsNumbers>(s, first, end);
}

void extremes_of_columns(const ExtremeSearch& s, size_t columns, size_t step) {
  if (s.kind == ElementKind::kFloat) return column_extremes<NumberReader<float>>(s, columns, step);
  if (s.kind == ElementKind::kInt) return column_extremes<NumberReader<int32_t>>(s, columns, step);
  column_extremes<BytesAsNumbers>(s, columns, step);
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(float_columns_folded);
HWY_EXPORT(float_row_folded);
HWY_EXPORT(byte_columns_folded);
HWY_EXPORT(byte_row_folded);
HWY_EXPORT(extremes_of_slices);
HWY_EXPORT(extremes_of_columns);

float float_start(Fold fold) {
  return fold == Fold::kSum ? 0.0F : fold == Fold::kProduct ? 1.0F : fold == Fold::kLargest ? -FLT_MAX : FLT_MAX;
}
int32_t byte_start(Fold fold) { return fold == Fold::kLargest ? INT32_MIN : fold == Fold::kSmallest ? INT32_MAX : 0; }

void fold_floats(Fold fold, const FoldedColumns<float>& columns, float* out) {
  if (columns.step > 1) return HWY_DYNAMIC_DISPATCH(float_columns_folded)(fold, columns, out);
  *out = HWY_DYNAMIC_DISPATCH(float_row_folded)(fold, columns.in, columns.rows, *out);
}
void fold_bytes(Fold fold, bool is_signed, const FoldedColumns<std::byte>& columns, int32_t* out) {
  if (columns.step > 1) return HWY_DYNAMIC_DISPATCH(byte_columns_folded)(fold, is_signed, columns, out);
  *out = HWY_DYNAMIC_DISPATCH(byte_row_folded)(fold, is_signed, columns.in, columns.rows, *out);
}
void find_extremes(const ExtremeSearch& search, size_t first, size_t end) {
  HWY_DYNAMIC_DISPATCH(extremes_of_slices)(search, first, end);
}
void find_column_extremes(const ExtremeSearch& search, size_t columns, size_t step) {
  HWY_DYNAMIC_DISPATCH(extremes_of_columns)(search, columns, step);
}

}  // namespace nnvk::cpu
#endif
