// Rows of the operations on boxes and keypoints of detected objects: AXIS_ALIGNED_BBOX_TRANSFORM, HEATMAP_MAX_KEYPOINT.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/detection_parameters.h"
#include "core/operations/rules/image_dimensions.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_axis_aligned_bbox_transform(const OperationView& operation) {
  using namespace axis_aligned_bbox_transform;
  const uint32_t regions = either(dimension_of(operation, kRois, 0), dimension_of(operation, kDeltas, 0));
  const uint32_t coordinates = dimension_of(operation, kDeltas, 1);
  NNVK_TRY(expect_shape(operation, kRois, {regions, 4}));
  NNVK_TRY(expect_shape(operation, kDeltas, {regions, coordinates}));
  NNVK_TRY(expect_shape(operation, kBatches, {regions}));
  NNVK_TRY(expect_shape(operation, kImages, {kUnknownDimension, 2}));
  if (is_known(coordinates) && (coordinates == 0 || coordinates % 4 != 0)) {
    return fail(Code::kOpFailed,
                "input 1 must have a positive multiple of 4 values per box, but has " + std::to_string(coordinates));
  }
  if (dimension_of(operation, kImages, 0) == 0) return fail(Code::kOpFailed, "image_info must have at least one image");
  NNVK_TRY(expect_box_quantization(operation.input(kRois), input_name(kRois)));
  NNVK_TRY(expect_box_quantization(operation.input(kImages), input_name(kImages)));
  NNVK_TRY(expect_box_quantization(operation.output(kOutput), "output 0"));
  return std::vector{Shape{regions, coordinates}};
}

Shapes infer_heatmap_max_keypoint(const OperationView& operation) {
  using namespace heatmap_max_keypoint;
  NNVK_TRY(check_rank(operation, kHeatmaps, 4, 4, Code::kOpFailed));
  const ImageDimensions heatmap = image_of(operation, kHeatmaps, kNchw);
  if (contradict(heatmap.height, heatmap.width) || (is_known(heatmap.height) && heatmap.height < 2)) {
    return fail(Code::kOpFailed,
                "heatmaps must be square with sides of at least 2, input 0 is " + operation.shape(kHeatmaps).to_string());
  }
  const uint32_t boxes = either(heatmap.batches, dimension_of(operation, kBoxes, 0));
  NNVK_TRY(expect_shape(operation, kBoxes, {boxes, 4}));
  NNVK_TRY(expect_box_quantization(operation.input(kBoxes), input_name(kBoxes)));
  NNVK_TRY(expect_box_quantization(operation.output(kKeypoints), "output 1"));
  return std::vector{Shape{boxes, heatmap.channels}, Shape{boxes, heatmap.channels, 2}};
}

constexpr auto kBboxTransformTypes = rules<In<kTBoxes, kT, kTensorInt32, kTBoxes>, Out<kTBoxes>, Reals<3>>;
constexpr auto kHeatmapTypes = rules<In<kT, kTBoxes, kBool>, Out<kT, kTBoxes>, Reals<3>>;

constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = Op::kAxisAlignedBboxTransform,
     .signatures = only<kBboxTransformTypes>,
     .accepts_empty_inputs = true,
     .infer = infer_axis_aligned_bbox_transform},
    {.code = Op::kHeatmapMaxKeypoint, .signatures = only<kHeatmapTypes>, .infer = infer_heatmap_max_keypoint},
});

}  // namespace

std::span<const OperationDefinition> detection_operations() { return kRows; }

}  // namespace nnvk
