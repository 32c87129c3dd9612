// Computes SHA-256 over values that the caller adds one after the other.
#pragma once

#include <sys/types.h>

#include <sha2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace nnvk {

using Sha256Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  Sha256() { ::SHA256Init(&context_); }

  Sha256& add(std::span<const std::byte> bytes) {
    ::SHA256Update(&context_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    return *this;
  }
  Sha256& add(std::string_view text) { return add(std::as_bytes(std::span(text))); }  // without a terminator
  template <class T>
  requires(std::is_integral_v<T>) Sha256& add(T number) {  // its bytes in memory
    return add(std::as_bytes(std::span(&number, 1)));
  }
  // Returns the digest of all bytes. The object must not be used afterwards.
  Sha256Digest finish() {
    Sha256Digest digest{};
    ::SHA256Final(digest.data(), &context_);
    return digest;
  }

 private:
  SHA2_CTX context_;
};

}  // namespace nnvk
