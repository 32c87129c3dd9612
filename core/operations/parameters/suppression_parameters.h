// Decodes BOX_WITH_NMS_LIMIT, GENERATE_PROPOSALS and DETECTION_POSTPROCESSING for all devices, with scalars as float32. Pure.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// The operands common to the operations: scores, coded boxes (not in BOX_WITH_NMS_LIMIT), and the first outputs.
namespace suppression {
enum Input : size_t { kScores, kDeltas, kAnchors };
enum Output : size_t { kKeptScores, kKeptBoxes };
}  // namespace suppression

namespace box_with_nms_limit {
enum Input : size_t { kScores, kBoxes, kBatches };
enum Scalar : size_t { kScoreThreshold = 3, kMaxDetections, kKernel, kIouThreshold, kSigma, kNmsScoreThreshold };
enum Output : size_t { kKeptScores, kKeptBoxes, kKeptClasses, kKeptBatches };
}  // namespace box_with_nms_limit

namespace generate_proposals {
enum Input : size_t { kScores, kDeltas, kAnchors, kImages };
enum Scalar : size_t { kStrideY = 4, kStrideX, kPreNmsMax, kPostNmsMax, kIouThreshold, kMinSize, kNchw };
enum Output : size_t { kKeptScores, kKeptBoxes, kKeptBatches };
}  // namespace generate_proposals

namespace detection_postprocessing {
enum Input : size_t { kScores, kDeltas, kAnchors, kScaleY, kScaleX, kScaleH, kScaleW, kRegular };
enum Limit : size_t { kMaxDetections = 8, kClassesPerDetection, kMaxPerClass, kScoreThreshold, kIouThreshold, kLabelBackground };
enum Output : size_t { kKeptScores, kKeptBoxes, kKeptClasses, kKeptCounts };
}  // namespace detection_postprocessing

// The kernels of BOX_WITH_NMS_LIMIT.
enum class SuppressionKernel : int32_t { kHard = 0, kLinear = 1, kGaussian = 2 };
struct BoxLimitParameters {
  uint32_t rows = 0, classes = 0;  // classes count the background, class 0
  float score_threshold = 0.0F;
  int32_t max_detections = -1;  // per class and per image; negative: no limit
  SuppressionKernel kernel = SuppressionKernel::kHard;
  float iou_threshold = 0.0F, sigma = 0.0F, nms_score_threshold = 0.0F;
};

// The parameters of GENERATE_PROPOSALS.
struct ProposalParameters {
  bool nchw = false;  // layout of scores and deltas
  uint32_t batches = 0, height = 0, width = 0, anchors = 0;
  float stride_y = 1.0F, stride_x = 1.0F;
  int32_t pre_nms_max = 0;    // <= 0: no limit
  int32_t post_nms_max = -1;  // negative: no limit
  float iou_threshold = 0.0F, min_size = 0.0F;

  uint32_t candidates() const { return height * width * anchors; }  // per image
  // Returns the number of candidates per image that remain for the suppression, after the truncation to pre_nms_max.
  uint32_t considered() const {
    return pre_nms_max > 0 && static_cast<uint32_t>(pre_nms_max) < candidates() ? static_cast<uint32_t>(pre_nms_max)
                                                                                : candidates();
  }
};

// The parameters of DETECTION_POSTPROCESSING.
struct PostprocessingParameters {
  uint32_t batches = 0, anchors = 0, classes = 0;  // classes count the background, class 0
  uint32_t delta_length = 0;                       // values per anchor in the deltas; the first four count
  float scale_y = 1.0F, scale_x = 1.0F, scale_h = 1.0F, scale_w = 1.0F;
  bool regular = false;
  int32_t max_detections = 0;          // per image
  int32_t max_per_class = 0;           // regular mode
  uint32_t classes_per_detection = 0;  // fast mode: min(classes - 1, the operand)
  float score_threshold = 0.0F, iou_threshold = 0.0F;
  int32_t first_label = 0;  // label of class 1
  uint32_t entries = 0;     // of every output, per image
};

// The decoders require known shapes and scalars that infer() has accepted. If a value is still unknown, they return OP_FAILED
// with the operand's name.
Result<BoxLimitParameters> box_limit_parameters(const OperationView& operation);
Result<ProposalParameters> proposal_parameters(const OperationView& operation);
Result<PostprocessingParameters> postprocessing_parameters(const OperationView& operation);

}  // namespace nnvk
