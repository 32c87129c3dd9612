// Operations of object detection: regions of interest, box decoding, non-maximum suppression, keypoints; and LSH_PROJECTION.
#include <algorithm>

#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

// The sizes of an image at input 0, whatever its layout; unknown while the layout flag is.
struct Image {
  uint32_t batches = kUnknownDimension;
  uint32_t height = kUnknownDimension;
  uint32_t width = kUnknownDimension;
  uint32_t channels = kUnknownDimension;
};

Image image_of(const OperationView& operation, size_t input, size_t layout_input) {
  Image image;
  image.batches = dimension_of(operation, input, 0);
  if (const auto nchw = operation.scalar<uint8_t>(layout_input)) {
    image.height = dimension_of(operation, input, *nchw ? 2 : 1);
    image.width = dimension_of(operation, input, *nchw ? 3 : 2);
    image.channels = dimension_of(operation, input, *nchw ? 1 : 3);
  }
  return image;
}

uint32_t scalar_dimension(const OperationView& operation, size_t i) {
  const auto value = operation.scalar<int32_t>(i);
  return value && *value >= 0 ? static_cast<uint32_t>(*value) : kUnknownDimension;
}

// The value of a, or of b while a is unknown.
uint32_t either(uint32_t a, uint32_t b) { return is_known(a) ? a : b; }

// --- ROI_ALIGN, ROI_POOLING --------------------------------------------------------------------------------------------------

Result<std::vector<Shape>> infer_regions(const OperationView& operation, size_t layout_input) {
  NNVK_TRY(check_rank(operation, 0, 4, 4, Code::kOpFailed));
  NNVK_TRY(expect_shape(operation, 1, {kUnknownDimension, 4}));
  const uint32_t regions = either(dimension_of(operation, 1, 0), dimension_of(operation, 2, 0));
  NNVK_TRY(expect_shape(operation, 2, {regions}));
  NNVK_TRY(expect_int_at_least(operation, 3, 1));
  NNVK_TRY(expect_int_at_least(operation, 4, 1));
  NNVK_TRY(expect_positive(operation, 5));
  NNVK_TRY(expect_positive(operation, 6));
  NNVK_TRY(expect_box_quantization(operation.input(1), "input 1"));
  const Image image = image_of(operation, 0, layout_input);
  if (image.batches == 0 || image.height == 0 || image.width == 0 || image.channels == 0) {
    return fail(Code::kOpFailed, "the feature map is empty: " + operation.shape(0).to_string());
  }
  const auto nchw = operation.scalar<uint8_t>(layout_input);
  if (!nchw) return std::vector{Shape{regions, kUnknownDimension, kUnknownDimension, kUnknownDimension}};
  const uint32_t height = scalar_dimension(operation, 3);
  const uint32_t width = scalar_dimension(operation, 4);
  return std::vector{*nchw ? Shape{regions, image.channels, height, width} : Shape{regions, height, width, image.channels}};
}

Result<std::vector<Shape>> infer_roi_align(const OperationView& operation) {
  NNVK_TRY(expect_int_at_least(operation, 7, 0));
  NNVK_TRY(expect_int_at_least(operation, 8, 0));
  return infer_regions(operation, 9);
}

Result<std::vector<Shape>> infer_roi_pooling(const OperationView& operation) {
  NNVK_TRY(expect_quantization_of_input(operation));
  return infer_regions(operation, 7);
}

// --- Boxes ------------------------------------------------------------------------------------------------------------------

Result<std::vector<Shape>> infer_box_with_nms_limit(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 2, 2, Code::kOpFailed));
  const uint32_t classes = dimension_of(operation, 0, 1);
  if (is_known(classes) && classes < 2)
    return fail(Code::kOpFailed, "at least 2 classes are needed, input 0 has " + std::to_string(classes));
  const uint32_t regions = dimension_of(operation, 0, 0);
  NNVK_TRY(expect_shape(operation, 1, {regions, is_known(classes) ? multiply_dimensions(classes, 4) : kUnknownDimension}));
  NNVK_TRY(expect_shape(operation, 2, {regions}));
  if (const auto kernel = operation.scalar<int32_t>(5); kernel && (*kernel < 0 || *kernel > 2)) {
    return fail(Code::kOpFailed, "the kernel must be 0 (hard), 1 (linear) or 2 (gaussian), is " + std::to_string(*kernel));
  }
  NNVK_TRY(expect_box_quantization(operation.input(1), "input 1"));
  NNVK_TRY(expect_quantization_of_input(operation));
  NNVK_TRY(expect_box_quantization(*operation.outputs[1], "output 1"));
  // How many boxes are kept depends on the scores; from no box none is kept.
  const uint32_t kept = regions == 0 ? 0 : kUnknownDimension;
  return std::vector{Shape{kept}, Shape{kept, 4}, Shape{kept}, Shape{kept}};
}

