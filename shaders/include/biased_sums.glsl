// Computes averages over more bytes than 32-bit sums hold. Kernels add up bytes in parts and add 128 to each byte, so that
// nothing is negative. BiasedSums holds the total as quotient and remainder of the number of bytes.
#ifndef NNVK_SHADERS_BIASED_SUMS_GLSL
#define NNVK_SHADERS_BIASED_SUMS_GLSL

// Four sums.
struct BiasedSums {
  uvec4 quotient;
  uvec4 rest;
};

BiasedSums nnvk_no_sums() { return BiasedSums(uvec4(0), uvec4(0)); }

// Adds `part`, below 2^31, to sums over `count` bytes in all, at most 2^31.
void nnvk_add_part(inout BiasedSums sums, uvec4 part, uvec4 count) {
  const uvec4 rest = sums.rest + part;
  const uvec4 whole = rest / count;
  sums.quotient += whole;
  sums.rest = rest - whole * count;
}

// Returns the averages rounded toward minus infinity; `sums.rest` is the remainder.
ivec4 nnvk_floor_average(BiasedSums sums) { return ivec4(sums.quotient) - 128; }

#endif
