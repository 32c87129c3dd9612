// RANDOM_MULTINOMIAL in four steps:
//   START    the largest finite logit of each row, and the start of the stream of random numbers.
//   WEIGHTS  exp(logit - largest) of each class in fixed point, one class per invocation.
//   SUMS     running sums of a row's weights.
//   DRAW     one sample per invocation: the first class whose sum exceeds a random share of the total.
// The numerics ask for doubles. Weights here have 63 fractional bits and errors below 2^-54, and sums are exact: better than
// doubles. A sample can differ from the reference's only if a random number is within rounding errors of a class boundary.
#version 450
#include "tensor.glsl"
#include "float_bits.glsl"
#include "uint64.glsl"
#include "random_multinomial_params.h"

layout(local_size_x = 64) in;
#if defined(START) || defined(WEIGHTS)
layout(constant_id = 0) const uint TYPE = 0;  // kElementFloat32 or kElementFloat16, read as raw integers
#endif

NNVK_PARAMS(MultinomialParams)

#if defined(START)

NNVK_INT_INPUT(0, in_logits, nnvk_raw_type(TYPE))
NNVK_INT_INPUT(1, in_seeds, kElementInt32)
NNVK_INOUT(2, state)        // entropy and the number of streams begun with it; stays between runs
NNVK_INOUT(3, out_start)    // key, upper words of the counter, then a float per row

void main() {
  const uint row = nnvk_invocation();
  if (row >= params.rows) return;
  // Without a finite logit, `largest` stays -infinity, and all weights of the row are 0.
  uint largest = params.begin == 0 ? 0xFF800000u : out_start(4u + row);
  uint largest_key = nnvk_sort_key(kElementFloat32, int(largest));
  for (uint j = params.begin; j < params.end; ++j) {
    const uint bits = nnvk_float_bits(TYPE, in_logits(row * params.classes + j));
    const uint key = nnvk_sort_key(kElementFloat32, int(bits));
    if ((bits & 0x7F800000u) == 0x7F800000u || key <= largest_key) continue;
    largest_key = key;
    largest = bits;
  }
  out_start_word(4u + row, largest);
  if (row != 0u || params.begin != 0) return;
  const ivec2 seeds = ivec2(in_seeds(0), in_seeds(1));
  const ivec2 extension = seeds >> 31;
  uvec4 start = uvec4(seeds.x, extension.x, seeds.y, extension.y);
  if (seeds == ivec2(0)) {
    // Executions may overlap: the atomic count gives each its own stream.
    start = state4(0) + uvec4(0u, 0u, 0u, atomicAdd(state_w[kEntropyWords], 1u));
  }
  out_start_words4(0, start);
}

#elif defined(WEIGHTS)

NNVK_INT_INPUT(0, in_logits, nnvk_raw_type(TYPE))
NNVK_TABLE(1, in_start)
NNVK_OUTPUT(2, out_sums)  // four words per class, the weight in the lower two

// A float in fixed point with 58 fractional bits, modulo 2^64.
uvec2 fixed58(uint bits) {
  const int exponent = max(int((bits >> 23) & 0xFFu), 1);
  const uint mantissa = (bits & 0x7FFFFFu) | ((bits & 0x7F800000u) != 0u ? 0x800000u : 0u);
  const int shift = exponent - 92;
  uvec2 magnitude = uvec2(shift > -32 ? mantissa >> uint(max(-shift, 0)) : 0u, 0u);
  if (shift > 0) magnitude = shift_left64(uvec2(mantissa, 0u), uint(min(shift, 64)));
  return (bits & 0x80000000u) != 0u ? subtract64(uvec2(0u), magnitude) : magnitude;
}

// 2^(-1/2), 2^(-1/4), ... 2^(-2^-16) with 64 fractional bits.
const uvec2 kRoots[16] = uvec2[](
    uvec2(0xF9DE6484u, 0xB504F333u), uvec2(0xD69D6AF4u, 0xD744FCCAu), uvec2(0xDD24392Fu, 0xEAC0C6E7u),
    uvec2(0x2486CC2Cu, 0xF5257D15u), uvec2(0x722A033Au, 0xFA83B2DBu), uvec2(0xF486C175u, 0xFD3E0C0Cu),
    uvec2(0x7B8F884Cu, 0xFE9E115Cu), uvec2(0x511EC8A5u, 0xFF4ECB59u), uvec2(0x1C8DAED2u, 0xFFA75652u),
    uvec2(0xC0F7E10Cu, 0xFFD3A751u), uvec2(0xF7DB2756u, 0xFFE9D2B2u), uvec2(0xFF1B8C3Eu, 0xFFF4E91Bu),
    uvec2(0xA0040664u, 0xFFFA747Eu), uvec2(0x7814EB54u, 0xFFFD3A3Bu), uvec2(0xC60DDAB1u, 0xFFFE9D1Cu),
    uvec2(0x25879BFAu, 0xFFFF4E8Eu));

