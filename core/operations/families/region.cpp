// ROI_ALIGN and ROI_POOLING: regions of a feature map.
#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/rules/image_dimensions.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

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
  const ImageDimensions image = image_of(operation, 0, layout_input);
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

constexpr OperationDefinition kRows[] = {
    {.code = OperationCode::kRoiAlign,
     .since = 3,
     .signatures = kRoiAlign,
     .accepts_empty_inputs = true,
     .infer = infer_roi_align},
    {.code = OperationCode::kRoiPooling, .since = 3, .signatures = kRoiPooling, .infer = infer_roi_pooling},
};

}  // namespace

std::span<const OperationDefinition> region_operations() { return kRows; }

}  // namespace nnvk
