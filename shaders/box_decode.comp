// Refines boxes by deltas: AXIS_ALIGNED_BBOX_TRANSFORM, and the first step of GENERATE_PROPOSALS and DETECTION_POSTPROCESSING. One
// invocation computes a box. With kCodingAnchors, LANES of them share the scores of a box. `extra` is image_info (regions,
// proposals: rows of height, width) or the scores (anchors).
#version 450
#include "real_access.glsl"
#include "detection_params.h"
#define NNVK_LANES_ID 5
#include "slice_lanes.glsl"

layout(constant_id = 0) const uint CODING = 0;
layout(constant_id = 1) const uint BOX_TYPE = 0;
layout(constant_id = 2) const uint DELTA_TYPE = 0;
layout(constant_id = 3) const uint EXTRA_TYPE = 0;
layout(constant_id = 4) const uint OUT_TYPE = 0;

NNVK_PARAMS(BoxDecodeParams)
NNVK_REAL_INPUT(0, boxes, BOX_TYPE)
NNVK_REAL_INPUT(1, deltas, DELTA_TYPE)
NNVK_REAL_INPUT(2, extra, EXTRA_TYPE)
NNVK_TABLE(3, batch_index)
NNVK_REAL_OUTPUT(4, out_boxes)
NNVK_INOUT(5, marks)
NNVK_INOUT(6, status)

vec4 box_at(uint i) { return boxes_real4(i, params.box_scale, params.box_zero_point); }
float delta_at(uint i) { return deltas_real(i, params.delta_scale, params.delta_zero_point); }
float extra_at(uint i) { return extra_real(i, params.extra_scale, params.extra_zero_point); }

vec4 region(uint i) {
  const uint r = i / params.classes;
  const uint image = batch_index(r);  // a negative index wraps to a huge one
  const vec4 box = box_at(r);
  if (image >= params.images || !well_formed(box)) {
    atomicOr(status_w[kDetectionStatusMalformed], 1u);
    return vec4(0.0);
  }
  vec4 delta;
  for (uint v = 0; v < 4; ++v) delta[v] = delta_at(4 * i + v);
  return transform_box(box, delta, extra_at(2 * image), extra_at(2 * image + 1));
}

// Returns the box of candidate i. Candidates of an image are numbered (row * width + column) * anchors + anchor, whatever the
// layout of the deltas.
vec4 proposal(uint i) {
  const uint image = i / params.per_image;
  const uint candidate = i - image * params.per_image;
  const uint cell = candidate / params.anchors;
  const uint anchor = candidate - cell * params.anchors;
  precise const float x = float(cell % params.grid_width) * params.stride_x;
  precise const float y = float(cell / params.grid_width) * params.stride_y;
  precise const vec4 box = box_at(anchor) + vec4(x, y, x, y);
  if (!well_formed(box)) atomicOr(status_w[kDetectionStatusMalformed], 1u);
  vec4 delta;
  for (uint v = 0; v < 4; ++v) {
    const uint channel = 4 * anchor + v;
    const uint within = params.nchw != 0 ? channel * params.grid_cells + cell : 4 * candidate + v;
    delta[v] = delta_at(4 * params.per_image * image + within);
  }
  const float height = extra_at(2 * image);
  const float width = extra_at(2 * image + 1);
  const vec4 moved = transform_box(box, delta, height, width);
  precise const float box_width = moved.z - moved.x;
  precise const float box_height = moved.w - moved.y;
  precise const float centre_x = moved.x + box_width * 0.5;
  precise const float centre_y = moved.y + box_height * 0.5;
  const bool kept = box_width > params.min_size && box_height > params.min_size && centre_x < width && centre_y < height;
  marks_word(params.at_marks + i, kept ? 1u : 0u);
  return moved;
}

// Returns the better of two scores; any number is better than NaN.
float better_score(float a, float b) { return score_order(b) > score_order(a) ? b : a; }
NNVK_LANES(best_of_lanes, float, better_score, )

// Returns anchor i. In anchors, deltas and boxes of this operation, y comes before x.
vec4 anchor(uint i) {
  const vec4 box = box_at(i % params.anchors);
  vec2 centre;
  vec2 half_size;
  for (uint d = 0; d < 2; ++d) {
    const uint at = i * params.delta_length + d;
    precise const float move = box[d + 2] * delta_at(at);
    precise const float at_centre = box[d] + divide(move, d == 0 ? params.stride_y : params.stride_x);
    const float growth = exponential(divide(delta_at(at + 2), d == 0 ? params.scale_h : params.scale_w));
    precise const float extent = box[d + 2] * growth * 0.5;
    centre[d] = at_centre;
    half_size[d] = extent;
  }
  precise const vec4 corners = vec4(centre - half_size, centre + half_size);
  float best = not_a_number();
  for (uint c = 1 + nnvk_lane(); c < params.classes; c += LANES) best = better_score(best, extra_at(i * params.classes + c));
  if (LANES > 1) best = best_of_lanes(best);
  marks_float(params.at_marks + i, best);
  return corners;
}

void main() {
  const bool exists = nnvk_fold() < params.count;
  if (LANES == 1 && !exists) return;
  const uint i = min(nnvk_fold(), params.count - 1);  // lanes past the end repeat the last box, for the barriers
  const vec4 box = CODING == kCodingRegions ? region(i) : CODING == kCodingProposals ? proposal(i) : anchor(i);
  if (nnvk_lane() != 0 || !exists) return;
  out_boxes_real4(OUT_TYPE, i, box, params.out_scale, params.out_zero_point);
}
