// AXIS_ALIGNED_BBOX_TRANSFORM and HEATMAP_MAX_KEYPOINT decoded for all devices. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"

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

// HEATMAP_MAX_KEYPOINT: every box has a square map of `side` cells per keypoint.
struct KeypointParameters {
  bool nchw = false;  // layout of the heatmaps
  uint32_t boxes = 0, keypoints = 0, side = 0;
  float tolerance = 0.0F;  // a peak whose curvature is below is not refined
};

// Decoders of operations whose shapes are known and passed infer(). OP_FAILED when a scalar is unknown.
BboxTransformParameters bbox_transform_parameters(const OperationView& operation);
Result<KeypointParameters> keypoint_parameters(const OperationView& operation);

}  // namespace nnvk