// No box is kept twice for a class, and no image keeps more than the cap.
Result<std::vector<Shape>> bound_box_with_nms_limit(const OperationView& operation) {
  const uint32_t classes = dimension_of(operation, 0, 1);
  const auto cap = operation.scalar<int32_t>(4);
  uint32_t kept = kUnknownDimension;
  if (cap && is_known(classes)) {
    const uint32_t per_row = *cap < 0 ? classes - 1 : std::min(classes - 1, static_cast<uint32_t>(*cap));
    kept = multiply_dimensions(dimension_of(operation, 0, 0), per_row);
  }
  return std::vector{Shape{kept}, Shape{kept, 4}, Shape{kept}, Shape{kept}};
}

Result<std::vector<Shape>> infer_generate_proposals(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 4, 4, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, 1, 4, 4, Code::kOpFailed));
  const Image scores = image_of(operation, 0, 10);
  const Image deltas = image_of(operation, 1, 10);
  const uint32_t anchors = either(scores.channels, dimension_of(operation, 2, 0));
  if (contradict(scores.batches, deltas.batches) || contradict(scores.height, deltas.height) ||
      contradict(scores.width, deltas.width) ||
      (is_known(anchors) && contradict(multiply_dimensions(anchors, 4), deltas.channels))) {
    return fail(Code::kOpFailed, "deltas of shape " + operation.shape(1).to_string() + " do not belong to scores of shape " +
                                     operation.shape(0).to_string());
  }
  NNVK_TRY(expect_shape(operation, 2, {anchors, 4}));
  NNVK_TRY(expect_shape(operation, 3, {scores.batches, 2}));
  if (operation.input(0).type == kTensorQuant8Asymm) {  // the signed variant is not held to it
    NNVK_TRY(check_quantization(operation.input(2), 0.125F, operation.input(2).zero_point, "input 2", Code::kOpFailed));
    NNVK_TRY(expect_box_quantization(operation.input(3), "input 3"));
  }
  NNVK_TRY(expect_quantization_of_input(operation));
  NNVK_TRY(expect_box_quantization(*operation.outputs[1], "output 1"));
  return std::vector{Shape{kUnknownDimension}, Shape{kUnknownDimension, 4}, Shape{kUnknownDimension}};
}

// Every candidate is kept at most once, and no image keeps more than either cap.
Result<std::vector<Shape>> bound_generate_proposals(const OperationView& operation) {
  const Image scores = image_of(operation, 0, 10);
  const auto before = operation.scalar<int32_t>(6);
  const auto after = operation.scalar<int32_t>(7);
  uint32_t kept = kUnknownDimension;
  if (before && after && is_known(scores.height) && is_known(scores.width) && is_known(scores.channels)) {
    kept = multiply_dimensions(multiply_dimensions(scores.height, scores.width), scores.channels);
    if (*before > 0) kept = std::min(kept, static_cast<uint32_t>(*before));
    if (*after >= 0) kept = std::min(kept, static_cast<uint32_t>(*after));
    kept = multiply_dimensions(scores.batches, kept);
  }
  return std::vector{Shape{kept}, Shape{kept, 4}, Shape{kept}};
}

Result<std::vector<Shape>> infer_detection_postprocessing(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 3, 3, Code::kOpFailed));
  const uint32_t batches = dimension_of(operation, 0, 0);
  const uint32_t anchors = either(dimension_of(operation, 0, 1), dimension_of(operation, 2, 0));
  const uint32_t classes = dimension_of(operation, 0, 2);
  NNVK_TRY(expect_shape(operation, 0, {batches, anchors, classes}));
  NNVK_TRY(expect_shape(operation, 1, {batches, anchors, kUnknownDimension}));
  NNVK_TRY(expect_shape(operation, 2, {anchors, 4}));
  if (is_known(classes) && classes < 2)
    return fail(Code::kOpFailed, "at least 2 classes are needed, input 0 has " + std::to_string(classes));
  const uint32_t delta_length = dimension_of(operation, 1, 2);
  if (is_known(delta_length) && delta_length < 4) return fail(Code::kOpFailed, "deltas need at least 4 values each");
  for (size_t i = 3; i <= 6; ++i) NNVK_TRY(expect_positive(operation, i));
  NNVK_TRY(expect_int_at_least(operation, 8, 1));
  NNVK_TRY(expect_not_negative(operation, 11));
  NNVK_TRY(expect_not_negative(operation, 12));
  const auto regular = operation.scalar<uint8_t>(7);
  uint32_t detections = kUnknownDimension;
  if (regular && *regular != 0) {
    NNVK_TRY(expect_int_at_least(operation, 10, 1));
    detections = scalar_dimension(operation, 8);
  } else if (regular) {
    NNVK_TRY(expect_int_at_least(operation, 9, 1));
    detections = multiply_dimensions(scalar_dimension(operation, 8), scalar_dimension(operation, 9));
  }
  return std::vector{Shape{batches, detections}, Shape{batches, detections, 4}, Shape{batches, detections}, Shape{batches}};
}

