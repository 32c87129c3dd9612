// Greedy suppression: one work group per list (class in x, image in y) collects the candidates in order and then picks. It moves
// the best candidate to the front and compares every other one with it. Survivors from the end of the list then fill the gaps of
// removed candidates as in the specification's serial algorithm: the k-th gap from the left gets the k-th survivor from the
// right. GPUs run long lists in large work groups (NNVK_WIDE).
#version 450
#include "real_access.glsl"
#include "suppression_params.h"

#ifdef NNVK_WIDE
layout(local_size_x = 1024) in;
#else
layout(local_size_x = 64) in;
#endif
layout(constant_id = 0) const uint TASK = 0;
layout(constant_id = 1) const uint DECAY = 0;
layout(constant_id = 2) const uint SCORE_TYPE = 0;
layout(constant_id = 3) const uint BOX_TYPE = 0;
layout(constant_id = 4) const bool SORTED = false;  // proposals: at_order has the candidates

NNVK_PARAMS(SuppressionParams)
NNVK_REAL_INPUT(0, scores, SCORE_TYPE)
NNVK_REAL_INPUT(1, boxes, BOX_TYPE)
NNVK_WORD_VIEWS(2, work, coherent)

#include "suppression_scan.glsl"
#include "suppression_work.glsl"

const uint GONE = 0x80000000u;  // a flag in the row of a list entry: the entry is removed

shared uvec2 lane_best[LANES];
shared uvec2 group_best[GROUPS];

vec4 box_of(uint row, uint list_class) {
  const uint box = params.box_classes == 1 ? row : row * params.box_classes + list_class + 1;
  return boxes_real4(box, params.box_scale, 0.0);
}

// Finds candidate j of an image: its row and the bits of its score. Returns false if it is not a candidate.
bool candidate(uint j, uint image, uint first_row, uint list_class, out uvec2 entry) {
  if (TASK == kSuppressProposals) {
    const uint i = SORTED ? work_w[params.at_order + first_row + j] : j;
    entry = uvec2(first_row + i, floatBitsToUint(proposal_score(image, i)));
    return work_w[params.at_marks + first_row + i] != 0u;
  }
  const uint row = first_row + j;
  const float score = TASK == kSuppressAnchors ? uintBitsToFloat(work_w[params.at_marks + row])
                                               : scores_real(row * params.classes + list_class + 1, params.score_scale,
                                                             params.score_zero_point);
  entry = uvec2(row, floatBitsToUint(score));
  return !is_nan(score) && score > params.score_threshold;
}

// Writes the list that begins at entry `list`; returns its length.
uint collect(uint image, uvec2 rows, uint list_class, uint list) {
  const uvec2 mine = share_of(TASK == kSuppressProposals ? params.considered : rows.y - rows.x);
  uvec2 entry;
  uint found = 0;
  for (uint j = mine.x; j < mine.y; ++j) found += candidate(j, image, rows.x, list_class, entry) ? 1u : 0u;
  uint total;
  uint at = list + scan(found, total);
  for (uint j = mine.x; j < mine.y; ++j) {
    if (candidate(j, image, rows.x, list_class, entry)) work_w2[at++] = entry;
  }
  synchronize();
  return total;
}

// Returns the better of two places (order of the score, position): the higher score, then the lower position.
uvec2 better(uvec2 a, uvec2 b) { return b.x > a.x || (b.x == a.x && b.y < a.y) ? b : a; }

// Returns the position of the first highest score in [front, end).
uint find_best(uint list, uint front, uint end) {
  const uint lane = gl_LocalInvocationID.x;
  uvec2 best = uvec2(0, end);
  for (uint i = front + lane; i < end; i += LANES) {
    best = better(best, uvec2(score_order(uintBitsToFloat(work_w2[list + i].y)), i));
  }
  lane_best[lane] = best;
  synchronize();
  if (lane < GROUPS) {
    for (uint i = 0; i < GROUP; ++i) best = better(best, lane_best[GROUP * lane + i]);
    group_best[lane] = best;
  }
  synchronize();
  for (uint i = 0; i < GROUPS; ++i) best = better(best, group_best[i]);
  return best.y;
}

