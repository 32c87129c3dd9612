// Keeps the largest elements so far in a heap, from the back of the row to its front. A further element must exceed the least of
// the heap; the code compares whole vectors with that. Compiled once per instruction set.
#include "cpu_fallback/optimized/rows/largest_elements.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/base/sort_key.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/rows/largest_elements.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/array_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace {

// Reads elements as signed 32-bit keys with the same order. A float's key is sort_key() with the upper bit inverted; halves use
// the same formula on their 16 bits.
struct FloatKeys {
  static constexpr size_t kWidth = sizeof(float);
  HWY_INLINE Ints load(const std::byte* at) const {
    const IntLanes lanes;
    const Ints bits = hn::LoadU(lanes, reinterpret_cast<const int32_t*>(at));
    const Ints magnitude = hn::And(bits, hn::Set(lanes, INT32_MAX));
    const Ints ordered = hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), hn::Set(lanes, INT32_MAX)));
    return hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(lanes)), ordered);
  }
};
struct HalfKeys {
  static constexpr size_t kWidth = sizeof(int16_t);
  HWY_INLINE Ints load(const std::byte* at) const {
    const IntLanes lanes;
    const hn::Rebind<int16_t, IntLanes> halves;
    const Ints bits = hn::PromoteTo(lanes, hn::LoadU(halves, reinterpret_cast<const int16_t*>(at)));
    const Ints magnitude = hn::And(bits, hn::Set(lanes, 0x7FFF));
    const Ints ordered = hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), hn::Set(lanes, 0x7FFF)));
    return hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(lanes)), ordered);
  }
};
struct IntKeys {
  static constexpr size_t kWidth = sizeof(int32_t);
  HWY_INLINE Ints load(const std::byte* at) const { return hn::LoadU(IntLanes(), reinterpret_cast<const int32_t*>(at)); }
};
struct ByteKeys {
  static constexpr size_t kWidth = 1;
  ByteReader reader;
  HWY_INLINE explicit ByteKeys(bool is_signed) : reader(is_signed, 0) {}
  HWY_INLINE Ints load(const std::byte* at) const { return reader.load(at, hn::Lanes(IntLanes())); }
};

// Skips whole vectors from the back of the first `end` elements while no element exceeds `least`. Returns the new `end`.
template <class Keys>
HWY_INLINE size_t skip_small(const Keys& keys, const std::byte* row, size_t end, int32_t least) {
  const IntLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const Ints limit = hn::Set(lanes, least);
  const auto load = [&](size_t i) HWY_ATTR { return keys.load(row + i * Keys::kWidth); };
  for (; end >= 4 * n; end -= 4 * n) {
    const Ints a = hn::Max(load(end - n), load(end - 2 * n));
    const Ints b = hn::Max(load(end - 3 * n), load(end - 4 * n));
    if (!hn::AllFalse(lanes, hn::Gt(hn::Max(a, b), limit))) break;
  }
  for (; end >= n && hn::AllFalse(lanes, hn::Gt(load(end - n), limit));) end -= n;
  return end;
}

}  // namespace

size_t skip_small_elements(OperandType type, const std::byte* row, size_t end, int32_t least) {
  switch (type) {
    case OperandType::kTensorFloat32:
      return skip_small(FloatKeys(), row, end, least);
    case OperandType::kTensorFloat16:
      return skip_small(HalfKeys(), row, end, least);
    case OperandType::kTensorInt32:
      return skip_small(IntKeys(), row, end, least);
    default:
      return skip_small(ByteKeys(type == OperandType::kTensorQuant8AsymmSigned), row, end, least);
  }
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {
namespace {

HWY_EXPORT(skip_small_elements);

template <class T>
T element(const std::byte* row, size_t i) {
  T value;
  std::memcpy(&value, row + i * sizeof value, sizeof value);
  return value;
}

// Returns the key of one element.
int32_t key_of(OperandType type, const std::byte* row, size_t i) {
  switch (type) {
    case OperandType::kTensorFloat32:
      return static_cast<int32_t>(sort_key(element<float>(row, i)) ^ 0x80000000U);
    case OperandType::kTensorFloat16: {
      const int32_t bits = element<int16_t>(row, i);
      return (bits & 0x7FFF) == 0 ? 0 : bits < 0 ? bits ^ 0x7FFF : bits;
    }
    case OperandType::kTensorInt32:
      return element<int32_t>(row, i);
    case OperandType::kTensorQuant8AsymmSigned:
      return element<int8_t>(row, i);
    default:
      return element<uint8_t>(row, i);
  }
}

// Returns a number that orders elements by their key, and those with equal keys by their position.
uint64_t ranked(int32_t key, size_t i) { return (uint64_t{sort_key(key)} << 32) | i; }
int32_t key_of_rank(uint64_t rank) { return static_cast<int32_t>(static_cast<uint32_t>(rank >> 32) ^ 0x80000000U); }

// Replaces the least (first) number. Moves the gap to a leaf without unpredictable comparisons, then up to its place.
void replace_least(uint64_t* heap, size_t count, uint64_t number) {
  size_t hole = 0;
  for (size_t child = 1; child < count; child = 2 * hole + 1) {
    if (child + 1 < count) child += heap[child + 1] < heap[child] ? 1 : 0;
    heap[hole] = heap[child];
    hole = child;
  }
  for (; hole > 0 && heap[(hole - 1) / 2] > number; hole = (hole - 1) / 2) heap[hole] = heap[(hole - 1) / 2];
  heap[hole] = number;
}

}  // namespace

void find_largest(const LargestElements& s) {
  if (s.count == 0) return;
  uint64_t* const found = s.found;
  size_t end = s.size - s.count;
  for (size_t i = end; i < s.size; ++i) found[i - end] = ranked(key_of(s.type, s.row, i), i);
  const auto skip = HWY_DYNAMIC_DISPATCH(skip_small_elements);
  if (end > 0) std::make_heap(found, found + s.count, std::greater<>());
  while (end > 0) {
    // The heap's first number is its least. Elements before `end` have lower positions, so only larger ones enter the heap.
    const int32_t least = key_of_rank(found[0]);
    end = skip(s.type, s.row, end, least);
    // skip() stopped because one of the next few elements towards the row's start exceeds `least`, or because few are left. The
    // loop looks for that element; there may be none if it reaches the start.
    while (end > 0) {
      const size_t i = --end;
      const int32_t key = key_of(s.type, s.row, i);
      if (key <= least) continue;
      replace_least(found, s.count, ranked(key, i));
      break;
    }
  }
  std::sort(found, found + s.count, std::greater<>());
  for (size_t i = 0; i < s.count; ++i) s.indices[i] = static_cast<int32_t>(found[i] & 0xFFFFFFFFU);
}

}  // namespace nnvk::cpu
#endif
