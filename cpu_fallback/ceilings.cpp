// Micro-benchmarks of the CPU device: multiply-adds in registers, reading and copying memory.
#include "cpu_fallback/ceilings.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

namespace nnvk::cpu {
namespace {

constexpr size_t kIndependentSums = 32;

// Operations per second of `sums[i] = sums[i] * x + y`, counted as two each; best of a few rounds.
template <class T>
double multiply_add_rate(T factor, T addend) {
  volatile T hidden[] = {factor, addend};  // the compiler must not know the numbers
  const T x = hidden[0];
  const T y = hidden[1];
  constexpr size_t kRounds = 1 << 18;
  double best = 0.0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    T sums[kIndependentSums] = {};
    const auto start = std::chrono::steady_clock::now();
    for (size_t round = 0; round < kRounds; ++round) {
      for (T& sum : sums) sum = sum * x + y;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    volatile T keep = std::accumulate(std::begin(sums), std::end(sums), T{});
    (void)keep;
    best = std::max(best, 2.0 * kIndependentSums * kRounds / seconds.count());
  }
  return best;
}

// Bytes per second of `work`, which handles `bytes` of them; best of a few rounds.
template <class Function>
double byte_rate(size_t bytes, Function&& work) {
  double best = 0.0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(bytes) / seconds.count());
  }
  return best;
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
  ceilings.read_gigabytes_per_second =
      byte_rate(kWords * sizeof(uint32_t), [&] { keep = std::accumulate(from.begin(), from.end(), 0U); }) * 1e-9;
  // A copy moves every byte twice: once read, once written.
  ceilings.copy_gigabytes_per_second =
      byte_rate(2 * kWords * sizeof(uint32_t), [&] { std::memcpy(to.data(), from.data(), kWords * sizeof(uint32_t)); }) * 1e-9;
  (void)keep;
  return ceilings;
}

}  // namespace nnvk::cpu
