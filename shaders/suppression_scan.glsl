// Sums over the 64 invocations of a work group.
#ifndef NNVK_SHADERS_SUPPRESSION_SCAN_GLSL
#define NNVK_SHADERS_SUPPRESSION_SCAN_GLSL

const uint LANES = 64;
const uint GROUP = 8;  // lanes that are summed up first: two short loops instead of a long one
shared uint lane_values[64];
shared uint group_values[8];

// Makes all earlier writes visible to all invocations.
void synchronize() {
  memoryBarrierBuffer();
  memoryBarrierShared();
  barrier();
}

// Returns the sum of `value` over the invocations before this one; `total` gets the sum over all invocations. Until the next
// call, lane_values keeps the values, and group_values the sums of eight values.
uint scan(uint value, out uint total) {
  const uint lane = gl_LocalInvocationID.x;
  lane_values[lane] = value;
  synchronize();
  if (lane < GROUP) {
    uint sum = 0;
    for (uint i = 0; i < GROUP; ++i) sum += lane_values[GROUP * lane + i];
    group_values[lane] = sum;
  }
  synchronize();
  const uint group = lane / GROUP;
  uint before = 0;
  total = 0;
  for (uint i = 0; i < GROUP; ++i) {
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
