// The counter-based random generator of RANDOM_MULTINOMIAL: Philox4x32 with ten rounds, as the operation's numerics define it.
#pragma once

#include <array>
#include <cstdint>
#include <random>

namespace nnvk {

// The start of a stream of random numbers.
struct PhiloxSeed {
  std::array<uint32_t, 2> key{};
  std::array<uint32_t, 2> counter_high{};  // words 2 and 3 of the counter; the lower ones start at 0
};

// Returns the stream that a pair of seeds selects; two zeros select one at random.
inline PhiloxSeed philox_seed(int32_t seed0, int32_t seed1) {
  if (seed0 == 0 && seed1 == 0) {
    std::random_device entropy;
    return {{entropy(), entropy()}, {entropy(), entropy()}};
  }
  const auto extended = [](int32_t seed) {
    return std::array<uint32_t, 2>{static_cast<uint32_t>(seed), seed < 0 ? 0xFFFFFFFFU : 0U};
  };
  return {extended(seed0), extended(seed1)};
}

// Returns the four words of block `index` of a stream.
inline std::array<uint32_t, 4> philox_block(const PhiloxSeed& seed, uint64_t index) {
  std::array<uint32_t, 2> key = seed.key;
  std::array<uint32_t, 4> c = {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), seed.counter_high[0],
                               seed.counter_high[1]};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xD2511F53U} * c[0];
    const uint64_t second = uint64_t{0xCD9E8D57U} * c[2];
    c = {static_cast<uint32_t>(second >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(second),
         static_cast<uint32_t>(first >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return c;
}

}  // namespace nnvk
