// Vectors hold channels. Neighbouring pixels between the same columns share the loaded input. Compiled per instruction set.
#include "cpu_fallback/optimized/rows/bilinear_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/rows/bilinear_rows.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> load_floats(D lanes, const float* from) {
  return hn::LoadU(lanes, from);
}
template <class D, class T>
HWY_INLINE hn::Vec<D> load_floats(D lanes, const T* from) {
  const hn::Rebind<T, D> bytes;
  const hn::Rebind<int32_t, D> ints;
  return hn::ConvertTo(lanes, hn::PromoteTo(ints, hn::LoadU(bytes, from)));
}

template <class D>
HWY_INLINE void store_results(D lanes, hn::Vec<D> sums, float* to) {
  hn::StoreU(sums, lanes, to);
}
// Stores results, rounded half up. (TruncateTo() is wrong in Highway 1.0.3 for AVX-512 with VBMI.)
template <class D, class T>
HWY_INLINE void store_results(D lanes, hn::Vec<D> sums, T* to) {
  const hn::Rebind<T, D> bytes;
  const hn::Rebind<int32_t, D> ints;
  const auto rounded = hn::ConvertTo(ints, hn::Floor(hn::Add(sums, hn::Set(lanes, 0.5F))));
  hn::StoreU(hn::DemoteTo(bytes, rounded), bytes, to);
}

// Computes pixels [first, end), which all lie between the same two columns. The last vector ends with the last channel, so it
// overlaps the vector before it.
template <class T, class D>
void interpolate_run(D lanes, const BilinearRow& row, size_t first, size_t end) {
  const size_t n = hn::Lanes(lanes);
  const auto* const low = reinterpret_cast<const T*>(row.low);
  const auto* const high = reinterpret_cast<const T*>(row.high);
  auto* const out = reinterpret_cast<T*>(row.out);
  const size_t left = row.columns[first].low * row.channels;
  const size_t right = row.columns[first].high * row.channels;
  const auto low_weight = hn::Set(lanes, 1.0F - row.weight);
  const auto high_weight = hn::Set(lanes, row.weight);
  for (size_t at = 0; at < row.channels; at += n) {
    const size_t c = std::min(at, row.channels - n);
    const auto low_left = hn::Mul(load_floats(lanes, low + left + c), low_weight);
    const auto high_left = hn::Mul(load_floats(lanes, high + left + c), high_weight);
    const auto low_right = hn::Mul(load_floats(lanes, low + right + c), low_weight);
    const auto high_right = hn::Mul(load_floats(lanes, high + right + c), high_weight);
    for (size_t x = first; x < end; ++x) {
      const auto left_weight = hn::Set(lanes, 1.0F - row.columns[x].weight);
      const auto right_weight = hn::Set(lanes, row.columns[x].weight);
      // Adds in the reference's order, without fused multiply-adds, for the same bits.
      auto sum = hn::Add(hn::Mul(low_left, left_weight), hn::Mul(high_left, left_weight));
      sum = hn::Add(sum, hn::Mul(low_right, right_weight));
      sum = hn::Add(sum, hn::Mul(high_right, right_weight));
      store_results(lanes, sum, out + x * row.channels + c);
    }
  }
}

template <class T, class D>
void interpolate_with(D lanes, const BilinearRow& row) {
  for (size_t first = 0, end = 0; first < row.columns.size(); first = end) {
    const ResizeTap& tap = row.columns[first];
    for (end = first + 1; end < row.columns.size() && row.columns[end].low == tap.low && row.columns[end].high == tap.high;)
      ++end;
    interpolate_run<T>(lanes, row, first, end);
  }
}

// Computes the row with the longest vectors that the channels fill.
template <class T>
void interpolate_as(const BilinearRow& row) {
  const hn::CappedTag<float, 16> longest;
#if HWY_TARGET != HWY_SCALAR
  if (row.channels >= hn::Lanes(longest)) return interpolate_with<T>(longest, row);
  if (row.channels >= 8) return interpolate_with<T>(hn::CappedTag<float, 8>(), row);
  if (row.channels >= 4) return interpolate_with<T>(hn::CappedTag<float, 4>(), row);
  return interpolate_with<T>(hn::CappedTag<float, 1>(), row);
#else
  interpolate_with<T>(longest, row);
#endif
}

void interpolate(OperandType type, const BilinearRow& row) {
  if (type == OperandType::kTensorFloat32) return interpolate_as<float>(row);
  if (type == OperandType::kTensorQuant8Asymm) return interpolate_as<uint8_t>(row);
  interpolate_as<int8_t>(row);
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(interpolate);

void interpolate_row(OperandType type, const BilinearRow& row) { HWY_DYNAMIC_DISPATCH(interpolate)(type, row); }

}  // namespace nnvk::cpu
#endif
