// Functions that the suppression kernels share, to find images, lists and scores. They need params, `work` (the work buffer) and
// scores_real, unless NO_SCORES is defined.
#ifndef NNVK_SHADERS_SUPPRESSION_WORK_GLSL
#define NNVK_SHADERS_SUPPRESSION_WORK_GLSL

uint image_count() { return params.images == 0 ? NNVK_READ(work, params.at_runs) : params.images; }

// Returns the first row of the image, and the row after its last one.
uvec2 image_rows(uint image) {
  if (params.images != 0) return uvec2(image, image + 1) * params.per_image;
  return uvec2(NNVK_READ(work, params.at_runs + 1 + image), NNVK_READ(work, params.at_runs + 2 + image));
}

uint slot_count() { return params.rows * params.list_classes; }

#ifndef NO_SCORES
// Returns the score of a candidate of GENERATE_PROPOSALS, in either layout.
float proposal_score(uint image, uint candidate) {
  uint within = candidate;
  if (params.grid_cells != 0) {
    const uint cell = candidate / params.anchors;
    within = (candidate - cell * params.anchors) * params.grid_cells + cell;
  }
  return scores_real(image * params.per_image + within, params.score_scale, params.score_zero_point);
}
#endif

#endif
