// Fast mode of DETECTION_POSTPROCESSING: the classes of every picked anchor, best first; among equals, the first comes first. One
// invocation per slot and class counts the classes that precede its own.
#version 450
#include "real_access.glsl"
#include "suppression_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint SCORE_TYPE = 0;

NNVK_PARAMS(SuppressionParams)
NNVK_REAL_INPUT(0, scores, SCORE_TYPE)
NNVK_INOUT(1, work)

uint order_of(uint row, uint c) {
  return score_order(scores_real(row * params.classes + c + 1, params.score_scale, params.score_zero_point));
}

void main() {
  const uint classes = params.classes - 1;
  const uint i = nnvk_invocation();
  const uint pick = i / classes;  // numbered through all images
  const uint c = i - pick * classes;
  const uint image = pick / params.considered;
  if (image >= params.images) return;
  const uint within = pick - image * params.considered;
  if (within >= work(params.at_kept + image)) return;
  const uint slot = image * params.per_image + within;
  const uint row = work(params.at_lists + 2 * slot);
  const uint order = order_of(row, c);
  uint rank = 0;
  for (uint other = 0; other < classes && rank < params.per_detection; ++other) {
    const uint other_order = order_of(row, other);
    rank += other_order > order || (other_order == order && other < c) ? 1u : 0u;
  }
  if (rank < params.per_detection) work_word(params.at_runs + slot * params.per_detection + rank, c);
}
