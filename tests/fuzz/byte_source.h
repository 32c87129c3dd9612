// A fuzzer's input read as a list of decisions. It never ends: after the last byte it returns zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "tests/fuzz/target.h"

namespace nnvk::fuzz {

class ByteSource {
 public:
  explicit ByteSource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }
  uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto value = static_cast<uint8_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return value;
  }
  // 0 to limit - 1; `limit` is not 0.
  uint32_t below(uint32_t limit) { return byte() % limit; }
  template <class T>
  T value() {
    T value{};
    const size_t there = std::min(sizeof value, bytes_.size());
    std::memcpy(&value, bytes_.data(), there);
    bytes_ = bytes_.subspan(there);
    return value;
  }
  // An integer as programs meet them: small (one byte of input), a limit that often causes errors, or any (four more bytes).
  uint32_t number() {
    const uint8_t first = byte();
    if (first < kFirstSpecial) return first;
    return first == kLong ? value<uint32_t>() : kSpecial[first - kFirstSpecial];
  }

  static constexpr uint8_t kLong = 0xFF;
  static constexpr uint32_t kSpecial[] = {0x100, 0x1000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
  static constexpr uint8_t kFirstSpecial = kLong - std::size(kSpecial);

 private:
  std::span<const std::byte> bytes_;
};

// Writes the format that ByteSource reads.
class ByteSink {
 public:
  void byte(size_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  template <class T>
  void value(const T& value) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  void number(uint32_t number) {
    if (number < ByteSource::kFirstSpecial) return byte(number);
    byte(ByteSource::kLong);
    value(number);
  }
  Input take() { return std::move(bytes_); }

 private:
  Input bytes_;
};

}  // namespace nnvk::fuzz
