// Writes two outputs of suppression at a time, because devices may offer a shader only 4 storage buffers; four rows per
// invocation. The outputs are scores and boxes, or with NUMBERS classes and the batch index (DETECTION_POSTPROCESSING: the
// detections per image). `boxes` are the boxes of all rows: the input (BOX_WITH_NMS_LIMIT, copied unchanged) or decoded ones.
#version 450
#include "real_access.glsl"
#include "suppression_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TASK = 0;
layout(constant_id = 1) const uint SCORE_TYPE = 0;
layout(constant_id = 2) const uint BOX_TYPE = 0;  // of the output
layout(constant_id = 3) const bool NUMBERS = false;

NNVK_PARAMS(SuppressionParams)
NNVK_TABLE(0, work)
NNVK_TABLE(1, boxes)
NNVK_TABLE(2, batch_index)
NNVK_REAL_INPUT(3, scores, SCORE_TYPE)
NNVK_REAL_OUTPUT(4, out_first)   // scores, or classes
NNVK_REAL_OUTPUT(5, out_second)  // boxes, or the extra output

#include "suppression_work.glsl"

const float BOX_SCALE = 0.125;  // of quantized boxes; their zero point is 0

// One row of the outputs.
struct Entry {
  bool valid;  // false: there are fewer results than rows
  uint image;
  uint row;
  uint list_class;
  float score;
};

void take_slot(inout Entry entry, uint slot) {
  const uvec2 kept = work2(params.at_lists / 2 + slot);
  entry.row = kept.x;
  entry.list_class = slot / params.rows;
  entry.score = uintBitsToFloat(kept.y);
}

float score_at(uint row, uint list_class) {
  return scores_real(row * params.classes + list_class + 1, params.score_scale, params.score_zero_point);
}

// Returns row p, if the results of all images follow each other.
Entry packed_entry(uint p) {
  Entry entry = Entry(false, 0, 0, 0, 0.0);
  const uint images = image_count();
  if (p >= work(params.at_offsets + images)) return entry;
  uint end = images;
  while (end - entry.image > 1) {  // the image begins at or before p, image `end` after it
    const uint middle = (entry.image + end) / 2;
    if (work(params.at_offsets + middle) <= p) {
      entry.image = middle;
    } else {
      end = middle;
    }
  }
  const uint within = p - work(params.at_offsets + entry.image);
  const uint first_row = image_rows(entry.image).x;
  entry.valid = true;
  take_slot(entry, TASK == kSuppressBoxes ? work(params.at_order + first_row * params.list_classes + within)
                                          : first_row + within);
  return entry;
}

// Returns row p, if every image has the same number of rows.
Entry fixed_entry(uint p) {
  const uint entries = params.count / params.images;
  Entry entry = Entry(false, p / entries, 0, 0, 0.0);
  const uint within = p - entry.image * entries;
  const uint results = TASK == kSuppressClasses ? work(params.at_counts + entry.image)
                                                : work(params.at_kept + entry.image) * params.per_detection;
  if (NUMBERS && within == 0) out_second_word(entry.image, results);
  if (within >= results) return entry;
  entry.valid = true;
  const uint first_row = entry.image * params.per_image;
  if (TASK == kSuppressClasses) {
    take_slot(entry, work(params.at_order + first_row * params.list_classes + within));
  } else {
    const uint pick = within / params.per_detection;
    take_slot(entry, first_row + pick);
    entry.list_class = work(params.at_runs + (first_row + pick) * params.per_detection + within % params.per_detection);
    entry.score = score_at(entry.row, entry.list_class);
  }
  return entry;
}

void store_box(uint p, Entry entry) {
  if (TASK == kSuppressBoxes) {
    const uint box = entry.row * params.box_classes + entry.list_class + 1;
    if (BOX_TYPE == kElementFloat32) {
      out_second_words4(p, entry.valid ? boxes4(box) : uvec4(0));
    } else {
      out_second_words2(p, entry.valid ? boxes2(box) : uvec2(0));
    }
  } else {
    out_second_real4(BOX_TYPE, p, entry.valid ? boxes_f4(entry.row) : vec4(0.0), BOX_SCALE, 0.0);
  }
}

void main() {
  const uint i = nnvk_invocation();
  if (4 * i >= params.count) return;
  const bool fixed_rows = TASK == kSuppressClasses || TASK == kSuppressAnchors;
  vec4 score_values = vec4(0.0);
  ivec4 class_values = ivec4(0);
  ivec4 batch_values = ivec4(0);
  for (uint lane = 0; lane < 4; ++lane) {
    const uint p = 4 * i + lane;
    if (p >= params.count) break;
    const Entry entry = fixed_rows ? fixed_entry(p) : packed_entry(p);
    if (!NUMBERS) store_box(p, entry);
    if (!entry.valid) continue;
    score_values[lane] = entry.score;
    class_values[lane] = int(entry.list_class + params.first_label);
    batch_values[lane] = TASK == kSuppressBoxes ? batch_index_i(entry.row) : int(entry.image);
  }
  if (!NUMBERS) {
    out_first_real4(SCORE_TYPE, i, score_values, params.score_scale, params.score_zero_point);
    return;
  }
  if (TASK != kSuppressProposals) out_first_int4(kElementInt32, i, class_values);
  if (!fixed_rows) out_second_int4(kElementInt32, i, batch_values);
}
