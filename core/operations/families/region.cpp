// ROI_ALIGN and ROI_POOLING, which read regions of a feature map.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/region_parameters.h"
#include "core/operations/rules/image_dimensions.h"

namespace nnvk {
namespace {
using namespace row;

Shapes infer_regions(const OperationView& operation, size_t layout_input) {
  using namespace region;
  NNVK_TRY(check_rank(operation, kImage, 4, 4, Code::kOpFailed));
  NNVK_TRY(expect_shape(operation, kRois, {kUnknownDimension, 4}));
  const uint32_t regions = either(dimension_of(operation, kRois, 0), dimension_of(operation, kBatches, 0));
  NNVK_TRY(expect_shape(operation, kBatches, {regions}));
  NNVK_TRY(expect_int_at_least(operation, kOutHeight, 1));
  NNVK_TRY(expect_int_at_least(operation, kOutWidth, 1));
  NNVK_TRY(expect_positive(operation, kStrideY));
  NNVK_TRY(expect_positive(operation, kStrideX));
  NNVK_TRY(expect_box_quantization(operation.input(kRois), input_name(kRois)));
  const ImageDimensions image = image_of(operation, kImage, layout_input);
  if (image.batches == 0 || image.height == 0 || image.width == 0 || image.channels == 0) {
    return fail(Code::kOpFailed, "the feature map may not be empty, but is " + operation.shape(kImage).to_string());
  }
  const auto nchw = operation.scalar<uint8_t>(layout_input);
  if (!nchw) return std::vector{Shape{regions, kUnknownDimension, kUnknownDimension, kUnknownDimension}};
  const uint32_t height = scalar_dimension(operation, kOutHeight);
  const uint32_t width = scalar_dimension(operation, kOutWidth);
  return std::vector{*nchw ? Shape{regions, image.channels, height, width} : Shape{regions, height, width, image.channels}};
}

Shapes infer_roi_align(const OperationView& operation) {
  using namespace roi_align;
  NNVK_TRY(expect_int_at_least(operation, kSamplesY, 0));
  NNVK_TRY(expect_int_at_least(operation, kSamplesX, 0));
  return infer_regions(operation, kNchw);
}

Shapes infer_roi_pooling(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  return infer_regions(operation, roi_pooling::kNchw);
}

// Inputs: image, rois, batch index, output h w, strides h w, samples h w, layout.
constexpr auto kRoiAlignTypes =
    rules<In<kT, kTBoxes, kTensorInt32, kInt32, kInt32, kTScalar, kTScalar, kInt32, kInt32, kBool>, Out<kT>, Reals<3>>;

// Inputs: image, rois, batch index, output h w, strides h w, layout.
constexpr auto kRoiPoolingTypes =
    rules<In<kT, kTBoxes, kTensorInt32, kInt32, kInt32, kTScalar, kTScalar, kBool>, Out<kT>, Reals<3>>;

constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = Op::kRoiAlign, .signatures = only<kRoiAlignTypes>, .accepts_empty_inputs = true, .infer = infer_roi_align},
    {.code = Op::kRoiPooling, .signatures = only<kRoiPoolingTypes>, .infer = infer_roi_pooling},
});

}  // namespace

std::span<const OperationDefinition> region_operations() { return kRows; }

}  // namespace nnvk
