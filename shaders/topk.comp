// TOPK_V2, larger values first and among equal values the larger index. Every element finds its place by counting those before
// it, so that long rows run in parallel. Three steps:
//   SORT    four neighbouring elements of a span per invocation, counted against the whole span.
//   MERGE   one list entry per invocation; adds its own place and its places in the other lists.
//   (none)  the values of the winners, four per invocation.
#version 450
#include "tensor.glsl"
#include "float_bits.glsl"
#include "topk_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;  // of the elements, read as raw integers

NNVK_PARAMS(TopkParams)
NNVK_INT_INPUT(0, in_x, nnvk_raw_type(TYPE))

#if defined(SORT)

NNVK_OUTPUT(1, out_lists)

void main() {
  const uint i = nnvk_invocation();
  const uint quads = (params.size + 3) / 4;
  const uint row = i / quads;
  if (row >= params.rows) return;
  const uvec4 mine = 4 * (i - row * quads) + uvec4(0, 1, 2, 3);
  const uint start = row * params.size;
  uvec4 key;
  for (int k = 0; k < 4; ++k) key[k] = nnvk_sort_key(TYPE, in_x(start + min(mine[k], params.size - 1)));
  const uint list = mine.x / params.span;
  const uint end = min(params.size, (list + 1) * params.span);
  uvec4 place = uvec4(0);
  for (uint j = list * params.span; j < end; ++j) {
    const uvec4 other = uvec4(nnvk_sort_key(TYPE, in_x(start + j)));
    const uvec4 tie = uvec4(equal(other, key)) * uvec4(greaterThan(uvec4(j), mine));
    place += uvec4(greaterThan(other, key)) + tie;
  }
  const uint length = min(params.k, params.span);
  const uint lists = (params.size + params.span - 1) / params.span;
  for (int k = 0; k < 4; ++k) {
    if (mine[k] < params.size && place[k] < length) out_lists_word((row * lists + list) * length + place[k], mine[k]);
  }
}

#elif defined(MERGE)

NNVK_INT_INPUT(1, in_lists, kElementInt32)
NNVK_OUTPUT(2, out_lists)

void main() {
  const uint i = nnvk_invocation();
  const uint length = min(params.k, params.span);
  const uint lists = (params.size + params.span - 1) / params.span;
  const uint slot = i / length;
  const uint position = i - slot * length;
  const uint row = slot / lists;
  if (row >= params.rows) return;
  const uint list = slot - row * lists;
  if (position >= min(params.span, params.size - list * params.span)) return;  // the last list may be shorter
  const uint start = row * params.size;
  const uint mine = uint(in_lists(i));
  const uint key = nnvk_sort_key(TYPE, in_x(start + mine));
  const uint group = list / params.ways;
  uint place = position;
  const uint last = min(lists, (group + 1) * params.ways);
  for (uint other = group * params.ways; other < last; ++other) {
    if (other == list) continue;
    const uint base = (row * lists + other) * length;
    uint low = 0;
    uint high = min(length, params.size - other * params.span);
    while (low < high) {
      const uint middle = (low + high) / 2;
      const uint index = uint(in_lists(base + middle));
      const uint value = nnvk_sort_key(TYPE, in_x(start + index));
      if (value > key || (value == key && index > mine)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    place += low;
  }
  const uint merged_length = min(params.k, params.span * params.ways);
  const uint merged_lists = (lists + params.ways - 1) / params.ways;
  if (place < merged_length) out_lists_word((row * merged_lists + group) * merged_length + place, mine);
}

#else

NNVK_INT_INPUT(1, in_indices, kElementInt32)
NNVK_OUTPUT(2, out_values)

void main() {
  const uint i = nnvk_invocation();
  const uint results = params.rows * params.k;
  if (4 * i >= results) return;
  const uvec4 at = min(4 * i + uvec4(0, 1, 2, 3), uvec4(results - 1));
  ivec4 values;
  for (int k = 0; k < 4; ++k) values[k] = in_x(at[k] / params.k * params.size + uint(in_indices(at[k])));
  out_values_int4(nnvk_raw_type(TYPE), i, values);
}

#endif
