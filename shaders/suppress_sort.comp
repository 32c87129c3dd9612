// Sorts by score, highest first; equal scores keep their order. The kernel sorts the candidates of an image (TASK proposals), or
// the entries that its classes have kept. It cuts such entries to the image's limit and, if class digits follow the score's, then
// sorts them by class. One work group per image sorts by radix, four bits at a time.
#version 450
#include "real_access.glsl"
#include "suppression_params.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TASK = 0;
layout(constant_id = 1) const uint SCORE_TYPE = 0;

NNVK_PARAMS(SuppressionParams)
NNVK_REAL_INPUT(0, scores, SCORE_TYPE)
NNVK_WORD_VIEWS(1, work, coherent)

#include "suppression_scan.glsl"
#include "suppression_work.glsl"

const uint DIGITS = 16;
shared uint histogram[1024];  // per digit and invocation: entries, then the position of the next one

// Returns the sort key of an entry. Entries are candidates of the image, or slots.
uint key_of(uint entry, uint image, bool class_key) {
  if (class_key) return entry / params.rows;
  const float score = TASK == kSuppressProposals ? proposal_score(image, entry)
                                                 : uintBitsToFloat(work_w2[params.at_lists / 2 + entry].y);
  return ~score_order(score);
}

// Makes one pass over n entries from word `from` to word `to`. Returns false and moves nothing if all digits are the same.
bool sort_digit(uint image, uint from, uint to, uint n, uint shift, bool class_key) {
  const uint lane = gl_LocalInvocationID.x;
  const uvec2 mine = share_of(n);
  for (uint digit = 0; digit < DIGITS; ++digit) histogram[digit * LANES + lane] = 0;
  for (uint i = mine.x; i < mine.y; ++i) {
    const uint digit = (key_of(work_w[from + i], image, class_key) >> shift) & (DIGITS - 1);
    ++histogram[digit * LANES + lane];
  }
  synchronize();
  uint sum = 0;
  for (uint i = 0; i < DIGITS; ++i) sum += histogram[DIGITS * lane + i];
  uint total;
  uint next = scan(sum, total);
  for (uint group = 0; group < GROUP; ++group) {  // four invocations sum up one digit, a group two
    const uint at = GROUP * group;
    const uint first = lane_values[at] + lane_values[at + 1] + lane_values[at + 2] + lane_values[at + 3];
    if (first == n || (group_values[group] == n && first == 0)) return false;
  }
  for (uint i = 0; i < DIGITS; ++i) {
    const uint entries = histogram[DIGITS * lane + i];
    histogram[DIGITS * lane + i] = next;
    next += entries;
  }
  synchronize();
  for (uint i = mine.x; i < mine.y; ++i) {
    const uint entry = work_w[from + i];
    const uint digit = (key_of(entry, image, class_key) >> shift) & (DIGITS - 1);
    work_w[to + histogram[digit * LANES + lane]++] = entry;
  }
  synchronize();
  return true;
}

// Returns how many of n results the image may keep.
uint limited(uint n) { return params.image_limit < 0 ? n : min(n, uint(params.image_limit)); }

// Writes the unsorted entries of an image to `order`; returns their number.
uint collect(uint image, uvec2 rows, uint order) {
  const uint lane = gl_LocalInvocationID.x;
  if (TASK == kSuppressProposals) {
    for (uint i = lane; i < params.per_image; i += LANES) work_w[order + i] = i;
    synchronize();
    return params.per_image;
  }
  uint total = 0;
  for (uint list_class = 0; list_class < params.list_classes; ++list_class) {
    const uint kept = work_w[params.at_kept + image * params.list_classes + list_class];
    for (uint i = lane; i < kept; i += LANES) work_w[order + total + i] = list_class * params.rows + rows.x + i;
    total += kept;
  }
  synchronize();
  return total;
}

void main() {
  const uint images = image_count();
  const bool first = (params.step_flags & kStepFirst) != 0;
  const bool last = (params.step_flags & kStepLast) != 0;
  for (uint image = gl_WorkGroupID.y; image < images; image += gl_NumWorkGroups.y) {
    const uvec2 rows = image_rows(image);
    const uint order = params.at_order + rows.x * params.list_classes;
    const uint spare = order + slot_count();
    // Between dispatches, the word at at_offsets says which of the two places holds the image's entries.
    uint n = first ? collect(image, rows, order) : work_w[params.at_counts + image];
    bool in_spare = !first && work_w[params.at_offsets + image] != 0;
    synchronize();
    for (uint digit = params.step_begin; digit < params.step_end; ++digit) {
      const bool class_key = digit >= kScoreDigits;
      if (class_key) n = limited(n);
      const uint shift = 4 * (class_key ? digit - kScoreDigits : digit);
      if (sort_digit(image, in_spare ? spare : order, in_spare ? order : spare, n, shift, class_key)) in_spare = !in_spare;
    }
    if (last) {
      n = limited(n);
      for (uint i = gl_LocalInvocationID.x; in_spare && i < n; i += LANES) work_w[order + i] = work_w[spare + i];
    }
    if (gl_LocalInvocationID.x == 0) {
      work_w[params.at_counts + image] = n;
      work_w[params.at_offsets + image] = in_spare ? 1 : 0;
    }
    synchronize();
  }
}
