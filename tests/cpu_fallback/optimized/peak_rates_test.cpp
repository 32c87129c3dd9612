// The loops that measure the processor's peaks do the work that they claim.
#include "cpu_fallback/optimized/peak_rates.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "cpu_fallback/ceilings.h"
#include "cpu_fallback/optimized/aligned_buffer.h"
#include "cpu_fallback/optimized/products/float_product.h"
#include "cpu_fallback/optimized/products/quant8_product.h"

namespace nnvk::cpu {
namespace {

TEST(PeakRates, MultiplyAddsAreComputedAndCounted) {
  float floats[] = {0, 1};
  const uint64_t count = float_multiply_adds(10, floats);
  EXPECT_EQ(count % (10 * float_lanes()), 0U);
  EXPECT_EQ(floats[1], static_cast<float>(count / (10 * float_lanes()))) << "each sum is 0 * s + 1; all sums are added up";
  int32_t bytes[] = {0, 1};
  EXPECT_EQ(byte_multiply_adds(20, bytes), 2 * byte_multiply_adds(10, bytes));
  EXPECT_EQ(byte_multiply_adds(1, bytes) % quant8_form().lanes, 0U);
}

TEST(PeakRates, PassesTouchEveryElement) {
  constexpr size_t kCount = 4 * kPeakRateBlock;
  AlignedBuffer<float> a(kCount);
  AlignedBuffer<float> b(kCount);
  AlignedBuffer<float> sum(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 1;
    sum[i] = -1;
  }
  add_floats(a.data(), b.data(), sum.data(), kCount);
  for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(sum[i], static_cast<float>(i + 1));
  std::fill_n(a.data(), kCount, 0.0F);
  EXPECT_EQ(read_floats(a.data(), kCount), 0);
}

TEST(PeakRates, OfBytesAreAtLeastThoseOfFloats) {
  const Ceilings ceilings = measure_cpu_ceilings(1);
  EXPECT_GT(ceilings.int8_gops, 0.5 * ceilings.fp32_gflops) << "pairs of 16 bits, at half a multiply-add per float's";
  EXPECT_GT(ceilings.traffic.front().gigabytes_per_second, 0.5 * ceilings.traffic.back().gigabytes_per_second);
}

}  // namespace
}  // namespace nnvk::cpu
