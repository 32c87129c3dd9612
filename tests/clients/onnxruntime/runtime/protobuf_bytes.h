// Fields of protocol buffers as bytes, for tests that write ONNX files by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace nnvk::test {

inline std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes += static_cast<char>(value);
}

inline std::string number(int field, int64_t value) {
  return varint(static_cast<uint64_t>(field) << 3) + varint(static_cast<uint64_t>(value));
}

// A field of four bytes.
inline std::string fixed(int field, float value) {
  std::string bytes = varint(static_cast<uint64_t>(field) << 3 | 5);
  const size_t begin = bytes.size();
  bytes.resize(begin + sizeof value);
  std::memcpy(bytes.data() + begin, &value, sizeof value);
  return bytes;
}

// A field with bytes: a text, packed numbers or another message.
inline std::string message(int field, std::string_view bytes) {
  return varint(static_cast<uint64_t>(field) << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

}  // namespace nnvk::test
