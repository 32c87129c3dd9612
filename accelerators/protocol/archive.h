// Writes values as bytes and reads them back. One description of the fields (transfer.h) serves both, so that encoding and
// decoding cannot differ. Both processes run on one machine from one build, so numbers have this machine's byte order. The reader
// trusts nothing: it fails if a value needs more bytes than are left, exceeds its limit, or is invalid for its type. It then
// reads only zeros and empty values, and ok() is false. It never allocates more than a small multiple of the remaining bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/byte_stream.h"

namespace nnvk::accelerators {

// A value of this type, constant where it is written.
template <class T, class Type>
concept Is = std::same_as<std::remove_const_t<T>, Type>;

// Transfers a field: a truth value, number or enumeration, or a value of a type that has a transfer().
template <class A, class T>
void transfer_field(A& archive, T& field) {
  if constexpr (Is<T, bool>) {
    archive.boolean(field);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    archive.number(field);
  } else {
    transfer(archive, field);
  }
}

class ArchiveWriter {
 public:
  static constexpr bool kReads = false;

  void fields(const auto&... fields) { (transfer_field(*this, fields), ...); }
  void number(const auto& number) { bytes_.value(number); }
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
  // Writes a list. `least`: the size of the shortest possible element, in bytes.
  template <class T>
  void sequence(const std::vector<T>& elements, size_t most, size_t /*least*/) {
    count(elements.size(), most);
    for (const T& element : elements) fields(element);
  }
  template <class T>
  void numbers(const std::vector<T>& values, size_t most) {
    count(values.size(), most);
    bytes_.bytes(std::as_bytes(std::span(values)));
  }
  // Writes the number of entries, then each by `entry(archive, key, value)`.
  template <class K, class T, class F>
  void map(const std::map<K, T>& entries, size_t most, F entry) {
    count(entries.size(), most);
    for (const auto& [key, value] : entries) entry(*this, key, value);
  }
  template <class T>
  void optional(const std::optional<T>& held) {
    boolean(held.has_value());
    if (held) fields(*held);
  }

  // Returns whether no value exceeded its limit, so that the reader will accept the bytes.
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
  static constexpr bool kReads = true;

  explicit ArchiveReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  void fields(auto&... fields) { (transfer_field(*this, fields), ...); }
  template <class T>
  void number(T& number) {
    number = bytes_.value<T>();
  }
  void boolean(bool& value) {
    uint8_t byte = 0;
    number(byte);
    if (byte > 1) refuse();
    value = byte == 1;
  }
  // Reads an enumeration; accepts any value from 0 to `last`.
  template <class E>
  void enumeration(E& value, E last) {
    using Number = std::underlying_type_t<E>;
    Number read{};
    number(read);
    if (read < Number{} || read > static_cast<Number>(last)) {
      refuse();
      read = Number{};
    }
    value = static_cast<E>(read);
  }
  void text(std::string& text, size_t most) {
    const auto view = bytes_.bytes(count(most, 1));
    text.assign(reinterpret_cast<const char*>(view.data()), view.size());
  }
  void bytes(std::vector<std::byte>& data, size_t most) {
    const auto view = bytes_.bytes(count(most, 1));
    data.assign(view.begin(), view.end());
  }
  template <class T>
  void sequence(std::vector<T>& elements, size_t most, size_t least) {
    const uint32_t size = count(most, least);
    elements.clear();
    for (uint32_t i = 0; i < size && ok(); ++i) fields(elements.emplace_back());
  }
  template <class T>
  void numbers(std::vector<T>& values, size_t most) {
    const uint32_t size = count(most, sizeof(T));
    const auto view = bytes_.bytes(size_t{size} * sizeof(T));
    values.resize(view.size() / sizeof(T));
    if (!view.empty()) std::memcpy(values.data(), view.data(), view.size());
  }
  // Reads a map. Keys must be in ascending order, each once.
  template <class K, class T, class F>
  void map(std::map<K, T>& entries, size_t most, F entry) {
    const uint32_t size = count(most, 1);
    entries.clear();
    for (uint32_t i = 0; i < size && ok(); ++i) {
      K key{};
      T value{};
      entry(*this, key, value);
      if (!entries.empty() && !(entries.rbegin()->first < key)) refuse();
      if (ok()) entries.emplace_hint(entries.end(), std::move(key), std::move(value));
    }
  }
  template <class T>
  void optional(std::optional<T>& held) {
    bool is_there = false;
    boolean(is_there);
    held.reset();
    if (is_there && ok()) fields(held.emplace());
  }

  void refuse() { is_refused_ = true; }
  bool ok() const { return !is_refused_ && bytes_.ok(); }
  // Returns whether the reader has read everything without an error.
  bool at_end() const { return !is_refused_ && bytes_.at_end(); }

 private:
  // Reads a count of elements that have at least `least` bytes each. Fails and returns 0 if too few bytes are left for them.
  uint32_t count(size_t most, size_t least) {
    uint32_t count = 0;
    number(count);
    if (ok() && count <= most && count <= bytes_.left() / least) return count;
    refuse();
    return 0;
  }

  ByteReader bytes_;
  bool is_refused_ = false;
};

}  // namespace nnvk::accelerators
