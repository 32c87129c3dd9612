// Decodes AXIS_ALIGNED_BBOX_TRANSFORM and HEATMAP_MAX_KEYPOINT for all devices. Pure.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {

namespace axis_aligned_bbox_transform {
enum Input : size_t { kRois, kDeltas, kBatches, kImages };
enum Output : size_t { kOutput };
}  // namespace axis_aligned_bbox_transform

namespace heatmap_max_keypoint {
enum Input : size_t { kHeatmaps, kBoxes, kNchw };
enum Output : size_t { kScores, kKeypoints };
}  // namespace heatmap_max_keypoint

// AXIS_ALIGNED_BBOX_TRANSFORM: every region has one box per class.
struct BboxTransformParameters {
  uint32_t regions = 0, classes = 0, images = 0;
};

// HEATMAP_MAX_KEYPOINT: every box has a square map of `side` x `side` cells per keypoint.
struct KeypointParameters {
  bool nchw = false;  // layout of the heatmaps
  uint32_t boxes = 0, keypoints = 0, side = 0;
  float tolerance = 0.0F;  // peaks with a smaller curvature are not refined
};

// These functions decode the two operations, whose shapes must be known and accepted by infer(). OP_FAILED if a scalar is
// unknown.
inline BboxTransformParameters bbox_transform_parameters(const OperationView& operation) {
  using namespace axis_aligned_bbox_transform;
  return {
      .regions = operation.shape(kRois)[0], .classes = operation.shape(kDeltas)[1] / 4, .images = operation.shape(kImages)[0]};
}
inline Result<KeypointParameters> keypoint_parameters(const OperationView& operation) {
  using namespace heatmap_max_keypoint;
  KeypointParameters p;
  NNVK_ASSIGN(p.nchw, flag_parameter(operation, kNchw));
  const Shape& maps = operation.shape(kHeatmaps);
  const LayoutAxes axes = layout_axes(p.nchw);
  p.boxes = maps[0];
  p.keypoints = maps[axes.channels];
  p.side = maps[axes.height];
  p.tolerance = operation.input(kHeatmaps).type == OperandType::kTensorFloat16 ? 1e-3F : 1e-5F;
  return p;
}

}  // namespace nnvk
