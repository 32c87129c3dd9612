// LSH_PROJECTION in two steps; many rows need several dispatches of the first.
//   (PACK off)  the weighted sum of the fingerprints of some input rows with one seed per invocation.
//   PACK        the signs of the sums, packed into one result per invocation.
// A key is the four bytes of the seed followed by those of a row; the fingerprint's names are the specification's.
#version 450
#include "tensor.glsl"
#include "float_bits.glsl"
#include "soft_double.glsl"
#include "lsh_projection_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;  // of seeds and weights: kElementFloat32 or kElementFloat16
layout(constant_id = 1) const bool WEIGHTED = false;
layout(constant_id = 2) const bool PACK = false;  // the second step

NNVK_PARAMS(LshParams)
NNVK_TABLE(0, in_seeds)
NNVK_TABLE(1, in_x)  // PACK: the scores
NNVK_TABLE(2, in_weights)
NNVK_INOUT(3, out_y)  // PACK off: the scores, four words per seed

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
  return joined(in_x(min(at >> 2, params.last_word)), in_x(min((at >> 2) + 1u, params.last_word)), at & 3u);
}
uint key_word(uint i) { return i == 0u ? key_seed : row_word(i - 1u); }
uint f4(uint at) { return joined(key_word(at >> 2), key_word((at >> 2) + 1u), at & 3u); }
uvec2 p[8];  // parts of the key; one array for all, because registers are few
// Loads eight bytes `count` times from `at` on, to p[first] and so on; a loop, so that the many loads of a fingerprint share one
// piece of code.
void load(uint at, uint count, uint first) {
  for (uint i = 0u; i < count; ++i) p[first + i] = uvec2(f4(at + 8u * i), f4(at + 8u * i + 4u));
}

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
void weak(uvec2 w0, uvec2 w1, uvec2 w2, uvec2 w3, uvec2 a, uvec2 b, out uvec2 first, out uvec2 second) {
  a = sum(a, w0);
  b = rot(sum(b, a, w3), 21u);
  const uvec2 c = a;
  a = sum(a, w1, w2);
  b = sum(b, rot(a, 44u));
  first = sum(a, w3);
  second = sum(b, c);
}

// Returns the fingerprint of a key above 64 bytes: mixes blocks of 64 bytes, then the last 64 bytes once more with other factors.
uvec2 fingerprint_long(uint len) {
  load(0u, 1u, 0u);
  uvec2 y = sum(mul(small(81u), k1), small(113u));
  uvec2 z = mul(mix_down(sum(mul(y, k2), small(113u))), k2);
  uvec2 x = sum(mul(small(81u), k2), p[0]);
  uvec2 v0 = uvec2(0u);
  uvec2 v1 = uvec2(0u);
  uvec2 w0 = uvec2(0u);
  uvec2 w1 = uvec2(0u);
  uvec2 m = k1;
  uvec2 times = small(1u);
  const uint blocks = (len - 1u) / 64u;
  for (uint block = 0u; block <= blocks; ++block) {
    if (block == blocks) {
      m = sum(k1, small((z.x & 255u) << 1));
      times = small(9u);
      w0 = sum(w0, small((len - 1u) & 63u));
      v0 = sum(v0, w0);
      w0 = sum(w0, v0);
    }
    load(block == blocks ? len - 64u : 64u * block, 8u, 0u);
    x = mul(rot(sum(sum(x, y, v0), p[1]), 37u), m);
    y = mul(rot(sum(y, v1, p[6]), 42u), m);
    x ^= mul(w1, times);
    y = sum(y, mul(v0, times), p[5]);
    z = mul(rot(sum(z, w0), 33u), m);
    const uvec2 old_w1 = w1;
    weak(p[0], p[1], p[2], p[3], mul(v1, m), sum(x, w0), v0, v1);
    weak(p[4], p[5], p[6], p[7], sum(z, old_w1), sum(y, p[2]), w0, w1);
    const uvec2 swapped = z;
    z = x;
    x = swapped;
  }
  return hash_len_16(sum(hash_len_16(v0, w0, m), mul(mix_down(y), k0), z), sum(hash_len_16(v1, w1, m), x), m);
}