// Returns exp(-t) with 63 fractional bits, for t in [0, 64) with 58 fractional bits.
uvec2 exponential(uvec2 t) {
  const uvec2 log2_e = uvec2(0x5C17F0BCu, 0xB8AA3B29u);  // 63 fractional bits
  const uvec2 ln_2 = uvec2(0xD1CF79ACu, 0xB17217F7u);    // 64
  const uvec2 sixth = uvec2(0xAAAAAAAAu, 0x2AAAAAAAu);   // 64
  const uvec2 power = multiply64_high(t, log2_e);        // 57: 2^-power is wanted
  uvec2 result = uvec2(0u, 0x80000000u);
  for (uint k = 0; k < 16; ++k) {
    if ((power.y >> (24u - k) & 1u) != 0u) result = multiply64_high(result, kRoots[k]);
  }
  // The remaining 41 bits are a power z / ln 2 below 2^-16: 1 - exp(-z) = z - z^2 / 2 + z^3 / 6.
  const uvec2 z = multiply64_high(shift_left64(uvec2(power.x, power.y & 0x1FFu), 7u), ln_2);
  const uvec2 z2 = multiply64_high(z, z);
  const uvec2 z3 = multiply64_high(z2, z);
  const uvec2 loss = add64(subtract64(z, shift_right64(z2, 1u)), multiply64_high(z3, sixth));
  result = subtract64(result, multiply64_high(result, loss));
  return shift_right64(result, power.y >> 25);
}

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.rows * params.classes) return;
  const uint largest = in_start(4u + i / params.classes);
  const uint bits = nnvk_float_bits(TYPE, in_logits(i));
  const bool finite = (bits & 0x7F800000u) != 0x7F800000u;
  // From a difference of 45 on, the weight is below 2^-64. Below 45, the difference modulo 64 is the exact difference.
  const bool near = uintBitsToFloat(largest) - uintBitsToFloat(bits) < 45.0;
  uvec2 weight = uvec2(0u);
  if (finite && near) weight = exponential(subtract64(fixed58(largest), fixed58(bits)));
  out_sums_words4(i, uvec4(weight, 0u, 0u));
}

#elif defined(SUMS)

NNVK_INOUT(0, sums)

void main() {
  const uint row = nnvk_invocation();
  if (row >= params.rows) return;
  const uint first = row * params.classes;
  uvec3 sum = params.begin == 0 ? uvec3(0u) : sums4(first + params.begin - 1).xyz;
  for (uint j = first + params.begin; j < first + params.end; ++j) {
    const uvec4 weight = sums4(j);
    uint carry;
    uint carry_high;
    sum.x = uaddCarry(sum.x, weight.x, carry);
    const uint upper = uaddCarry(weight.y, carry, carry_high);  // no weight is above 2^63: no carry
    sum.y = uaddCarry(sum.y, upper, carry);
    sum.z += carry;
    sums_words4(j, uvec4(sum, 0u));
  }
}

#else

NNVK_TABLE(0, in_start)
NNVK_TABLE(1, in_sums)
NNVK_OUTPUT(2, out_y)

// Block `index` of the stream: see core/base/philox.h.
uvec4 philox_block(uvec4 start, uint index) {
  uvec2 key = start.xy;
  uvec4 c = uvec4(index, 0u, start.zw);
  for (int round = 0; round < 10; ++round) {
    uvec2 first, second;
    umulExtended(0xD2511F53u, c.x, first.y, first.x);
    umulExtended(0xCD9E8D57u, c.z, second.y, second.x);
    c = uvec4(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
    key += uvec2(0x9E3779B9u, 0xBB67AE85u);
  }
  return c;
}

bool exceeds(uvec3 a, uvec3 b) { return a.z != b.z ? a.z > b.z : a.y != b.y ? a.y > b.y : a.x > b.x; }

void main() {
  const uint i = nnvk_invocation();
  if (i >= params.rows * params.samples) return;
  const uvec4 block = philox_block(in_start4(0), i / 2u);
  const uvec2 words = (i & 1u) == 0u ? block.xy : block.zw;
  const uvec2 share = uvec2(words.y, words.x & 0xFFFFFu);  // of 2^52
  const uint begin = i / params.samples * params.classes;
  const uvec3 total = in_sums4(begin + params.classes - 1u).xyz;
  // floor(share * total / 2^52): the sums are integers, so comparing with it is exact.
  const uvec4 low = multiply64_wide(share, total.xy);
  const uvec4 high = multiply64_wide(share, uvec2(total.z, 0u));
  uint carry;
  uvec3 upper;
  upper.x = uaddCarry(high.x, low.z, carry);
  const uvec2 rest = add64(add64(high.yz, uvec2(low.w, 0u)), uvec2(carry, 0u));
  upper.yz = rest;
  const uvec3 threshold = (uvec3(low.y, upper.xy) >> 20) | (upper << 12);
  uint first = 0;
  uint last = params.classes;
  while (first < last) {
    const uint middle = (first + last) / 2u;
    if (exceeds(in_sums4(begin + middle).xyz, threshold)) {
      last = middle;
    } else {
      first = middle + 1u;
    }
  }
  out_y_int(i, int(min(first, params.classes - 1u)));  // clamped, because without a finite logit no class is chosen
}

#endif
