// Arithmetic of boxes for the detection operations: refinement by deltas, overlap, suppression. Comparisons of these floats
// decide which boxes are kept, and every device must decide alike: shaders/include/box_arithmetic.glsl does the same float32
// operations in the same order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_deadline.h"
#include "core/base/sort_key.h"

namespace nnvk::cpu {

// Corners: x1, y1, x2, y2 (DETECTION_POSTPROCESSING: y before x, which makes no difference here).
struct Box {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};
Box box_at(std::span<const float> values, size_t index);

// Returns false for x1 > x2, for y1 > y2, and for NaN.
bool well_formed(const Box& box);
// Returns OP_FAILED unless the box is well_formed(). The message names the box by `name` and `index`, as in "roi 3".
Status check_well_formed(const Box& box, const char* name, size_t index);

// Returns the image that box `index` belongs to. OP_FAILED when there is no such image.
Result<uint32_t> image_of_box(std::span<const int32_t> images, size_t index, uint32_t image_count);

// Adds the corners to a list of coordinates.
void append_box(std::vector<float>& coordinates, const Box& box);

// Returns e^x, nearly always rounded correctly (within 0.53 units in the last place). It uses float32 sums and products only, so
// that a shader can give the same bits. Results below the normal range are 0.
float exponential(float x);

// Returns a number that orders scores: greater for greater scores, equal for +0 and -0, smallest for NaN.
inline uint32_t score_order(float score) { return std::isnan(score) ? 0 : sort_key(score); }

// Computes box_transform of the specification: moves and scales `box` by delta (dx, dy, dw, dh) and clips it to the image.
Box transform_box(const Box& box, std::span<const float> delta, float image_height, float image_width);

inline float intersection(const Box& a, const Box& b) {
  const float width = std::max(0.0F, std::min(a.x2, b.x2) - std::max(a.x1, b.x1));
  const float height = std::max(0.0F, std::min(a.y2, b.y2) - std::max(a.y1, b.y1));
  return width * height;
}
// Returns `intersection` divided by the area of the union; NaN for 0/0.
inline float intersection_over_union(const Box& a, const Box& b, float intersection) {
  const float area_a = (a.x2 - a.x1) * (a.y2 - a.y1);
  const float area_b = (b.x2 - b.x1) * (b.y2 - b.y1);
  return intersection / (area_a + area_b - intersection);
}
inline float intersection_over_union(const Box& a, const Box& b) { return intersection_over_union(a, b, intersection(a, b)); }

// One member of a list for suppression.
struct Candidate {
  uint32_t id = 0;  // chosen by the caller: a row, an anchor
  float score = 0;
};

// Selects boxes greedily, as all suppressions do. At most `limit` times (negative: no limit), it swaps the candidate with the
// highest score (the first of equals) to the front of those that remain. It then calls remove(candidate, front) for every other
// one, which may lower that candidate's score. If remove() returns true, the last candidate replaces the removed one and is
// tested next. Returns the selected candidates in order.
template <class Remove>
std::vector<Candidate> select_boxes(std::vector<Candidate> list, int64_t limit, Remove&& remove) {
  size_t front = 0;
  size_t end = list.size();
  if (limit < 0) limit = static_cast<int64_t>(list.size());
  DeadlineWatch watch(1);
  for (int64_t picked = 0; front < end && picked < limit; ++picked, ++front) {
    watch.look();
    size_t best = front;
    uint32_t best_order = score_order(list[front].score);
    for (size_t i = front + 1; i < end; ++i) {
      const uint32_t order = score_order(list[i].score);
      if (order <= best_order) continue;
      best = i;
      best_order = order;
    }
    std::swap(list[front], list[best]);
    for (size_t i = front + 1; i < end;) {
      if (remove(list[i], list[front])) {
        std::swap(list[i], list[--end]);
      } else {
        ++i;
      }
    }
  }
  list.resize(front);
  return list;
}

// Computes hard_nms of the specification: removes boxes that overlap a selected one by `threshold` or more; NaN is no overlap.
template <class BoxOf>
std::vector<Candidate> hard_suppression(std::vector<Candidate> list, int64_t limit, float threshold, BoxOf&& box) {
  return select_boxes(std::move(list), limit, [&](const Candidate& candidate, const Candidate& front) {
    const Box a = box(candidate.id);
    const Box b = box(front.id);
    const float common = intersection(a, b);
    if (common == 0.0F && threshold > 0.0F) return false;  // most pairs: 0 or NaN
    return intersection_over_union(a, b, common) >= threshold;
  });
}

}  // namespace nnvk::cpu
