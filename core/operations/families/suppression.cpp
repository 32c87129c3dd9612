// Operations that select boxes by non-maximum suppression: BOX_WITH_NMS_LIMIT, GENERATE_PROPOSALS, DETECTION_POSTPROCESSING.
#include <algorithm>

#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/suppression_parameters.h"
#include "core/operations/rules/image_dimensions.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_box_with_nms_limit(const OperationView& operation) {
  using namespace box_with_nms_limit;
  NNVK_TRY(check_rank(operation, kScores, 2, 2, Code::kOpFailed));
  const uint32_t classes = dimension_of(operation, kScores, 1);
  if (is_known(classes) && classes < 2)
    return fail(Code::kOpFailed, "input 0 must have at least 2 classes, but has " + std::to_string(classes));
  const uint32_t regions = dimension_of(operation, kScores, 0);
  NNVK_TRY(expect_shape(operation, kBoxes, {regions, is_known(classes) ? multiply_dimensions(classes, 4) : kUnknownDimension}));
  NNVK_TRY(expect_shape(operation, kBatches, {regions}));
  if (const auto kernel = operation.scalar<int32_t>(kKernel); kernel && (*kernel < 0 || *kernel > 2)) {
    return fail(Code::kOpFailed, "the kernel must be 0 (hard), 1 (linear) or 2 (gaussian), but is " + std::to_string(*kernel));
  }
  NNVK_TRY(expect_box_quantization(operation.input(kBoxes), input_name(kBoxes)));
  NNVK_TRY(check_outputs_keep_quantization(operation));
  NNVK_TRY(expect_box_quantization(operation.output(kKeptBoxes), "output 1"));
  // The number of kept boxes depends on the scores; without regions it is 0.
  const uint32_t kept = regions == 0 ? 0 : kUnknownDimension;
  return std::vector{Shape{kept}, Shape{kept, 4}, Shape{kept}, Shape{kept}};
}

// Returns shapes for the most boxes that are kept: per class, each box at most once; per image, at most max_detections.
Shapes bound_box_with_nms_limit(const OperationView& operation) {
  using namespace box_with_nms_limit;
  const uint32_t classes = dimension_of(operation, kScores, 1);
  const auto cap = operation.scalar<int32_t>(kMaxDetections);
  uint32_t kept = kUnknownDimension;
  if (cap && is_known(classes)) {
    const uint32_t per_row = *cap < 0 ? classes - 1 : std::min(classes - 1, static_cast<uint32_t>(*cap));
    kept = multiply_dimensions(dimension_of(operation, kScores, 0), per_row);
  }
  return std::vector{Shape{kept}, Shape{kept, 4}, Shape{kept}, Shape{kept}};
}

Shapes infer_generate_proposals(const OperationView& operation) {
  using namespace generate_proposals;
  NNVK_TRY(check_rank(operation, kScores, 4, 4, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, kDeltas, 4, 4, Code::kOpFailed));
  const ImageDimensions scores = image_of(operation, kScores, kNchw);
  const ImageDimensions deltas = image_of(operation, kDeltas, kNchw);
  const uint32_t anchors = either(scores.channels, dimension_of(operation, kAnchors, 0));
  if (contradict(scores.batches, deltas.batches) || contradict(scores.height, deltas.height) ||
      contradict(scores.width, deltas.width) ||
      (is_known(anchors) && contradict(multiply_dimensions(anchors, 4), deltas.channels))) {
    return fail(Code::kOpFailed, "deltas of shape " + operation.shape(kDeltas).to_string() +
                                     " do not belong to scores of shape " + operation.shape(kScores).to_string());
  }
  NNVK_TRY(expect_shape(operation, kAnchors, {anchors, 4}));
  NNVK_TRY(expect_shape(operation, kImages, {scores.batches, 2}));
  if (operation.input(kScores).type == kTensorQuant8Asymm) {  // the rule applies to the unsigned type only
    NNVK_TRY(check_quantization(operation.input(kAnchors), 0.125F, operation.input(kAnchors).zero_point, "input 2"));
    NNVK_TRY(expect_box_quantization(operation.input(kImages), input_name(kImages)));
  }
  NNVK_TRY(check_outputs_keep_quantization(operation));
  NNVK_TRY(expect_box_quantization(operation.output(kKeptBoxes), "output 1"));
  return std::vector{Shape{kUnknownDimension}, Shape{kUnknownDimension, 4}, Shape{kUnknownDimension}};
}

