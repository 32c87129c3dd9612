// LSH_PROJECTION: every invocation hashes all input rows with the seeds of one result and packs the signs of the sums. The keys
// are the four bytes of the seed and then those of a row; the fingerprint's names follow the specification.
#version 450
#include "tensor.glsl"
#include "float_bits.glsl"
#include "soft_double.glsl"
#include "lsh_projection_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;  // of seeds and weights: kElementFloat32 or kElementFloat16
layout(constant_id = 1) const bool WEIGHTED = false;

NNVK_PARAMS(LshParams)
NNVK_TABLE(0, in_seeds)
NNVK_TABLE(1, in_x)
NNVK_TABLE(2, in_weights)
NNVK_OUTPUT(3, out_y)

uint float_bits_at(uint words, uint i) {
  return TYPE == kElementFloat16 ? nnvk_widen_half((words >> ((i & 1u) * 16u)) & 0xFFFFu) : words;
}
uint seed_bits(uint i) { return float_bits_at(in_seeds(TYPE == kElementFloat16 ? i >> 1 : i), i); }
uint weight_bits(uint i) { return float_bits_at(in_weights(TYPE == kElementFloat16 ? i >> 1 : i), i); }

// ---- the key ------------------------------------------------------------------------------------------------------------

uint key_seed;
uint row_begin;  // first byte of the row

uint joined(uint low, uint high, uint bytes) { return bytes == 0u ? low : (low >> (8u * bytes)) | (high << (32u - 8u * bytes)); }

uint row_word(uint i) {
  const uint at = row_begin + 4u * i;
  return joined(in_x(at >> 2), in_x(min((at >> 2) + 1u, params.last_word)), at & 3u);
}
uint key_word(uint i) { return i == 0u ? key_seed : row_word(i - 1u); }
uint f4(uint at) {
  const uint low = key_word(at >> 2);
  return (at & 3u) == 0u ? low : joined(low, key_word((at >> 2) + 1u), at & 3u);
}
uvec2 f8(uint at) { return uvec2(f4(at), f4(at + 4u)); }

// ---- the fingerprint ----------------------------------------------------------------------------------------------------

const uvec2 k0 = uvec2(0x97CB3127u, 0xC3A5C85Cu);
const uvec2 k1 = uvec2(0xBE98F273u, 0xB492B66Fu);
const uvec2 k2 = uvec2(0x2F90404Fu, 0x9AE16A3Bu);

uvec2 rot(uvec2 v, uint n) { return rotate_right64(v, n); }
uvec2 mul(uvec2 a, uvec2 b) { return multiply64(a, b); }
uvec2 sum(uvec2 a, uvec2 b) { return add64(a, b); }
uvec2 sum(uvec2 a, uvec2 b, uvec2 c) { return add64(add64(a, b), c); }
uvec2 small(uint v) { return uvec2(v, 0u); }
uvec2 mix_down(uvec2 v) { return v ^ shift_right64(v, 47u); }
uvec2 hash_len_16(uvec2 u, uvec2 v, uvec2 m) {
  const uvec2 a = mix_down(mul(u ^ v, m));
  return mul(mix_down(mul(v ^ a, m)), m);
}
void weak(uint at, uvec2 a, uvec2 b, out uvec2 first, out uvec2 second) {
  const uvec2 w3 = f8(at + 24u);
  a = sum(a, f8(at));
  b = rot(sum(b, a, w3), 21u);
  const uvec2 c = a;
  a = sum(a, f8(at + 8u), f8(at + 16u));
  b = sum(b, rot(a, 44u));
  first = sum(a, w3);
  second = sum(b, c);
}

// One step of keys above 64 bytes: the state (x, y, z, v, w), mixed with the 64 bytes at `at`.
struct LongState {
  uvec2 x, y, z, v0, v1, w0, w1;
};
void mix_block(inout LongState s, uint at, uvec2 m, uint w1_times, uint v0_times) {
  s.x = mul(rot(sum(sum(s.x, s.y, s.v0), f8(at + 8u)), 37u), m);
  s.y = mul(rot(sum(s.y, s.v1, f8(at + 48u)), 42u), m);
  s.x ^= mul(s.w1, small(w1_times));
  s.y = sum(s.y, mul(s.v0, small(v0_times)), f8(at + 40u));
  s.z = mul(rot(sum(s.z, s.w0), 33u), m);
  uvec2 v0, v1, w0, w1;
  weak(at, mul(s.v1, m), sum(s.x, s.w0), v0, v1);
  weak(at + 32u, sum(s.z, s.w1), sum(s.y, f8(at + 16u)), w0, w1);
  s = LongState(s.z, s.y, s.x, v0, v1, w0, w1);
}

