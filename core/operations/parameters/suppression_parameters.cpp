// Decodes the operations that suppress boxes.
#include "core/operations/parameters/suppression_parameters.h"

#include <algorithm>

#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {

Result<BoxLimitParameters> box_limit_parameters(const OperationView& operation) {
  using namespace box_with_nms_limit;
  BoxLimitParameters p;
  NNVK_ASSIGN(p.score_threshold, float_parameter(operation, kScoreThreshold));
  NNVK_ASSIGN(p.max_detections, int_parameter(operation, kMaxDetections));
  NNVK_ASSIGN(const int32_t kernel, int_parameter(operation, kKernel));
  p.kernel = static_cast<SuppressionKernel>(kernel);
  NNVK_ASSIGN(p.iou_threshold, float_parameter(operation, kIouThreshold));
  NNVK_ASSIGN(p.sigma, float_parameter(operation, kSigma));
  NNVK_ASSIGN(p.nms_score_threshold, float_parameter(operation, kNmsScoreThreshold));
  p.rows = operation.shape(kScores)[0];
  p.classes = operation.shape(kScores)[1];
  return p;
}

Result<ProposalParameters> proposal_parameters(const OperationView& operation) {
  using namespace generate_proposals;
  ProposalParameters p;
  NNVK_ASSIGN(p.stride_y, float_parameter(operation, kStrideY));
  NNVK_ASSIGN(p.stride_x, float_parameter(operation, kStrideX));
  NNVK_ASSIGN(p.pre_nms_max, int_parameter(operation, kPreNmsMax));
  NNVK_ASSIGN(p.post_nms_max, int_parameter(operation, kPostNmsMax));
  NNVK_ASSIGN(p.iou_threshold, float_parameter(operation, kIouThreshold));
  NNVK_ASSIGN(p.min_size, float_parameter(operation, kMinSize));
  NNVK_ASSIGN(p.nchw, flag_parameter(operation, kNchw));
  const LayoutAxes axes = layout_axes(p.nchw);
  const Shape& scores = operation.shape(kScores);
  p.batches = scores[0];
  p.height = scores[axes.height];
  p.width = scores[axes.width];
  p.anchors = scores[axes.channels];
  return p;
}

Result<PostprocessingParameters> postprocessing_parameters(const OperationView& operation) {
  using namespace detection_postprocessing;
  PostprocessingParameters p;
  NNVK_ASSIGN(p.scale_y, float_parameter(operation, kScaleY));
  NNVK_ASSIGN(p.scale_x, float_parameter(operation, kScaleX));
  NNVK_ASSIGN(p.scale_h, float_parameter(operation, kScaleH));
  NNVK_ASSIGN(p.scale_w, float_parameter(operation, kScaleW));
  NNVK_ASSIGN(p.regular, flag_parameter(operation, kRegular));
  NNVK_ASSIGN(p.max_detections, int_parameter(operation, kMaxDetections));
  NNVK_ASSIGN(const int32_t per_detection, int_parameter(operation, kClassesPerDetection));
  NNVK_ASSIGN(p.max_per_class, int_parameter(operation, kMaxPerClass));
  NNVK_ASSIGN(p.score_threshold, float_parameter(operation, kScoreThreshold));
  NNVK_ASSIGN(p.iou_threshold, float_parameter(operation, kIouThreshold));
  NNVK_ASSIGN(const bool label_background, flag_parameter(operation, kLabelBackground));
  p.first_label = label_background ? 1 : 0;
  p.batches = operation.shape(kScores)[0];
  p.anchors = operation.shape(kScores)[1];
  p.classes = operation.shape(kScores)[2];
  p.delta_length = operation.shape(kDeltas)[2];
  p.classes_per_detection = std::min(p.classes - 1, static_cast<uint32_t>(std::max(per_detection, 0)));
  const auto detections = static_cast<uint32_t>(p.max_detections);
  p.entries = p.regular ? detections : multiply_dimensions(detections, static_cast<uint32_t>(std::max(per_detection, 0)));
  return p;
}

}  // namespace nnvk
