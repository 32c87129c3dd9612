// Averages over more bytes than 32-bit sums hold: the sum is kept as quotient and remainder of the number of elements.
#ifndef NNVK_SHADERS_BYTE_SUM_GLSL
#define NNVK_SHADERS_BYTE_SUM_GLSL

const uint kNnvkBytesPerFlush = 1u << 22;

// Four sums. Values are 128 higher than they are, so that nothing is negative.
struct ByteSums {
  uvec4 quotient;
  uvec4 rest;
  uvec4 pending;  // of at most kNnvkBytesPerFlush elements
  uint count;     // elements in `pending`
};

void nnvk_flush(inout ByteSums sums, uint elements) {
  const uvec4 rest = sums.rest + sums.pending;
  sums.quotient += rest / elements;
  sums.rest = rest % elements;
  sums.pending = uvec4(0);
  sums.count = 0;
}

// Adds bytes (or signed bytes) to sums over `elements` elements in all, at most 2^31.
void nnvk_add(inout ByteSums sums, ivec4 bytes, uint elements) {
  sums.pending += uvec4(bytes + 128);
  if (++sums.count == kNnvkBytesPerFlush) nnvk_flush(sums, elements);
}

// The averages rounded toward minus infinity, after nnvk_flush(); `rest` is what they leave.
ivec4 nnvk_floor_average(ByteSums sums) { return ivec4(sums.quotient) - 128; }

#endif