Result<std::vector<Shape>> infer_axis_aligned_bbox_transform(const OperationView& operation) {
  const uint32_t regions = either(dimension_of(operation, 0, 0), dimension_of(operation, 1, 0));
  const uint32_t coordinates = dimension_of(operation, 1, 1);
  NNVK_TRY(expect_shape(operation, 0, {regions, 4}));
  NNVK_TRY(expect_shape(operation, 1, {regions, coordinates}));
  NNVK_TRY(expect_shape(operation, 2, {regions}));
  NNVK_TRY(expect_shape(operation, 3, {kUnknownDimension, 2}));
  if (is_known(coordinates) && (coordinates == 0 || coordinates % 4 != 0)) {
    return fail(Code::kOpFailed, "input 1 must have a positive multiple of 4 values per box, has " + std::to_string(coordinates));
  }
  if (dimension_of(operation, 3, 0) == 0) return fail(Code::kOpFailed, "image_info has no images");
  NNVK_TRY(expect_box_quantization(operation.input(0), "input 0"));
  NNVK_TRY(expect_box_quantization(operation.input(3), "input 3"));
  NNVK_TRY(expect_box_quantization(*operation.outputs[0], "output 0"));
  return std::vector{Shape{regions, coordinates}};
}

Result<std::vector<Shape>> infer_heatmap_max_keypoint(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 4, 4, Code::kOpFailed));
  const Image heatmap = image_of(operation, 0, 2);
  if (contradict(heatmap.height, heatmap.width) || (is_known(heatmap.height) && heatmap.height < 2)) {
    return fail(Code::kOpFailed,
                "heatmaps must be square with sides of at least 2, input 0 is " + operation.shape(0).to_string());
  }
  const uint32_t boxes = either(heatmap.batches, dimension_of(operation, 1, 0));
  NNVK_TRY(expect_shape(operation, 1, {boxes, 4}));
  NNVK_TRY(expect_box_quantization(operation.input(1), "input 1"));
  NNVK_TRY(expect_box_quantization(*operation.outputs[1], "output 1"));
  return std::vector{Shape{boxes, heatmap.channels}, Shape{boxes, heatmap.channels, 2}};
}

// --- LSH_PROJECTION ---------------------------------------------------------------------------------------------------------

enum class LshType : int32_t { kSparseDeprecated = 1, kDense = 2, kSparse = 3 };

Result<std::vector<Shape>> infer_lsh_projection(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 2, 2, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, 1, 1, SIZE_MAX, Code::kOpFailed));
  const uint32_t hashes = dimension_of(operation, 0, 0);
  const uint32_t bit_count = dimension_of(operation, 0, 1);
  if (is_known(bit_count) && bit_count > 32)
    return fail(Code::kOpFailed, "at most 32 bits per hash, input 0 has " + std::to_string(bit_count));
  const auto type = operation.scalar<int32_t>(3);
  if (!type) return std::vector{Shape{kUnknownDimension}};
  switch (static_cast<LshType>(*type)) {
    case LshType::kSparseDeprecated:
    case LshType::kSparse:
      if (presence_of(operation, 2) == Presence::kGiven)
        return fail(Code::kOpFailed, "the weight must be omitted for the sparse projections");
      return std::vector{Shape{hashes}};
    case LshType::kDense:
      if (!operation.has(2)) return fail(Code::kOpFailed, "the weight must be given for the dense projection");
      NNVK_TRY(expect_optional_shape(operation, 2, {dimension_of(operation, 1, 0)}));
      return std::vector{Shape{multiply_dimensions(hashes, bit_count)}};
  }
  return fail(Code::kOpFailed, "the projection type must be 1, 2 or 3, is " + std::to_string(*type));
}

// --- Rows -------------------------------------------------------------------------------------------------------------------

