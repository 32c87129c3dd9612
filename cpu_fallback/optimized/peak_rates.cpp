#include "cpu_fallback/optimized/peak_rates.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/peak_rates.cpp"
#include "cpu_fallback/optimized/vectors/every_instruction_set.h"  // must come first

#include "cpu_fallback/optimized/vectors/dot_products-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

using RateLanes = hn::ScalableTag<float>;
using RateVector = hn::Vec<RateLanes>;

// Twelve independent sums: more than the latency of a multiply-add needs, and few enough for 16 registers.
#define NNVK_FOR_TWELVE_SUMS(STEP) \
  STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) STEP(10) STEP(11)

uint64_t multiply_floats(uint64_t rounds, float* keep) {
  const RateLanes lanes;
  const RateVector x = hn::Set(lanes, keep[0]);
  const RateVector y = hn::Set(lanes, keep[1]);
#define NNVK_STEP(i) RateVector s##i = hn::Set(lanes, static_cast<float>(i));
  NNVK_FOR_TWELVE_SUMS(NNVK_STEP)
#undef NNVK_STEP
  for (uint64_t round = 0; round < rounds; ++round) {
#define NNVK_STEP(i) s##i = hn::MulAdd(s##i, x, y);
    NNVK_FOR_TWELVE_SUMS(NNVK_STEP)
#undef NNVK_STEP
  }
  RateVector all = hn::Zero(lanes);
#define NNVK_STEP(i) all = hn::Add(all, s##i);
  NNVK_FOR_TWELVE_SUMS(NNVK_STEP)
#undef NNVK_STEP
  keep[1] = hn::GetLane(all);
  return rounds * 12 * hn::Lanes(lanes);
}

// The cheapest instruction for products of bytes that the kernels have on this processor.
#if NNVK_HAS_LANE_PRODUCTS
#define NNVK_ADD_PRODUCTS(sums, a, b) add_lane_products<0>(sums, a, b)
#elif NNVK_HAS_BYTE_PRODUCTS
#define NNVK_ADD_PRODUCTS(sums, a, b) add_byte_products(sums, a, b)
#else
#define NNVK_ADD_PRODUCTS(sums, a, b) add_pair_products(sums, a, b)
#endif

uint64_t multiply_bytes(uint64_t rounds, int32_t* keep) {
  const IntLanes lanes;
  Ints x = hn::Set(lanes, keep[0]);
  const Ints y = hn::Set(lanes, keep[1]);
#define NNVK_STEP(i) Ints s##i = hn::Set(lanes, i);
  NNVK_FOR_TWELVE_SUMS(NNVK_STEP)
#undef NNVK_STEP
  for (uint64_t round = 0; round < rounds; ++round) {
#define NNVK_STEP(i) s##i = NNVK_ADD_PRODUCTS(s##i, x, y);
    NNVK_FOR_TWELVE_SUMS(NNVK_STEP)
#undef NNVK_STEP
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    asm volatile("" : "+x"(x.raw));  // else the compiler computes the products, always the same, once before the loop
#endif
  }
  Ints all = hn::Zero(lanes);
#define NNVK_STEP(i) all = hn::Add(all, s##i);
  NNVK_FOR_TWELVE_SUMS(NNVK_STEP)
#undef NNVK_STEP
  keep[1] = hn::GetLane(all);
  constexpr uint64_t kProducts = NNVK_HAS_BYTE_PRODUCTS ? 4 : 2;  // per sum
  return rounds * 12 * kProducts * hn::Lanes(lanes);
}
#undef NNVK_ADD_PRODUCTS

float read(const float* from, size_t count) {
  const RateLanes lanes;
  const size_t n = hn::Lanes(lanes);
  RateVector s0 = hn::Zero(lanes);
  RateVector s1 = s0;
  RateVector s2 = s0;
  RateVector s3 = s0;
  for (size_t i = 0; i < count; i += 4 * n) {
    s0 = hn::Or(s0, hn::Load(lanes, from + i));
    s1 = hn::Or(s1, hn::Load(lanes, from + i + n));
    s2 = hn::Or(s2, hn::Load(lanes, from + i + 2 * n));
    s3 = hn::Or(s3, hn::Load(lanes, from + i + 3 * n));
  }
  return hn::GetLane(hn::Or(hn::Or(s0, s1), hn::Or(s2, s3)));
}

void add(const float* a, const float* b, float* out, size_t count) {
  const RateLanes lanes;
  const size_t n = hn::Lanes(lanes);
  for (size_t i = 0; i < count; i += 2 * n) {
    hn::Store(hn::Add(hn::Load(lanes, a + i), hn::Load(lanes, b + i)), lanes, out + i);
    hn::Store(hn::Add(hn::Load(lanes, a + i + n), hn::Load(lanes, b + i + n)), lanes, out + i + n);
  }
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

NNVK_EXPORT(multiply_floats);
NNVK_EXPORT(multiply_bytes);
NNVK_EXPORT(read);
NNVK_EXPORT(add);

uint64_t float_multiply_adds(uint64_t rounds, float* keep) { return NNVK_CHOOSE(multiply_floats)(rounds, keep); }

uint64_t byte_multiply_adds(uint64_t rounds, int32_t* keep) { return NNVK_CHOOSE(multiply_bytes)(rounds, keep); }

float read_floats(const float* from, size_t count) { return NNVK_CHOOSE(read)(from, count); }

void add_floats(const float* a, const float* b, float* out, size_t count) { NNVK_CHOOSE(add)(a, b, out, count); }

}  // namespace nnvk::cpu
#endif
