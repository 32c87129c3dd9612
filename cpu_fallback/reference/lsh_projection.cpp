// LSH_PROJECTION: signs of weighted hashes of (seed, input row).
#include <bit>
#include <cstring>
#include <utility>

#include "core/operations/parameters/lsh_projection_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

constexpr uint64_t kPrime0 = 0xC3A5C85C97CB3127U;
constexpr uint64_t kPrime1 = 0xB492B66FBE98F273U;
constexpr uint64_t kPrime2 = 0x9AE16A3B2F90404FU;

// The 64-bit fingerprint of a key of bytes, as the specification defines it. Names follow the specification.
class Fingerprint {
 public:
  explicit Fingerprint(std::span<const std::byte> key) : key_(key), len_(key.size()), mul_(kPrime2 + 2 * key.size()) {}

  uint64_t value() const {
    if (len_ < 8) return hash_len_16(len_ + (uint64_t{f4(0)} << 3), f4(len_ - 4), mul_);
    if (len_ <= 16) {
      const uint64_t a = f8(0) + kPrime2;
      const uint64_t b = f8(len_ - 8);
      return hash_len_16(std::rotr(b, 37) * mul_ + a, (std::rotr(a, 25) + b) * mul_, mul_);
    }
    if (len_ <= 32) {
      const uint64_t a = f8(0) * kPrime1, b = f8(8), c = f8(len_ - 8) * mul_, d = f8(len_ - 16) * kPrime2;
      return hash_len_16(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + kPrime2, 18) + c, mul_);
    }
    return len_ <= 64 ? up_to_64() : longer();
  }

 private:
  using Pair = std::pair<uint64_t, uint64_t>;

  uint64_t f8(size_t at) const { return fetch<uint64_t>(at); }
  uint32_t f4(size_t at) const { return fetch<uint32_t>(at); }
  template <class T>
  T fetch(size_t at) const {
    T value{};
    std::memcpy(&value, key_.data() + at, sizeof value);
    return value;
  }
  static uint64_t mix(uint64_t v) { return v ^ (v >> 47); }
  static uint64_t hash_len_16(uint64_t u, uint64_t v, uint64_t m) {
    const uint64_t a = mix((u ^ v) * m);
    return mix((v ^ a) * m) * m;
  }
  Pair weak(size_t at, uint64_t a, uint64_t b) const {
    const uint64_t w0 = f8(at), w1 = f8(at + 8), w2 = f8(at + 16), w3 = f8(at + 24);
    a += w0;
    b = std::rotr(b + a + w3, 21);
    const uint64_t c = a;
    a += w1 + w2;
    b += std::rotr(a, 44);
    return {a + w3, b + c};
  }

  uint64_t up_to_64() const {
    const uint64_t a = f8(0) * kPrime2, b = f8(8), c = f8(len_ - 8) * mul_, d = f8(len_ - 16) * kPrime2;
    const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
    const uint64_t z = hash_len_16(y, a + std::rotr(b + kPrime2, 18) + c, mul_);
    const uint64_t e = f8(16) * mul_, f = f8(24), g = (y + f8(len_ - 32)) * mul_, h = (z + f8(len_ - 24)) * mul_;
    return hash_len_16(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, mul_);
  }

  uint64_t longer() const {
    uint64_t x = 81, y = 81 * kPrime1 + 113, z = mix(y * kPrime2 + 113) * kPrime2;
    Pair v{}, w{};
    x = x * kPrime2 + f8(0);
    const size_t end = (len_ - 1) / 64 * 64;
    for (size_t p = 0; p < end; p += 64) {
      x = std::rotr(x + y + v.first + f8(p + 8), 37) * kPrime1;
      y = std::rotr(y + v.second + f8(p + 48), 42) * kPrime1;
      x ^= w.second;
      y += v.first + f8(p + 40);
      z = std::rotr(z + w.first, 33) * kPrime1;
      v = weak(p, v.second * kPrime1, x + w.first);
      w = weak(p + 32, z + w.second, y + f8(p + 16));
      std::swap(z, x);
    }
    const uint64_t m = kPrime1 + ((z & 255) << 1);
    const size_t p = len_ - 64;
    w.first += (len_ - 1) & 63;
    v.first += w.first;
    w.first += v.first;
    x = std::rotr(x + y + v.first + f8(p + 8), 37) * m;
    y = std::rotr(y + v.second + f8(p + 48), 42) * m;
    x ^= w.second * 9;
    y += v.first * 9 + f8(p + 40);
    z = std::rotr(z + w.first, 33) * m;
    v = weak(p, v.second * m, x + w.first);
    w = weak(p + 32, z + w.second, y + f8(p + 16));
    std::swap(z, x);
    return hash_len_16(hash_len_16(v.first, w.first, m) + mix(y) * kPrime0 + z, hash_len_16(v.second, w.second, m) + x, m);
  }

  std::span<const std::byte> key_;
  uint64_t len_;
  uint64_t mul_;
};

// Returns the sum of weight * fingerprint(seed, row) over all rows; its sign is the output bit.
double score(float seed, std::span<const std::byte> input, size_t rows, std::span<const float> weights) {
  const size_t row_bytes = input.size() / rows;
  std::vector<std::byte> key(sizeof seed + row_bytes);
  std::memcpy(key.data(), &seed, sizeof seed);
  double sum = 0.0;
  DeadlineWatch watch;
  for (size_t r = 0; r < rows; ++r) {
    watch.look();
    std::memcpy(key.data() + sizeof seed, input.data() + r * row_bytes, row_bytes);
    const auto value = static_cast<double>(static_cast<int64_t>(Fingerprint(key).value()));
    sum += weights.empty() ? value : static_cast<double>(weights[r]) * value;
  }
  return sum;
}

Status lsh_projection(KernelContext& context) {
  NNVK_ASSIGN(const LshParameters p, lsh_projection_parameters(context.operation));
  const FloatInput seeds(context, lsh_projection::kHash);
  const auto input = context.operation.inputs[lsh_projection::kInput].value;
  const std::vector<float> weights = optional_floats(context, lsh_projection::kWeights);
  const auto out = context.output<int32_t>(lsh_projection::kOutput);
  for (size_t i = 0; i < p.hashes; ++i) {
    uint64_t signature = p.type == LshType::kSparse ? uint64_t{i} << p.bits : 0;
    for (size_t j = 0; j < p.bits; ++j) {
      const size_t at = i * p.bits + j;
      const bool bit = score(seeds[at], input, p.rows, weights) > 0;
      if (p.type == LshType::kDense) out[at] = bit ? 1 : 0;
      if (bit) signature += uint64_t{1} << (p.bits - 1 - j);
    }
    if (p.type != LshType::kDense) out[i] = static_cast<int32_t>(static_cast<uint32_t>(signature));
  }
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kLshProjection, lsh_projection}};

}  // namespace

std::span<const KernelRow> lsh_projection_kernels() { return kRows; }

}  // namespace nnvk::cpu
