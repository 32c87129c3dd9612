// Micro-benchmarks of the CPU device: multiply-adds in registers, reading and copying memory.
#include "cpu_fallback/ceilings.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace nnvk::cpu {
namespace {

constexpr size_t kIndependentSums = 32;

// The shortest time that several runs of `work` take, in seconds.
template <class Function>
double shortest_seconds(Function&& work) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    shortest = std::min(shortest, seconds.count());
  }
  return shortest;
}

// Operations per second of `sums[i] = sums[i] * x + y`; a multiply-add counts as two operations.
template <class T>
double multiply_add_rate(T factor, T addend) {
  volatile T hidden[] = {factor, addend};  // hides the numbers from the compiler
  const T x = hidden[0];
  const T y = hidden[1];
  constexpr size_t kRounds = 1 << 18;
  const double seconds = shortest_seconds([&] {
    T sums[kIndependentSums] = {};
    for (size_t round = 0; round < kRounds; ++round) {
      for (T& sum : sums) sum = sum * x + y;
    }
    volatile T keep = std::accumulate(std::begin(sums), std::end(sums), T{});
    (void)keep;
  });
  return 2.0 * kIndependentSums * kRounds / seconds;
}

}  // namespace

Ceilings measure_cpu_ceilings() {
  constexpr size_t kWords = size_t{8} << 20;  // 32 MiB, more than most caches hold
  std::vector<uint32_t> from(kWords, 1);
  std::vector<uint32_t> to(kWords, 0);
  volatile uint32_t keep = 0;
  Ceilings ceilings;
  ceilings.fp32_gflops = multiply_add_rate<float>(0.5F, 1.0F) * 1e-9;
  ceilings.int8_gops = multiply_add_rate<uint32_t>(3U, 1U) * 1e-9;  // the reference multiplies 8-bit values as 32-bit integers
  constexpr double kGigabytes = 1e-9 * kWords * sizeof(uint32_t);
  ceilings.read_gigabytes_per_second =
      kGigabytes / shortest_seconds([&] { keep = std::accumulate(from.begin(), from.end(), 0U); });
  // A copy moves every byte twice: once read, once written.
  ceilings.copy_gigabytes_per_second =
      2 * kGigabytes / shortest_seconds([&] { std::memcpy(to.data(), from.data(), kWords * sizeof(uint32_t)); });
  (void)keep;
  return ceilings;
}

}  // namespace nnvk::cpu
