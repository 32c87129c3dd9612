// Sums over the invocations of a work group: 64, or 1024 with NNVK_WIDE.
#ifndef NNVK_SHADERS_SUPPRESSION_SCAN_GLSL
#define NNVK_SHADERS_SUPPRESSION_SCAN_GLSL

#ifdef NNVK_WIDE
const uint LANES = 1024;
const uint GROUP = 32;  // lanes that are summed up first: two short loops instead of a long one
#else
const uint LANES = 64;
const uint GROUP = 8;
#endif
const uint GROUPS = LANES / GROUP;
shared uint lane_values[LANES];
shared uint group_values[GROUPS];

// Makes all earlier writes visible to all invocations.
void synchronize() {
  memoryBarrierBuffer();
  memoryBarrierShared();
  barrier();
}

// Returns the sum of `value` over the invocations before this one; `total` gets the sum over all invocations. Until the next
// call, lane_values keeps the values, and group_values the sums of GROUP values.
uint scan(uint value, out uint total) {
  const uint lane = gl_LocalInvocationID.x;
  lane_values[lane] = value;
  synchronize();
  if (lane < GROUPS) {
    uint sum = 0;
    for (uint i = 0; i < GROUP; ++i) sum += lane_values[GROUP * lane + i];
    group_values[lane] = sum;
  }
  synchronize();
  const uint group = lane / GROUP;
  uint before = 0;
  total = 0;
  for (uint i = 0; i < GROUPS; ++i) {
    if (i == group) before = total;
    total += group_values[i];
  }
  for (uint i = GROUP * group; i < lane; ++i) before += lane_values[i];
  return before;
}

// Returns this invocation's share [x, y) of items 0 to n - 1. Shares are in the order of the invocations.
uvec2 share_of(uint n) {
  const uint chunk = (n + LANES - 1) / LANES;
  return min(gl_LocalInvocationID.x * chunk + uvec2(0, chunk), uvec2(n));
}

#endif