uvec2 fingerprint(uint len) {
  if (len > 64u) return fingerprint_long(len);
  const uvec2 m = sum(k2, shift_left64(small(len), 1u));
  if (len < 8u) return hash_len_16(sum(small(len), shift_left64(small(key_word(0u)), 3u)), small(f4(len - 4u)), m);
  const uint count = min(len / 8u, 4u);
  load(0u, count, 0u);
  load(len - 8u * count, count, 4u);  // the last 32 bytes, or fewer if the key is shorter
  const uvec2 last = p[3u + count];
  if (len <= 16u) {
    const uvec2 a = sum(p[0], k2);
    return hash_len_16(sum(mul(rot(last, 37u), m), a), mul(sum(rot(a, 25u), last), m), m);
  }
  const uvec2 a = mul(p[0], len <= 32u ? k1 : k2);
  const uvec2 b = p[1];
  const uvec2 c = mul(last, m);
  const uvec2 d = mul(p[2u + count], k2);
  const uvec2 y = sum(rot(sum(a, b), 43u), rot(c, 30u), d);
  const uvec2 z = hash_len_16(y, sum(a, rot(sum(b, k2), 18u), c), m);
  if (len <= 32u) return z;
  const uvec2 e = mul(p[2], m);
  const uvec2 f = p[3];
  const uvec2 g = mul(sum(y, p[4]), m);
  const uvec2 h = mul(sum(z, p[5]), m);
  return hash_len_16(sum(rot(sum(e, f), 43u), rot(g, 30u), h), sum(e, rot(sum(f, a), 18u), g), m);
}

// ---- the sum ------------------------------------------------------------------------------------------------------------

// The weighted sum of the fingerprints that were added.
struct Score {
  SoftDouble total;
  int infinite;  // the sign of the infinities met, or 0
  bool undefined;
};

uvec4 words_of(Score score) {
  const uint flags = uint(score.total.negative) | uint(score.undefined) << 1 | uint(score.infinite + 1) << 2;
  return uvec4(flags, uint(score.total.exponent), score.total.mantissa);
}
Score score_of(uvec4 words) {
  return Score(SoftDouble((words.x & 1u) != 0u, int(words.y), words.zw), int(words.x >> 2) - 1, (words.x & 2u) != 0u);
}

bool is_positive(Score score) {
  if (score.undefined) return false;
  if (score.infinite != 0) return score.infinite > 0;
  return !score.total.negative && score.total.mantissa != uvec2(0u);
}

void add_row(inout Score score, uint row) {
  row_begin = row * params.row_bytes;
  SoftDouble value = double_of_int64(fingerprint(4u + params.row_bytes));
  if (WEIGHTED) {
    const uint weight = weight_bits(row);
    if ((weight & 0x7F800000u) == 0x7F800000u) {
      const int sign = value.negative != ((weight & 0x80000000u) != 0u) ? -1 : 1;
      const bool is_nan = (weight & 0x7FFFFFu) != 0u || value.mantissa == uvec2(0u);
      score.undefined = score.undefined || is_nan || score.infinite == -sign;
      score.infinite = sign;
      return;
    }
    value = multiply_by_float(value, weight);
  }
  score.total = add_doubles(score.total, value);
}

void main() {
  const uint i = nnvk_invocation();
  if (PACK) {
    if (i >= params.results) return;
    uint signature = 0u;
    for (uint j = 0u; j < params.bits; ++j) {
      signature = (signature << 1) | uint(is_positive(score_of(in_x4(i * params.bits + j))));
    }
    out_y_word(i, signature + i * params.step);
    return;
  }
  if (i >= params.results * params.bits) return;
  key_seed = seed_bits(i);
  Score score = Score(SoftDouble(false, 0, uvec2(0u)), 0, false);
  if (params.begin > 0) score = score_of(out_y4(i));
  for (uint row = params.begin; row < params.end; ++row) add_row(score, row);
  out_y_words4(i, words_of(score));
}
