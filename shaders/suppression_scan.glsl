// Sums over the 64 invocations of a work group.
#ifndef NNVK_SHADERS_SUPPRESSION_SCAN_GLSL
#define NNVK_SHADERS_SUPPRESSION_SCAN_GLSL

const uint LANES = 64;
shared uint lane_values[64];

// All writes before it are seen by all invocations behind it.
void synchronize() {
  memoryBarrierBuffer();
  memoryBarrierShared();
  barrier();
}

// Sum of `value` over the invocations before this one; `total`: over all. Leaves the values in lane_values until the next call.
uint scan(uint value, out uint total) {
  lane_values[gl_LocalInvocationID.x] = value;
  synchronize();
  uint before = 0;
  total = 0;
  for (uint lane = 0; lane < LANES; ++lane) {
    if (lane == gl_LocalInvocationID.x) before = total;
    total += lane_values[lane];
  }
  synchronize();
  return before;
}

// This invocation's share [x, y) of n consecutive things, in the order of the invocations.
uvec2 share_of(uint n) {
  const uint chunk = (n + LANES - 1) / LANES;
  return min(gl_LocalInvocationID.x * chunk + uvec2(0, chunk), uvec2(n));
}

#endif
