// AXIS_ALIGNED_BBOX_TRANSFORM and HEATMAP_MAX_KEYPOINT: decode positions from a network's results for a box.
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "core/operations/parameters/detection_parameters.h"
#include "cpu_fallback/reference/boxes.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

Status axis_aligned_bbox_transform(KernelContext& context) {
  const BboxTransformParameters p = bbox_transform_parameters(context.operation);
  const FloatInput rois(context, axis_aligned_bbox_transform::kRois);
  const FloatInput deltas(context, axis_aligned_bbox_transform::kDeltas);
  const FloatInput images(context, axis_aligned_bbox_transform::kImages);
  const auto batches = context.input<int32_t>(axis_aligned_bbox_transform::kBatches);
  std::vector<float> out;
  for (uint32_t r = 0; r < p.regions; ++r) {
    NNVK_ASSIGN(const uint32_t image, image_of_box(batches, r, p.images));
    const Box box = box_at(rois.values(), r);
    NNVK_TRY(check_well_formed(box, "box", r));
    for (uint32_t c = 0; c < p.classes; ++c) {
      const auto delta = deltas.values().subspan(size_t{4} * (size_t{r} * p.classes + c), 4);
      append_box(out, transform_box(box, delta, images[size_t{2} * image], images[size_t{2} * image + 1]));
    }
  }
  store_reals(context, axis_aligned_bbox_transform::kOutput, out);
  return {};
}

struct Keypoint {
  float x = 0, y = 0;  // in cells of the heatmap
  float score = 0;
};

// Finds the peak of one heatmap, and refines it by a quadratic fit of its 3x3 neighbourhood. at(row, column) reads the map.
template <class At>
Keypoint find_keypoint(At&& at, int32_t size, float tolerance) {
  float largest = -FLT_MAX;
  int32_t peak_x = 0;
  int32_t peak_y = 0;
  for (int32_t y = 0; y < size; ++y) {
    for (int32_t x = 0; x < size; ++x) {
      if (at(y, x) > largest) {
        largest = at(y, x);
        peak_x = x;
        peak_y = y;
      }
    }
  }
  const auto mirrored = [size](int32_t i) { return i < 0 ? 1 : i >= size ? size - 2 : i; };
  float g[3][3];
  for (int32_t dy = 0; dy < 3; ++dy) {
    for (int32_t dx = 0; dx < 3; ++dx) g[dy][dx] = at(mirrored(peak_y + dy - 1), mirrored(peak_x + dx - 1));
  }
  const float bx = -(g[1][2] - g[1][0]) / 2.0F;
  const float by = -(g[2][1] - g[0][1]) / 2.0F;
  const float axx = g[1][0] - 2.0F * g[1][1] + g[1][2];
  const float axy = (g[2][2] - g[2][0] - g[0][2] + g[0][0]) / 4.0F;
  const float ayy = g[0][1] - 2.0F * g[1][1] + g[2][1];
  const float p = axx * ayy;
  const float determinant = p - axy * axy;
  float dx = 0.0F;
  float dy = 0.0F;
  float score = largest;
  if (!(std::abs(determinant) < tolerance + tolerance * p)) {
    constexpr float kFarthest = 1.5F;
    dx = (ayy * bx - axy * by) / determinant;
    dy = (axx * by - axy * bx) / determinant;
    if (std::abs(dx) > kFarthest || std::abs(dy) > kFarthest) {
      const float shrink = kFarthest / std::max(std::abs(dx), std::abs(dy));
      dx = dx * shrink;
      dy = dy * shrink;
    }
    score = g[1][1] - bx * dx - by * dy + ((axx * dx + axy * dy) * dx + (axy * dx + ayy * dy) * dy) / 2.0F;
  }
  return {static_cast<float>(peak_x) + dx, static_cast<float>(peak_y) + dy, score};
}

Status heatmap_max_keypoint(KernelContext& context) {
  NNVK_ASSIGN(const KeypointParameters p, keypoint_parameters(context.operation));
  const FloatInput heatmaps(context, heatmap_max_keypoint::kHeatmaps);
  const FloatInput boxes(context, heatmap_max_keypoint::kBoxes);
  const ImageLayout map = image_layout(context.operation.shape(heatmap_max_keypoint::kHeatmaps), p.nchw);
  const auto side = static_cast<float>(p.side);
  std::vector<float> scores;
  std::vector<float> keypoints;
  for (uint32_t b = 0; b < p.boxes; ++b) {
    const Box box = box_at(boxes.values(), b);
    NNVK_TRY(check_well_formed(box, "box", b));
    for (uint32_t k = 0; k < p.keypoints; ++k) {
      const auto at = [&](int32_t y, int32_t x) {
        return heatmaps[map.element(map.pixel(b, static_cast<uint32_t>(y), static_cast<uint32_t>(x)), k)];
      };
      const Keypoint found = find_keypoint(at, static_cast<int32_t>(p.side), p.tolerance);
      scores.push_back(found.score);
      keypoints.push_back(box.x1 + (found.x + 0.5F) / side * (box.x2 - box.x1));
      keypoints.push_back(box.y1 + (found.y + 0.5F) / side * (box.y2 - box.y1));
    }
  }
  store_reals(context, heatmap_max_keypoint::kScores, scores);
  store_reals(context, heatmap_max_keypoint::kKeypoints, keypoints);
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kAxisAlignedBboxTransform, axis_aligned_bbox_transform},
    {OperationCode::kHeatmapMaxKeypoint, heatmap_max_keypoint},
};

}  // namespace

std::span<const KernelRow> detection_kernels() { return kRows; }

}  // namespace nnvk::cpu
