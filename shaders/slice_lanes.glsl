// Lanes: invocations of a work group that share a fold. Each folds every LANES-th step; then their values are combined in a fixed
// order (or by subgroup operations), and all get the result. Define NNVK_LANES_ID, the id of the LANES constant, first.
#ifndef NNVK_SHADERS_SLICE_LANES_GLSL
#define NNVK_SHADERS_SLICE_LANES_GLSL
#ifdef NNVK_SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif

layout(local_size_x = 64) in;
layout(constant_id = NNVK_LANES_ID) const uint LANES = 1;  // lanes per fold: a power of two up to 64; 64 with NNVK_SUBGROUPS

// Folds of a work group; neighbouring invocations work on neighbouring folds.
const uint FOLDS = 64 / LANES;
uint nnvk_fold() {
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * FOLDS + gl_LocalInvocationID.x % FOLDS;
}
uint nnvk_lane() { return gl_LocalInvocationID.x / FOLDS; }

// NNVK_LANES(NAME, TYPE, COMBINE, SUBGROUP_COMBINE) defines TYPE NAME(TYPE), which combines the values of a fold's lanes by TYPE
// COMBINE(TYPE, TYPE); SUBGROUP_COMBINE does it for a whole subgroup. All invocations of the work group must call it, at most
// once, and only if LANES > 1.
#ifdef NNVK_SUBGROUPS
#define NNVK_LANES(NAME, TYPE, COMBINE, SUBGROUP_COMBINE)                                     \
  shared TYPE NAME##_parts[64];                                                               \
  TYPE NAME(TYPE value) {                                                                     \
    value = SUBGROUP_COMBINE(value);                                                          \
    if (gl_NumSubgroups == 1) return value;                                                   \
    if (subgroupElect()) NAME##_parts[gl_SubgroupID] = value;                                 \
    barrier();                                                                                \
    value = NAME##_parts[0];                                                                  \
    for (uint s = 1; s < gl_NumSubgroups; ++s) value = COMBINE(value, NAME##_parts[s]);       \
    return value;                                                                             \
  }
#else
// Two rounds: every lane combines the parts of up to eight lanes, then the results of eight lanes.
const uint NNVK_ROUND = LANES < 8 ? LANES : 8;
#define NNVK_LANES(NAME, TYPE, COMBINE, SUBGROUP_COMBINE)                                     \
  shared TYPE NAME##_parts[64];                                                               \
  shared TYPE NAME##_rounds[64];                                                              \
  TYPE NAME(TYPE value) {                                                                     \
    const uint fold = gl_LocalInvocationID.x % FOLDS;                                         \
    NAME##_parts[gl_LocalInvocationID.x] = value;                                             \
    barrier();                                                                                \
    if (LANES > NNVK_ROUND) {                                                                 \
      const uint first = nnvk_lane() % NNVK_ROUND;                                            \
      value = NAME##_parts[first * FOLDS + fold];                                             \
      for (uint l = first + NNVK_ROUND; l < LANES; l += NNVK_ROUND) {                         \
        value = COMBINE(value, NAME##_parts[l * FOLDS + fold]);                               \
      }                                                                                       \
      NAME##_rounds[gl_LocalInvocationID.x] = value;                                          \
      barrier();                                                                              \
      value = NAME##_rounds[fold];                                                            \
      for (uint l = 1; l < NNVK_ROUND; ++l) value = COMBINE(value, NAME##_rounds[l * FOLDS + fold]); \
    } else {                                                                                  \
      value = NAME##_parts[fold];                                                             \
      for (uint l = 1; l < LANES; ++l) value = COMBINE(value, NAME##_parts[l * FOLDS + fold]); \
    }                                                                                         \
    return value;                                                                             \
  }
#endif

#endif
