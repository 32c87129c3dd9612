// Converts plain values to bytes and back, in this machine's byte order, for files that only the build that wrote them reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nnvk {

class ByteWriter {
 public:
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void value(T value) { bytes(std::as_bytes(std::span(&value, 1))); }
  void bytes(std::span<const std::byte> data) { bytes_.insert(bytes_.end(), data.begin(), data.end()); }
  void block(std::span<const std::byte> data) {
    value(uint64_t{data.size()});
    bytes(data);
  }
  void text(std::string_view text) { block(std::as_bytes(std::span(text))); }
  void reserve(size_t size) { bytes_.reserve(size); }
  std::span<const std::byte> view() const { return bytes_; }
  std::vector<std::byte> take() { return std::exchange(bytes_, {}); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads the bytes that a ByteWriter made. After a read of more bytes than are left, ok() is false, and later reads return zeros
// and empty spans. Callers check ok() before they trust a value, and in every loop whose count they have read.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) T value() {
    T value{};
    const auto data = bytes(sizeof value);
    if (!data.empty()) std::memcpy(&value, data.data(), sizeof value);
    return value;
  }
  // Returns a view of the bytes that the constructor got, not a copy.
  std::span<const std::byte> bytes(uint64_t size) {
    ok_ = ok_ && size <= left_.size();
    if (!ok_) return {};
    const auto data = left_.first(size);
    left_ = left_.subspan(size);
    return data;
  }
  std::span<const std::byte> block() { return bytes(value<uint64_t>()); }
  std::string_view text() {
    const auto data = block();
    return {reinterpret_cast<const char*>(data.data()), data.size()};
  }
  size_t left() const { return left_.size(); }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && left_.empty(); }

 private:
  std::span<const std::byte> left_;
  bool ok_ = true;
};

}  // namespace nnvk
