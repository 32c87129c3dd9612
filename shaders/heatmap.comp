// HEATMAP_MAX_KEYPOINT: sixteen invocations find the peak of a heatmap, and a work group finds those of four maps. The first of
// the sixteen refines the peak by a quadratic fit of its neighbourhood.
#version 450
#include "real_access.glsl"
#include "detection_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint MAP_TYPE = 0;  // of heatmaps and scores
layout(constant_id = 1) const uint BOX_TYPE = 0;  // of boxes and keypoints

NNVK_PARAMS(HeatmapParams)
NNVK_REAL_INPUT(0, maps, MAP_TYPE)
NNVK_REAL_INPUT(1, boxes, BOX_TYPE)
NNVK_REAL_OUTPUT(2, out_scores)
NNVK_REAL_OUTPUT(3, out_keypoints)
NNVK_INOUT(4, status)

const uint LANES_PER_MAP = 16;
const uint NOTHING = 0xFFFFFFFFu;  // as a position: no cell is above the start value

shared uvec2 peaks[64];  // order of the value, position
shared float scores[4];

float value_at(uint map, uint y, uint x) {
  return maps_real(map + y * params.step_row + x * params.step_column, params.map_scale, params.map_zero_point);
}

uint mirrored(uint i, int step) {
  const int moved = int(i) + step;
  return uint(moved < 0 ? 1 : moved >= int(params.side) ? int(params.side) - 2 : moved);
}

// Returns (order, cell) of the highest score among this invocation's cells; the first one wins among equal scores. The cell is
// NOTHING if no score is above the lowest finite number.
uvec2 find_peak(uint map) {
  uvec2 peak = uvec2(score_order(-3.4028234663852886e38), NOTHING);
  const uint cells = params.side * params.side;
  for (uint cell = gl_LocalInvocationID.x % LANES_PER_MAP; cell < cells; cell += LANES_PER_MAP) {
    const uint order = score_order(value_at(map, cell / params.side, cell % params.side));
    if (order > peak.x) peak = uvec2(order, cell);
  }
  return peak;
}

// Returns (x, y, score) of the keypoint, in cells; `peak` is the highest cell.
vec3 refine(uint map, uint peak) {
  const float largest = peak == NOTHING ? -3.4028234663852886e38 : value_at(map, peak / params.side, peak % params.side);
  const uint peak_x = peak == NOTHING ? 0 : peak % params.side;
  const uint peak_y = peak == NOTHING ? 0 : peak / params.side;
  float g[9];
  for (int i = 0; i < 9; ++i) g[i] = value_at(map, mirrored(peak_y, i / 3 - 1), mirrored(peak_x, i % 3 - 1));
  precise const float bx = -(g[5] - g[3]) * 0.5;
  precise const float by = -(g[7] - g[1]) * 0.5;
  precise const float axx = g[3] - 2.0 * g[4] + g[5];
  precise const float axy = (g[8] - g[6] - g[2] + g[0]) * 0.25;
  precise const float ayy = g[1] - 2.0 * g[4] + g[7];
  precise const float p = axx * ayy;
  precise const float determinant = p - axy * axy;
  precise const float limit = params.tolerance + params.tolerance * p;
  const bool comparable = !is_nan(determinant) && !is_nan(limit);
  if (comparable && abs(determinant) < limit) return vec3(peak_x, peak_y, largest);
  precise const vec2 numerators = vec2(ayy * bx - axy * by, axx * by - axy * bx);
  precise float dx;
  precise float dy;
  for (uint d = 0; d < 2; ++d) {
    const float moved = divide(d == 0 ? numerators.x : numerators.y, determinant);
    if (d == 0) dx = moved;
    if (d == 1) dy = moved;
  }
  if (abs(dx) > 1.5 || abs(dy) > 1.5) {
    const float shrink = divide(1.5, greater(abs(dx), abs(dy)));
    dx = dx * shrink;
    dy = dy * shrink;
  }
  precise const float score = g[4] - bx * dx - by * dy + ((axx * dx + axy * dy) * dx + (axy * dx + ayy * dy) * dy) * 0.5;
  precise const float x = float(peak_x) + dx;
  precise const float y = float(peak_y) + dy;
  return vec3(x, y, score);
}

// Stores the two coordinates of the map's keypoint.
void store_keypoint(uint map, vec2 at) {
  if (BOX_TYPE == kElementFloat32) {
    out_keypoints_words2(map, floatBitsToUint(at));
  } else if (BOX_TYPE == kElementFloat16) {
    out_keypoints_word(map, nnvk_pack_shorts(nnvk_half_bits(vec4(at, 0.0, 0.0))).x);
  } else {
    ivec2 q;
    for (uint d = 0; d < 2; ++d) q[d] = nnvk_quantize_real(BOX_TYPE, at[d], params.box_scale, 0.0);
    out_keypoints_word(map, nnvk_pack_shorts(uvec4(q, 0, 0)).x);
  }
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint first = 4 * (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
  const uint i = first + lane / LANES_PER_MAP;
  const uint b = i / params.keypoints;
  const uint map = b * params.step_box + (i - b * params.keypoints) * params.step_keypoint;
  peaks[lane] = i < params.maps ? find_peak(map) : uvec2(0);
  barrier();
  if (lane % LANES_PER_MAP == 0) scores[lane / LANES_PER_MAP] = 0.0;
  if (lane % LANES_PER_MAP == 0 && i < params.maps) {
    uvec2 peak = peaks[lane];
    for (uint other = lane + 1; other < lane + LANES_PER_MAP; ++other) {
      const uvec2 candidate = peaks[other];
      if (candidate.x > peak.x || (candidate.x == peak.x && candidate.y < peak.y)) peak = candidate;
    }
    const vec4 box = boxes_real4(b, params.box_scale, 0.0);
    if (!well_formed(box)) atomicOr(status_w[kDetectionStatusMalformed], 1u);
    const vec3 found = refine(map, peak.y);
    precise const vec2 middle = found.xy + 0.5;
    precise const vec2 extent = box.zw - box.xy;
    vec2 relative;
    for (uint d = 0; d < 2; ++d) relative[d] = divide(middle[d], float(params.side));
    precise const vec2 at = box.xy + relative * extent;
    store_keypoint(i, at);
    scores[lane / LANES_PER_MAP] = found.z;
  }
  barrier();
  if (lane != 0 || first >= params.maps) return;
  out_scores_real4(MAP_TYPE, first / 4, vec4(scores[0], scores[1], scores[2], scores[3]), params.score_scale,
                   params.score_zero_point);
}