// image, rois, batch index, output h w, strides h w, samples h w, layout
template <OperandType kImage, OperandType kRois, OperandType kStride>
constexpr TypeRule roi_align_rule(int since) {
  return {since, types<kImage, kRois, kTensorInt32, kInt32, kInt32, kStride, kStride, kInt32, kInt32, kBool>, types<kImage>};
}
constexpr TypeRule kRoiAlignTypes[] = {
    roi_align_rule<kTensorFloat32, kTensorFloat32, kFloat32>(3),
    roi_align_rule<kTensorFloat16, kTensorFloat16, kFloat16>(3),
    roi_align_rule<kTensorQuant8Asymm, kTensorQuant16Asymm, kFloat32>(3),
    roi_align_rule<kTensorQuant8AsymmSigned, kTensorQuant16Asymm, kFloat32>(4),
};
constexpr Signature kRoiAlign[] = {{"default", 3, counts<10>, 1, kRoiAlignTypes}};

// image, rois, batch index, output h w, strides h w, layout
template <OperandType kImage, OperandType kRois, OperandType kStride>
constexpr TypeRule roi_pooling_rule(int since) {
  return {since, types<kImage, kRois, kTensorInt32, kInt32, kInt32, kStride, kStride, kBool>, types<kImage>};
}
constexpr TypeRule kRoiPoolingTypes[] = {
    roi_pooling_rule<kTensorFloat32, kTensorFloat32, kFloat32>(3),
    roi_pooling_rule<kTensorFloat16, kTensorFloat16, kFloat16>(3),
    roi_pooling_rule<kTensorQuant8Asymm, kTensorQuant16Asymm, kFloat32>(3),
    roi_pooling_rule<kTensorQuant8AsymmSigned, kTensorQuant16Asymm, kFloat32>(4),
};
constexpr Signature kRoiPooling[] = {{"default", 3, counts<8>, 1, kRoiPoolingTypes}};

// scores, boxes, batch index, score threshold, max detections, kernel, iou threshold, sigma, nms score threshold
template <OperandType kScores, OperandType kBoxes, OperandType kScalar>
constexpr TypeRule box_with_nms_limit_rule(int since) {
  return {since, types<kScores, kBoxes, kTensorInt32, kScalar, kInt32, kInt32, kScalar, kScalar, kScalar>,
          types<kScores, kBoxes, kTensorInt32, kTensorInt32>};
}
constexpr TypeRule kBoxWithNmsLimitTypes[] = {
    box_with_nms_limit_rule<kTensorFloat16, kTensorFloat16, kFloat16>(3),
    box_with_nms_limit_rule<kTensorFloat32, kTensorFloat32, kFloat32>(3),
    box_with_nms_limit_rule<kTensorQuant8Asymm, kTensorQuant16Asymm, kFloat32>(3),
    box_with_nms_limit_rule<kTensorQuant8AsymmSigned, kTensorQuant16Asymm, kFloat32>(4),
};
constexpr Signature kBoxWithNmsLimit[] = {{"default", 3, counts<9>, 4, kBoxWithNmsLimitTypes}};

// scores, deltas, anchors, image info, strides h w, pre and post nms max, iou threshold, min size, layout
template <OperandType kScores, OperandType kAnchors, OperandType kBoxes, OperandType kScalar>
constexpr TypeRule generate_proposals_rule(int since) {
  return {since, types<kScores, kScores, kAnchors, kBoxes, kScalar, kScalar, kInt32, kInt32, kScalar, kScalar, kBool>,
          types<kScores, kBoxes, kTensorInt32>};
}
constexpr TypeRule kGenerateProposalsTypes[] = {
    generate_proposals_rule<kTensorFloat16, kTensorFloat16, kTensorFloat16, kFloat16>(3),
    generate_proposals_rule<kTensorFloat32, kTensorFloat32, kTensorFloat32, kFloat32>(3),
    generate_proposals_rule<kTensorQuant8Asymm, kTensorQuant16Symm, kTensorQuant16Asymm, kFloat32>(3),
    generate_proposals_rule<kTensorQuant8AsymmSigned, kTensorQuant16Symm, kTensorQuant16Asymm, kFloat32>(4),
};
constexpr Signature kGenerateProposals[] = {{"default", 3, counts<11>, 3, kGenerateProposalsTypes}};

// scores, deltas, anchors, scales y x h w, regular nms, max detections / classes / per class, score and iou threshold, background
template <OperandType kData, OperandType kScalar>
constexpr TypeRule detection_postprocessing_rule(int since) {
  return {since,
          types<kData, kData, kData, kScalar, kScalar, kScalar, kScalar, kBool, kInt32, kInt32, kInt32, kScalar, kScalar, kBool>,
          types<kData, kData, kTensorInt32, kTensorInt32>};
}
constexpr TypeRule kDetectionPostprocessingTypes[] = {
    detection_postprocessing_rule<kTensorFloat16, kFloat16>(3),
    detection_postprocessing_rule<kTensorFloat32, kFloat32>(3),
};
constexpr Signature kDetectionPostprocessing[] = {{"default", 3, counts<14>, 4, kDetectionPostprocessingTypes}};

