// Parameters of box_decode.comp and heatmap.comp.
#ifndef NNVK_SHADERS_DETECTION_PARAMS_H
#define NNVK_SHADERS_DETECTION_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Values of the specialization constant CODING: the boxes to decode, and how.
NNVK_SHARED_CONST uint kCodingRegions = 0;  // AXIS_ALIGNED_BBOX_TRANSFORM
NNVK_SHARED_CONST uint kCodingProposals =
    1;                                      // GENERATE_PROPOSALS: anchors shifted over a grid; marks boxes that are large enough
NNVK_SHARED_CONST uint kCodingAnchors = 2;  // DETECTION_POSTPROCESSING; also finds the best score of every anchor

// Word of the status tensor. Not 0 if a box has swapped corners or an image that does not exist.
NNVK_SHARED_CONST uint kDetectionStatusMalformed = 0;

// A box is (x1, y1, x2, y2). Scales and zero points are those of quantized tensors.
struct BoxDecodeParams {
  uint count;         // boxes
  uint per_image;     // proposals, anchors: boxes of one image
  uint anchors;       // proposals: anchors per grid cell; anchors: anchors per image
  uint grid_width;    // proposals
  uint grid_cells;    // proposals
  uint nchw;          // proposals: layout of the deltas
  uint images;        // regions: rows of image_info
  uint classes;       // regions: boxes per region; anchors: scores per anchor
  uint delta_length;  // anchors: values from one anchor's deltas to the next one's
  uint at_marks;      // proposals, anchors: first word of the results beside the boxes
  float stride_y;     // proposals: pixels per grid cell; anchors: divisor of dy
  float stride_x;     // the same for x and dx
  float scale_h;      // anchors: divisors of dh and dw
  float scale_w;
  float min_size;  // proposals
  float box_scale;
  float box_zero_point;
  float delta_scale;
  float delta_zero_point;
  float extra_scale;  // of image_info or scores
  float extra_zero_point;
  float out_scale;
  float out_zero_point;
};

struct HeatmapParams {
  uint maps;       // boxes * keypoints
  uint keypoints;  // per box
  uint side;
  uint step_box;  // elements from box to box, row to row, ...
  uint step_row;
  uint step_column;
  uint step_keypoint;
  float tolerance;
  float map_scale;
  float map_zero_point;
  float box_scale;
  float score_scale;
  float score_zero_point;
};
NNVK_SHARED_END

#endif
