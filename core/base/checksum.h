// A 64-bit checksum at the speed of memory: it detects damaged or different contents, but does not protect against forgery.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace nnvk {

// Returns a checksum. Four partial sums absorb the 64-bit words in turn. Each step is a bijection of the sum and of the word, so
// a change of one word always changes the checksum.
inline uint64_t checksum(std::span<const std::byte> bytes) {
  constexpr uint64_t kWordFactor = 0x9E3779B97F4A7C15;  // odd: 2^64 divided by the golden ratio
  constexpr uint64_t kLaneFactor = 0xD6E8FEB86659FD93;  // odd, well mixed
  const auto absorb = [](uint64_t lane, uint64_t word) { return std::rotl(lane ^ (word * kWordFactor), 29) * kLaneFactor; };
  std::array<uint64_t, 4> lanes{0, kLaneFactor, ~uint64_t{0}, kWordFactor};
  size_t at = 0;
  std::array<uint64_t, 4> words{};
  for (; bytes.size() - at >= sizeof words; at += sizeof words) {
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (size_t i = 0; i < words.size(); ++i) lanes[i] = absorb(lanes[i], words[i]);
  }
  words = {};
  if (at < bytes.size()) std::memcpy(words.data(), bytes.data() + at, bytes.size() - at);
  for (size_t i = 0; i < words.size(); ++i) lanes[i] = absorb(lanes[i], words[i]);
  uint64_t sum = absorb(0, bytes.size());  // distinguishes trailing zeros from the padding
  for (const uint64_t lane : lanes) sum = absorb(sum, lane);
  sum = (sum ^ (sum >> 32)) * kWordFactor;
  return sum ^ (sum >> 29);
}

}  // namespace nnvk
