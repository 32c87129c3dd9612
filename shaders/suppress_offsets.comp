// Computes the start of every image's results, and their total number. One work group.
#version 450
#define NO_SCORES
#include "tensor.glsl"
#include "suppression_params.h"

layout(local_size_x = 64) in;

NNVK_PARAMS(SuppressionParams)
NNVK_INOUT(0, work)
NNVK_INOUT(1, status)

#include "suppression_scan.glsl"
#include "suppression_work.glsl"

void main() {
  const uint images = image_count();
  const uvec2 mine = share_of(images);
  uint sum = 0;
  for (uint image = mine.x; image < mine.y; ++image) sum += work(params.at_counts + image);
  uint total;
  uint offset = scan(sum, total);
  for (uint image = mine.x; image < mine.y; ++image) {
    work_word(params.at_offsets + image, offset);
    offset += work(params.at_counts + image);
  }
  if (gl_LocalInvocationID.x != 0) return;
  work_word(params.at_offsets + images, total);
  status_word(kSuppressionStatusKept, total);
}