float decay(float iou) {
  const bool apart = !is_nan(iou) && iou < params.iou_threshold;
  if (DECAY == kDecayHard) return apart ? 1.0 : 0.0;
  precise const float rest = 1.0 - iou;
  if (DECAY == kDecayLinear) return apart ? 1.0 : rest;
  precise const float squared = -(iou * iou);
  return exponential(divide(squared, params.sigma));
}

// Lowers the score of a list entry next to a picked box. Returns true if the entry must be removed.
bool remove(inout uvec2 entry, vec4 front_box, uint list_class) {
  const float iou = intersection_over_union(box_of(entry.x, list_class), front_box);
  if (DECAY == kDecayRemove) return !is_nan(iou) && iou >= params.iou_threshold;
  precise const float score = uintBitsToFloat(entry.y) * decay(iou);
  entry.y = floatBitsToUint(score);
  return !is_nan(score) && score < params.nms_score_threshold;
}

// Compares entries [begin, end) with entry begin - 1 and moves the survivors to the front. Returns the end of the survivors.
uint suppress(uint list, uint begin, uint end, uint list_class) {
  const vec4 front_box = box_of(work_w2[list + begin - 1].x, list_class);
  const uvec2 mine = begin + share_of(end - begin);
  uint survivors = 0;
  for (uint i = mine.x; i < mine.y; ++i) {
    uvec2 entry = work_w2[list + i];
    const bool gone = remove(entry, front_box, list_class);
    if (gone) {
      entry.x |= GONE;
    } else {
      ++survivors;
    }
    if (gone || DECAY != kDecayRemove) work_w2[list + i] = entry;
  }
  uint total;
  const uint before = scan(survivors, total);
  const uint new_end = begin + total;
  if (new_end == end) return end;

  const uint moves = list + slot_count();
  uint passed = before;
  for (uint i = mine.x; i < mine.y; ++i) {
    const uvec2 entry = work_w2[list + i];
    if ((entry.x & GONE) != 0u) continue;
    if (i >= new_end) work_w2[moves + total - 1 - passed] = entry;
    ++passed;
  }
  synchronize();
  passed = before;
  for (uint i = mine.x; i < min(mine.y, new_end); ++i) {
    if ((work_w2[list + i].x & GONE) == 0u) {
      ++passed;
    } else {
      work_w2[list + i] = work_w2[moves + i - begin - passed];
    }
  }
  synchronize();
  return new_end;
}

// Moves picked entries to the front of the list, as long as picks are left.
void pick(uint list, uint list_class, uint state, inout uint picks) {
  const uint limit = uint(params.list_limit);  // a negative limit wraps to a huge one
  uint front = work_w[params.at_kept + state];
  uint end = work_w[params.at_ends + state];
  synchronize();
  while (front < end && front < limit && picks > 0) {
    const uint best = find_best(list, front, end);
    if (gl_LocalInvocationID.x == 0 && best != front) {
      const uvec2 entry = work_w2[list + front];
      work_w2[list + front] = work_w2[list + best];
      work_w2[list + best] = entry;
    }
    synchronize();
    ++front;
    --picks;
    end = suppress(list, front, end, list_class);
  }
  if (gl_LocalInvocationID.x == 0) {
    work_w[params.at_kept + state] = front;
    work_w[params.at_ends + state] = end;
  }
}

void main() {
  const uint images = image_count();
  uint picks = params.step_end;
  for (uint image = gl_WorkGroupID.y; image < images; image += gl_NumWorkGroups.y) {
    const uvec2 rows = image_rows(image);
    for (uint list_class = gl_WorkGroupID.x; list_class < params.list_classes; list_class += gl_NumWorkGroups.x) {
      const uint list = params.at_lists / 2 + list_class * params.rows + rows.x;
      const uint state = image * params.list_classes + list_class;
      if ((params.step_flags & kStepFirst) != 0) {
        const uint length = collect(image, rows, list_class, list);
        if (gl_LocalInvocationID.x == 0) {
          work_w[params.at_kept + state] = 0;
          work_w[params.at_ends + state] = length;
        }
        synchronize();
      }
      pick(list, list_class, state, picks);
    }
  }
}