uvec2 fingerprint_long(uint len) {
  LongState s;
  s.y = sum(mul(small(81u), k1), small(113u));
  s.z = mul(mix_down(sum(mul(s.y, k2), small(113u))), k2);
  s.x = sum(mul(small(81u), k2), f8(0u));
  s.v0 = s.v1 = s.w0 = s.w1 = uvec2(0u);
  const uint end = (len - 1u) / 64u * 64u;
  for (uint at = 0u; at < end; at += 64u) mix_block(s, at, k1, 1u, 1u);
  const uvec2 m = sum(k1, small((s.z.x & 255u) << 1));
  s.w0 = sum(s.w0, small((len - 1u) & 63u));
  s.v0 = sum(s.v0, s.w0);
  s.w0 = sum(s.w0, s.v0);
  mix_block(s, len - 64u, m, 9u, 9u);
  return hash_len_16(sum(hash_len_16(s.v0, s.w0, m), mul(mix_down(s.y), k0), s.z), sum(hash_len_16(s.v1, s.w1, m), s.x), m);
}

uvec2 fingerprint(uint len) {
  const uvec2 m = sum(k2, shift_left64(small(len), 1u));
  if (len < 8u) return hash_len_16(sum(small(len), shift_left64(small(f4(0u)), 3u)), small(f4(len - 4u)), m);
  if (len <= 16u) {
    const uvec2 a = sum(f8(0u), k2);
    const uvec2 b = f8(len - 8u);
    return hash_len_16(sum(mul(rot(b, 37u), m), a), mul(sum(rot(a, 25u), b), m), m);
  }
  if (len > 64u) return fingerprint_long(len);
  const uvec2 a = mul(f8(0u), len <= 32u ? k1 : k2);
  const uvec2 b = f8(8u);
  const uvec2 c = mul(f8(len - 8u), m);
  const uvec2 d = mul(f8(len - 16u), k2);
  const uvec2 y = sum(rot(sum(a, b), 43u), rot(c, 30u), d);
  const uvec2 second = sum(a, rot(sum(b, k2), 18u), c);
  const uvec2 z = hash_len_16(y, second, m);
  if (len <= 32u) return z;
  const uvec2 e = mul(f8(16u), m);
  const uvec2 f = f8(24u);
  const uvec2 g = mul(sum(y, f8(len - 32u)), m);
  const uvec2 h = mul(sum(z, f8(len - 24u)), m);
  return hash_len_16(sum(rot(sum(e, f), 43u), rot(g, 30u), h), sum(e, rot(sum(f, a), 18u), g), m);
}

// ---- the sum ------------------------------------------------------------------------------------------------------------

// The weighted sum of the rows' fingerprints is above zero.
bool is_positive(uint seed) {
  key_seed = seed_bits(seed);
  SoftDouble total = SoftDouble(false, 0, uvec2(0u));
  int infinite = 0;  // the sign of the infinities met
  bool undefined = false;
  for (uint row = 0u; row < params.rows; ++row) {
    row_begin = row * params.row_bytes;
    SoftDouble value = double_of_int64(fingerprint(4u + params.row_bytes));
    if (WEIGHTED) {
      const uint weight = weight_bits(row);
      if ((weight & 0x7F800000u) == 0x7F800000u) {
        const int sign = value.negative != ((weight & 0x80000000u) != 0u) ? -1 : 1;
        undefined = undefined || (weight & 0x7FFFFFu) != 0u || value.mantissa == uvec2(0u) || infinite == -sign;
        infinite = sign;
        continue;
      }
      value = multiply_by_float(value, weight);
    }
    total = add_doubles(total, value);
  }
  if (undefined) return false;
  if (infinite != 0) return infinite > 0;
  return !total.negative && total.mantissa != uvec2(0u);
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.results) return;
  uint signature = 0u;
  for (uint j = 0u; j < params.bits; ++j) signature = (signature << 1) | uint(is_positive(i * params.bits + j));
  out_y_word(i, signature + i * params.step);
}
