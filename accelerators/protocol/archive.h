// Writes values as bytes and reads them back. One description of the fields (transfer.h) serves both, so encoding and decoding
// cannot differ. Both ends run on one machine and come from one build, so numbers have this machine's byte order.
//
// The reader trusts nothing. It fails if a value needs more bytes than are left, exceeds its limit, or is invalid for its type.
// From then on it reads only zeros and empty values, and ok() is false. No count makes it allocate more than a small multiple of
// the remaining bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/byte_stream.h"

namespace nnvk::accelerators {

class ArchiveWriter {
 public:
  template <class T>
  using Of = const T;
  static constexpr bool kReads = false;

  template <class T>
  void value(const T& value) {
    bytes_.value(value);
  }
  void boolean(const bool& value) { bytes_.value(uint8_t{value}); }
  template <class E>
  void enumeration(const E& value, E /*last*/) {
    bytes_.value(value);
  }
  void text(const std::string& text, size_t most) {
    count(text.size(), most);
    bytes_.bytes(std::as_bytes(std::span(text)));
  }
  void bytes(const std::vector<std::byte>& data, size_t most) {
    count(data.size(), most);
    bytes_.bytes(data);
  }
  // Elements by `element(archive, value)`. `least`: bytes of the shortest element.
  template <class T, class F>
  void sequence(const std::vector<T>& values, size_t most, size_t /*least*/, F element) {
    count(values.size(), most);
    for (const T& value : values) element(*this, value);
  }
  template <class T>
  void numbers(const std::vector<T>& values, size_t most) {
    count(values.size(), most);
    bytes_.bytes(std::as_bytes(std::span(values)));
  }
  template <class K, class T, class FK, class FT>
  void map(const std::map<K, T>& values, size_t most, FK key_fields, FT value_fields) {
    count(values.size(), most);
    for (const auto& [key, value] : values) {
      key_fields(*this, key);
      value_fields(*this, value);
    }
  }
  template <class T, class F>
  void optional(const std::optional<T>& value, F fields) {
    boolean(value.has_value());
    if (value) fields(*this, *value);
  }

  // Whether no value exceeded its limit, so that the reader will accept the bytes.
  bool fits() const { return fits_; }
  std::vector<std::byte> take() { return bytes_.take(); }

 private:
  void count(size_t size, size_t most) {
    fits_ = fits_ && size <= most;
    bytes_.value(static_cast<uint32_t>(size));
  }

  ByteWriter bytes_;
  bool fits_ = true;
};

class ArchiveReader {
 public:
  template <class T>
  using Of = T;
  static constexpr bool kReads = true;

  explicit ArchiveReader(std::span<const std::byte> bytes) : bytes_(bytes), left_(bytes.size()) {}

  template <class T>
  void value(T& value) {
    static_assert(!std::is_same_v<T, bool>, "a byte that is neither 0 nor 1 is not a bool");
    value = bytes_.value<T>();
    left_ -= std::min(left_, sizeof value);
  }
  void boolean(bool& value) {
    uint8_t byte = 0;
    this->value(byte);
    if (byte > 1) refuse();
    value = byte == 1;
  }
  // Any value from 0 to `last`.
  template <class E>
  void enumeration(E& value, E last) {
    using Number = std::underlying_type_t<E>;
    Number number{};
    this->value(number);
    if (number < Number{} || number > static_cast<Number>(last)) {
      refuse();
      number = Number{};
    }
    value = static_cast<E>(number);
  }
  void text(std::string& text, size_t most) {
    const auto view = take_bytes(count(most, 1));
    text.assign(reinterpret_cast<const char*>(view.data()), view.size());
  }
  void bytes(std::vector<std::byte>& data, size_t most) {
    const auto view = take_bytes(count(most, 1));
    data.assign(view.begin(), view.end());
  }
  template <class T, class F>
  void sequence(std::vector<T>& values, size_t most, size_t least, F element) {
    const uint32_t size = count(most, least);
    values.clear();
    for (uint32_t i = 0; i < size && ok(); ++i) element(*this, values.emplace_back());
  }
  template <class T>
  void numbers(std::vector<T>& values, size_t most) {
    const uint32_t size = count(most, sizeof(T));
    const auto view = take_bytes(size_t{size} * sizeof(T));
    values.resize(view.size() / sizeof(T));
    if (!view.empty()) std::memcpy(values.data(), view.data(), view.size());
  }
  // Keys must be in ascending order, each once.
  template <class K, class T, class FK, class FT>
  void map(std::map<K, T>& values, size_t most, FK key_fields, FT value_fields) {
    const uint32_t size = count(most, 1);
    values.clear();
    for (uint32_t i = 0; i < size && ok(); ++i) {
      K key{};
      T value{};
      key_fields(*this, key);
      value_fields(*this, value);
      if (!values.empty() && !(values.rbegin()->first < key)) refuse();
      if (ok()) values.emplace_hint(values.end(), std::move(key), std::move(value));
    }
  }
  template <class T, class F>
  void optional(std::optional<T>& value, F fields) {
    bool is_there = false;
    boolean(is_there);
    value.reset();
    if (is_there && ok()) fields(*this, value.emplace());
  }

  void refuse() { is_refused_ = true; }
  bool ok() const { return !is_refused_ && bytes_.ok(); }
  // Whether everything has been read, without an error.
  bool at_end() const { return !is_refused_ && bytes_.at_end(); }

 private:
  std::span<const std::byte> take_bytes(size_t size) {
    left_ -= std::min(left_, size);
    return bytes_.bytes(size);
  }
  // A count of elements of at least `least` bytes each. 0, and failure, if too few bytes are left for them.
  uint32_t count(size_t most, size_t least) {
    uint32_t count = 0;
    value(count);
    if (ok() && count <= most && count <= left_ / least) return count;
    refuse();
    return 0;
  }

  ByteReader bytes_;
  size_t left_;
  bool is_refused_ = false;
};

}  // namespace nnvk::accelerators
