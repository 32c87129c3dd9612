// Decodes boxes and keypoints.
#include "core/operations/parameters/detection_parameters.h"

#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {

BboxTransformParameters bbox_transform_parameters(const OperationView& operation) {
  using namespace axis_aligned_bbox_transform;
  BboxTransformParameters p;
  p.regions = operation.shape(kRois)[0];
  p.classes = operation.shape(kDeltas)[1] / 4;
  p.images = operation.shape(kImages)[0];
  return p;
}

Result<KeypointParameters> keypoint_parameters(const OperationView& operation) {
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
