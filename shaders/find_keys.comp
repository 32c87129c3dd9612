// HASHTABLE_LOOKUP: binary search for four keys per invocation. Writes their rows (-1: not found) and the hits as bytes. Finds
// the first of equal keys. With unsorted keys the result is undefined, but the same as the reference's.
#version 450
#include "tensor.glsl"
#include "lookup_params.h"

layout(local_size_x = 64) in;

NNVK_PARAMS(FindKeysParams)
NNVK_INT_INPUT(0, in_lookups, kElementInt32)
NNVK_INT_INPUT(1, in_keys, kElementInt32)
NNVK_OUTPUT(2, out_rows)
NNVK_OUTPUT(3, out_hits)

int row_of(int wanted) {
  uint low = 0;
  uint high = params.keys;
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (in_keys(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low >= params.keys) return -1;
  return in_keys(low) == wanted ? int(low) : -1;
}

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.lookups) return;
  ivec4 rows;
  for (int k = 0; k < 4; ++k) rows[k] = row_of(in_lookups(min(4 * i + k, params.lookups - 1)));
  out_rows_int4(kElementInt32, i, rows);
  out_hits_int4(kElementUint8, i, ivec4(greaterThanEqual(rows, ivec4(0))));
}