constexpr TypeRule kBboxTransformTypes[] = {
    {3, types<kTensorFloat16, kTensorFloat16, kTensorInt32, kTensorFloat16>, types<kTensorFloat16>},
    {3, types<kTensorFloat32, kTensorFloat32, kTensorInt32, kTensorFloat32>, types<kTensorFloat32>},
    {3, types<kTensorQuant16Asymm, kTensorQuant8Asymm, kTensorInt32, kTensorQuant16Asymm>, types<kTensorQuant16Asymm>},
    {4, types<kTensorQuant16Asymm, kTensorQuant8AsymmSigned, kTensorInt32, kTensorQuant16Asymm>, types<kTensorQuant16Asymm>},
};
constexpr Signature kBboxTransform[] = {{"default", 3, counts<4>, 1, kBboxTransformTypes}};

constexpr TypeRule kHeatmapTypes[] = {
    {3, types<kTensorFloat16, kTensorFloat16, kBool>, types<kTensorFloat16, kTensorFloat16>},
    {3, types<kTensorFloat32, kTensorFloat32, kBool>, types<kTensorFloat32, kTensorFloat32>},
    {3, types<kTensorQuant8Asymm, kTensorQuant16Asymm, kBool>, types<kTensorQuant8Asymm, kTensorQuant16Asymm>},
    {4, types<kTensorQuant8AsymmSigned, kTensorQuant16Asymm, kBool>, types<kTensorQuant8AsymmSigned, kTensorQuant16Asymm>},
};
constexpr Signature kHeatmap[] = {{"default", 3, counts<3>, 2, kHeatmapTypes}};

// hash, input, weight (same type as the hash), projection type
template <OperandType kHash, OperandType kInput>
constexpr TypeRule lsh_rule(int since) {
  return {since, types<kHash, kInput, kHash, kInt32>, types<kTensorInt32>};
}
constexpr TypeRule kLshTypes[] = {
    lsh_rule<kTensorFloat32, kTensorFloat32>(1),     lsh_rule<kTensorFloat32, kTensorInt32>(1),
    lsh_rule<kTensorFloat32, kTensorQuant8Asymm>(1), lsh_rule<kTensorFloat32, kTensorFloat16>(3),
    lsh_rule<kTensorFloat16, kTensorFloat32>(3),     lsh_rule<kTensorFloat16, kTensorInt32>(3),
    lsh_rule<kTensorFloat16, kTensorQuant8Asymm>(3), lsh_rule<kTensorFloat16, kTensorFloat16>(3),
};
constexpr Signature kLsh[] = {{"default", 1, counts<4>, 1, kLshTypes}};

}  // namespace

std::span<const OperationDefinition> detection_operations() {
  static const OperationDefinition rows[] = {
      {.code = OperationCode::kRoiAlign,
       .since = 3,
       .signatures = kRoiAlign,
       .accepts_empty_inputs = true,
       .infer = infer_roi_align},
      {.code = OperationCode::kRoiPooling, .since = 3, .signatures = kRoiPooling, .infer = infer_roi_pooling},
      {.code = OperationCode::kBoxWithNmsLimit,
       .since = 3,
       .signatures = kBoxWithNmsLimit,
       .accepts_empty_inputs = true,
       .infer = infer_box_with_nms_limit,
       .bound = bound_box_with_nms_limit},
      {.code = OperationCode::kGenerateProposals,
       .since = 3,
       .signatures = kGenerateProposals,
       .infer = infer_generate_proposals,
       .bound = bound_generate_proposals},
      {.code = OperationCode::kDetectionPostprocessing,
       .since = 3,
       .signatures = kDetectionPostprocessing,
       .infer = infer_detection_postprocessing},
      {.code = OperationCode::kAxisAlignedBboxTransform,
       .since = 3,
       .signatures = kBboxTransform,
       .accepts_empty_inputs = true,
       .infer = infer_axis_aligned_bbox_transform},
      {.code = OperationCode::kHeatmapMaxKeypoint, .since = 3, .signatures = kHeatmap, .infer = infer_heatmap_max_keypoint},
      {.code = OperationCode::kLshProjection,
       .since = 1,
       .signatures = kLsh,
       .optional_inputs = bits(2),
       .infer = infer_lsh_projection},
  };
  return rows;
}

}  // namespace nnvk