// Returns shapes for the most proposals that are kept: every candidate at most once; per image, at most the smaller of both
// limits.
Shapes bound_generate_proposals(const OperationView& operation) {
  using namespace generate_proposals;
  const ImageDimensions scores = image_of(operation, kScores, kNchw);
  const auto before = operation.scalar<int32_t>(kPreNmsMax);
  const auto after = operation.scalar<int32_t>(kPostNmsMax);
  uint32_t kept = kUnknownDimension;
  if (before && after && is_known(scores.height) && is_known(scores.width) && is_known(scores.channels)) {
    kept = multiply_dimensions(multiply_dimensions(scores.height, scores.width), scores.channels);
    if (*before > 0) kept = std::min(kept, static_cast<uint32_t>(*before));
    if (*after >= 0) kept = std::min(kept, static_cast<uint32_t>(*after));
    kept = multiply_dimensions(scores.batches, kept);
  }
  return std::vector{Shape{kept}, Shape{kept, 4}, Shape{kept}};
}

Shapes infer_detection_postprocessing(const OperationView& operation) {
  using namespace detection_postprocessing;
  NNVK_TRY(check_rank(operation, kScores, 3, 3, Code::kOpFailed));
  const uint32_t batches = dimension_of(operation, kScores, 0);
  const uint32_t anchors = either(dimension_of(operation, kScores, 1), dimension_of(operation, kAnchors, 0));
  const uint32_t classes = dimension_of(operation, kScores, 2);
  NNVK_TRY(expect_shape(operation, kScores, {batches, anchors, classes}));
  NNVK_TRY(expect_shape(operation, kDeltas, {batches, anchors, kUnknownDimension}));
  NNVK_TRY(expect_shape(operation, kAnchors, {anchors, 4}));
  if (is_known(classes) && classes < 2)
    return fail(Code::kOpFailed, "input 0 must have at least 2 classes, but has " + std::to_string(classes));
  const uint32_t delta_length = dimension_of(operation, kDeltas, 2);
  if (is_known(delta_length) && delta_length < 4) return fail(Code::kOpFailed, "deltas need at least 4 values each");
  for (size_t i = kScaleY; i <= kScaleW; ++i) NNVK_TRY(expect_positive(operation, i));
  NNVK_TRY(expect_int_at_least(operation, kMaxDetections, 1));
  NNVK_TRY(expect_not_negative(operation, kScoreThreshold));
  NNVK_TRY(expect_not_negative(operation, kIouThreshold));
  const auto regular = operation.scalar<uint8_t>(kRegular);
  uint32_t detections = kUnknownDimension;
  if (regular && *regular != 0) {
    NNVK_TRY(expect_int_at_least(operation, kMaxPerClass, 1));
    detections = scalar_dimension(operation, kMaxDetections);
  } else if (regular) {
    NNVK_TRY(expect_int_at_least(operation, kClassesPerDetection, 1));
    detections =
        multiply_dimensions(scalar_dimension(operation, kMaxDetections), scalar_dimension(operation, kClassesPerDetection));
  }
  return std::vector{Shape{batches, detections}, Shape{batches, detections, 4}, Shape{batches, detections}, Shape{batches}};
}

// Inputs: scores, boxes, batch index, score threshold, max detections, kernel, iou threshold, sigma, nms score threshold.
constexpr auto kBoxWithNmsLimitTypes =
    rules<In<kT, kTBoxes, kTensorInt32, kTScalar, kInt32, kInt32, kTScalar, kTScalar, kTScalar>,
          Out<kT, kTBoxes, kTensorInt32, kTensorInt32>, Reals<3>>;

// Inputs: scores, deltas, anchors, image info, strides h w, pre and post nms max, iou threshold, min size, layout.
constexpr auto kGenerateProposalsTypes =
    rules<In<kT, kT, kTAnchors, kTBoxes, kTScalar, kTScalar, kInt32, kInt32, kTScalar, kTScalar, kBool>,
          Out<kT, kTBoxes, kTensorInt32>, Reals<3>>;

// Scores, deltas, anchors, scales y x h w, regular nms, max detections / classes / per class, score / iou threshold, background.
constexpr auto kDetectionPostprocessingTypes =
    rules<In<kT, kT, kT, kTScalar, kTScalar, kTScalar, kTScalar, kBool, kInt32, kInt32, kInt32, kTScalar, kTScalar, kBool>,
          Out<kT, kT, kTensorInt32, kTensorInt32>, Floats<3>>;

constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = Op::kBoxWithNmsLimit,
     .signatures = only<kBoxWithNmsLimitTypes>,
     .accepts_empty_inputs = true,
     .infer = infer_box_with_nms_limit,
     .bound = bound_box_with_nms_limit},
    {.code = Op::kGenerateProposals,
     .signatures = only<kGenerateProposalsTypes>,
     .infer = infer_generate_proposals,
     .bound = bound_generate_proposals},
    {.code = Op::kDetectionPostprocessing,
     .signatures = only<kDetectionPostprocessingTypes>,
     .infer = infer_detection_postprocessing},
});

}  // namespace

std::span<const OperationDefinition> suppression_operations() { return kRows; }

}  // namespace nnvk
