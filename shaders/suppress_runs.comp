// Finds the images of BOX_WITH_NMS_LIMIT: runs of rows with the same batch index. One work group. Also checks the specification's
// rules: no batch index is negative, and the first n boxes of every image with n rows are well formed.
#version 450
#define NO_SCORES
#include "real_access.glsl"
#include "suppression_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint BOX_TYPE = 0;

NNVK_PARAMS(SuppressionParams)
NNVK_TABLE(0, batch_index)
NNVK_REAL_INPUT(1, boxes, BOX_TYPE)
NNVK_OUTPUT(2, work)
NNVK_INOUT(3, status)

#include "suppression_scan.glsl"

shared uint last_begin[64];

bool begins_image(uint row) { return row == 0 || batch_index(row) != batch_index(row - 1); }

void main() {
  const uvec2 mine = share_of(params.rows);
  uint begins = 0;
  uint last = 0;  // row 0 always begins an image
  for (uint row = mine.x; row < mine.y; ++row) {
    if (!begins_image(row)) continue;
    ++begins;
    last = row;
  }
  last_begin[gl_LocalInvocationID.x] = last;
  uint images;
  uint image = scan(begins, images);

  // The image that continues from an earlier share.
  uint begin = 0;
  for (uint lane = 0; lane < gl_LocalInvocationID.x; ++lane) begin = max(begin, last_begin[lane]);
  for (uint row = mine.x; row < mine.y; ++row) {
    if (begins_image(row)) {
      begin = row;
      work_word(params.at_runs + 1 + image, row);
      ++image;
    }
    if (batch_index_i(row) < 0) atomicOr(status_w[kSuppressionStatusBatch], 1u);
    const vec4 box = boxes_real4(begin * params.classes + (row - begin), params.box_scale, 0.0);
    if (!well_formed(box)) atomicOr(status_w[kSuppressionStatusMalformed], 1u);
  }
  if (gl_LocalInvocationID.x == 0) {
    work_word(params.at_runs, images);
    work_word(params.at_runs + 1 + images, params.rows);
  }
}
