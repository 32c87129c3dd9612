// Arrays from one element type to another.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nnvk::cpu {

// These functions convert halves and floats. Widening is exact; narrowing rounds to the nearest half, ties to even.
void halves_to_floats(const uint16_t* in, float* out, size_t count);
void floats_to_halves(const float* in, uint16_t* out, size_t count);

// These functions convert as CAST does: floats are truncated and clamped to the range, and NaN becomes 0.
void floats_to_ints(const float* in, int32_t* out, size_t count);
void ints_to_floats(const int32_t* in, float* out, size_t count);
void floats_to_unsigned_bytes(const float* in, std::byte* out, size_t count);
void ints_to_unsigned_bytes(const int32_t* in, std::byte* out, size_t count);
void unsigned_bytes_to_ints(const std::byte* in, int32_t* out, size_t count);

struct ByteQuantization {
  bool is_signed = false;
  float scale = 1.0F;
  int32_t zero_point = 0;
};
// Computes scale * (q - zero point).
void dequantize_bytes(const ByteQuantization& quantization, const std::byte* in, float* out, size_t count);
// Computes scales[i] * q[i] for signed bytes.
void dequantize_by_channel(const float* scales, const std::byte* in, float* out, size_t count);
// Computes zero point + round(x / scale), ties away from zero, clamped to the range; NaN becomes the upper limit.
void quantize_floats(const ByteQuantization& quantization, const float* in, std::byte* out, size_t count);

}  // namespace nnvk::cpu
