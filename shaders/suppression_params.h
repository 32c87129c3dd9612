// Parameters of the suppression kernels, which work together on one buffer of words (`work`).
//   `suppress_runs` finds the images of BOX_WITH_NMS_LIMIT: runs of rows with the same batch index.
//   `suppress_sort` orders candidates or kept entries by score.
//   `suppress` makes the list of candidates of every image and class, and picks greedily.
//   `suppress_ranks` orders the classes of kept entries (DETECTION_POSTPROCESSING, fast).
//   `suppress_offsets` finds the start of every image's results.
//   `suppress_emit` writes the outputs.
//
// Sorting and picking take several dispatches if one would loop for too long (vulkan/kernels/bounded_work.h): step_begin,
// step_end and step_flags define a dispatch's part.
//
// A *list* belongs to an image and a class. Slot class * rows + r is reserved for a candidate of row r's image; the list of an
// image begins at the slot of its first row. A row is a box: an anchor of an image, a candidate, a row of the input.
#ifndef NNVK_SHADERS_SUPPRESSION_PARAMS_H
#define NNVK_SHADERS_SUPPRESSION_PARAMS_H

#include "shared_types.h"

NNVK_SHARED_BEGIN
// Values of the specialization constant TASK.
NNVK_SHARED_CONST uint kSuppressBoxes = 0;      // BOX_WITH_NMS_LIMIT
NNVK_SHARED_CONST uint kSuppressProposals = 1;  // GENERATE_PROPOSALS
NNVK_SHARED_CONST uint kSuppressClasses = 2;    // DETECTION_POSTPROCESSING, regular
NNVK_SHARED_CONST uint kSuppressAnchors = 3;    // DETECTION_POSTPROCESSING, fast

// Values of the specialization constant DECAY.
NNVK_SHARED_CONST uint kDecayRemove = 0;  // removes overlapping candidates; the others lower scores and remove low ones
NNVK_SHARED_CONST uint kDecayHard = 1;
NNVK_SHARED_CONST uint kDecayLinear = 2;
NNVK_SHARED_CONST uint kDecayGaussian = 3;

// Bits of step_flags.
NNVK_SHARED_CONST uint kStepFirst = 1;
NNVK_SHARED_CONST uint kStepLast = 2;

// Digits of a sort key that are the score's, four bits each. The digits of the class follow.
NNVK_SHARED_CONST uint kScoreDigits = 8;

// Words of the status tensor.
NNVK_SHARED_CONST uint kSuppressionStatusKept = 0;       // number of results
NNVK_SHARED_CONST uint kSuppressionStatusMalformed = 1;  // a box with swapped corners
NNVK_SHARED_CONST uint kSuppressionStatusBatch = 2;      // a negative batch index
NNVK_SHARED_CONST uint kSuppressionStatusWords = 3;

struct SuppressionParams {
  uint rows;          // of all images
  uint images;        // 0: the device finds the images; their number and first rows are at at_runs
  uint per_image;     // rows of an image, unless they are at at_runs
  uint considered;    // proposals: candidates per image; anchors: most picks per image
  uint classes;       // scores per row
  uint list_classes;  // lists per image: classes without the background, or 1
  uint box_classes;   // boxes per row: classes or 1
  uint count;         // emit: rows of the outputs
  // Word positions in `work`.
  uint at_runs;     // boxes: number of images, their first rows, rows. Anchors: best classes of each pick, best first
  uint at_kept;     // per image and class: number of picks
  uint at_ends;     // per image and class: end of the candidates that are left in the list
  uint at_counts;   // per image: results
  uint at_offsets;  // per image: first result; then the number of all results
  uint at_lists;    // per slot: row and bits of the score; then the same size for moving entries. An even position
  uint at_order;    // per slot: candidates or slots in order; then the same size for sorting
  uint at_marks;    // per row: 1 for candidates (proposals), bits of the best score (anchors)
  float score_threshold;
  float iou_threshold;
  float sigma;
  float nms_score_threshold;
  int list_limit;   // picks per list; negative: no limit
  int image_limit;  // results per image; negative: no limit
  float score_scale;
  float score_zero_point;
  float box_scale;
  uint grid_cells;     // proposals, NCHW scores: cells of the grid; 0: NHWC
  uint anchors;        // proposals: anchors per cell
  uint per_detection;  // emit, anchors: classes per detection
  uint step_begin;     // sort: first digit
  uint step_end;       // sort: digit to stop before; suppress: picks of a work group
  uint step_flags;
  uint first_label;  // emit: label of the first class
};
NNVK_SHARED_END

#endif
