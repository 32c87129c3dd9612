// Micro-benchmarks of the CPU devices: multiply-adds in registers, and passes over data of growing size.
#include "cpu_fallback/ceilings.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>

#include "cpu_fallback/optimized/aligned_buffer.h"
#include "cpu_fallback/optimized/peak_rates.h"
#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Other programs interrupt attempts. Many short ones are likely to have one that was not.
constexpr auto kLongEnough = std::chrono::milliseconds(60);
constexpr int kFewestAttempts = 3;
constexpr size_t kPartsPerThread = 4;

constexpr uint64_t kSmallestPass = uint64_t{64} << 10;
constexpr uint64_t kLeastLargestPass = uint64_t{64} << 20;
constexpr uint64_t kMostLargestPass = uint64_t{512} << 20;
constexpr uint64_t kBytesPerAttempt = uint64_t{4} << 20;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Returns the shortest time that an attempt at `work` takes, in seconds.
template <class Function>
double shortest_seconds(const Function& work) {
  double shortest = std::numeric_limits<double>::infinity();
  const auto begin = Clock::now();
  for (int attempt = 0; attempt < kFewestAttempts || Clock::now() - begin < kLongEnough; ++attempt) {
    const auto start = Clock::now();
    work();
    shortest = std::min(shortest, seconds_since(start));
  }
  return shortest;
}

// Returns the operations per second of all threads; a multiply-add counts as two operations.
template <class Number>
double multiply_add_rate(ThreadPool& threads, uint64_t (*multiply_adds)(uint64_t, Number*), Number factor) {
  constexpr uint64_t kRounds = 1 << 13;  // some 30 us
  const size_t parts = kPartsPerThread * threads.threads();
  std::atomic<uint64_t> done = 0;
  const double seconds = shortest_seconds([&] {
    done = 0;
    threads.parallel_for(parts, [&](size_t) {
      Number keep[] = {factor, Number{1}};
      done += multiply_adds(kRounds, keep);
      volatile Number hidden = keep[1];
      (void)hidden;
    });
  });
  return 2.0 * static_cast<double>(done) / seconds;
}

// Returns the size of the longest passes: more than the last cache holds, but not much of a small machine's memory.
uint64_t largest_pass() {
  const auto of_system = [](int name) { return static_cast<uint64_t>(std::max(0L, ::sysconf(name))); };
  const uint64_t free = of_system(_SC_AVPHYS_PAGES) * of_system(_SC_PAGESIZE);
  uint64_t last_cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  last_cache = of_system(_SC_LEVEL3_CACHE_SIZE);
#endif
  const uint64_t wanted = std::clamp(2 * last_cache, kLeastLargestPass, kMostLargestPass);
  uint64_t pass = kSmallestPass;
  while (pass < wanted && 16 * pass <= free) pass *= 2;
  return pass;
}

// Returns sizes from data that the nearest caches hold to data that no cache holds.
std::vector<uint64_t> sizes_of_passes() {
  std::vector<uint64_t> sizes;
  const uint64_t largest = largest_pass();
  for (uint64_t bytes = kSmallestPass; bytes < largest; bytes *= 4) sizes.push_back(bytes);
  sizes.push_back(largest);
  return sizes;
}

// Passes of all threads over data in memory. Every thread has its own part of the data, as in the kernels.
class Passes {
 public:
  Passes(ThreadPool& threads, uint64_t largest)
      : threads_(threads), floats_(largest / sizeof(float) + threads.threads() * kMostArrays * kPeakRateBlock) {
    std::fill_n(floats_.data(), floats_.size(), 1.0F);
  }

  // These functions return the bytes per second that are read, read and written, or copied by memcpy.
  double reading(uint64_t bytes) const {
    return rate(bytes, 1, [](float* data, size_t count) {
      volatile float hidden = read_floats(data, count);
      (void)hidden;
    });
  }
  double adding(uint64_t bytes) const {
    return rate(bytes, kMostArrays, [](float* data, size_t count) { add_floats(data, data + count, data + 2 * count, count); });
  }
  double copying(uint64_t bytes) const {
    return rate(bytes, 2, [](float* data, size_t count) { std::memcpy(data, data + count, count * sizeof(float)); });
  }

 private:
  static constexpr size_t kMostArrays = 3;

  // Returns the rate of a pass in bytes per second. `pass(data, count)` goes over `arrays` arrays of `count` floats, which follow
  // each other.
  template <class Pass>
  double rate(uint64_t bytes, size_t arrays, const Pass& pass) const {
    const size_t parts = threads_.threads();
    const size_t share = bytes / sizeof(float) / parts;
    const size_t count = std::max(share / arrays / kPeakRateBlock, size_t{1}) * kPeakRateBlock;
    const size_t used = count * arrays;
    const uint64_t passes = std::max<uint64_t>(1, kBytesPerAttempt / (used * sizeof(float)));
    float* const data = floats_.data();
    const double seconds = shortest_seconds([&] {
      threads_.parallel_for(parts, [&](size_t part) {
        for (uint64_t i = 0; i < passes; ++i) pass(data + part * used, count);
      });
    });
    return static_cast<double>(passes * parts * used * sizeof(float)) / seconds;
  }

  ThreadPool& threads_;
  mutable AlignedBuffer<float> floats_;
};

}  // namespace

Ceilings measure_cpu_ceilings(unsigned thread_count) {
  constexpr double kGiga = 1e-9;
  ThreadPool threads(thread_count);
  Ceilings ceilings;
  ceilings.fp32_gflops = multiply_add_rate<float>(threads, float_multiply_adds, 0.5F) * kGiga;
  ceilings.int8_gops = multiply_add_rate<int32_t>(threads, byte_multiply_adds, 3) * kGiga;
  const std::vector<uint64_t> sizes = sizes_of_passes();
  const Passes passes(threads, sizes.back());
  for (const uint64_t bytes : sizes) {
    const double reading = passes.reading(bytes) * kGiga;
    const double copying = passes.copying(bytes) * kGiga;
    ceilings.traffic.push_back({bytes, std::max({reading, copying, passes.adding(bytes) * kGiga})});
    ceilings.read_gigabytes_per_second = reading;
    ceilings.copy_gigabytes_per_second = copying;
  }
  return ceilings;
}

}  // namespace nnvk::cpu
