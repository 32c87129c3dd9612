// Decodes the operations on regions and refuses too many samples.
#include "core/operations/parameters/region_parameters.h"

#include <algorithm>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

// More sample points than kManySamples per output cell and than kMostSamples in total keep a device busy for seconds: refused.
constexpr uint64_t kManySamples = 1U << 20;
constexpr uint64_t kMostSamples = 1U << 28;

}  // namespace

float region_multiplier(const OperandInfo& image, const OperandInfo& output) {
  return image.scale * kRegionWeightScale / output.scale;
}

Result<RegionParameters> region_parameters(const OperationView& operation) {
  using namespace region;
  RegionParameters p;
  p.align = operation.code == OperationCode::kRoiAlign;
  NNVK_ASSIGN(const int32_t out_height, int_parameter(operation, kOutHeight));
  NNVK_ASSIGN(const int32_t out_width, int_parameter(operation, kOutWidth));
  NNVK_ASSIGN(const float stride_y, float_parameter(operation, kStrideY));
  NNVK_ASSIGN(const float stride_x, float_parameter(operation, kStrideX));
  p.out_height = static_cast<uint32_t>(out_height);
  p.out_width = static_cast<uint32_t>(out_width);
  p.scale_y = 1.0F / stride_y;
  p.scale_x = 1.0F / stride_x;
  if (p.align) {
    NNVK_ASSIGN(p.samples_y, int_parameter(operation, roi_align::kSamplesY));
    NNVK_ASSIGN(p.samples_x, int_parameter(operation, roi_align::kSamplesX));
  }
  const size_t nchw = p.align ? size_t{roi_align::kNchw} : size_t{roi_pooling::kNchw};
  NNVK_ASSIGN(p.nchw, flag_parameter(operation, nchw));
  const LayoutAxes axes = layout_axes(p.nchw);
  const Shape& image = operation.shape(kImage);
  p.batches = image[0];
  p.height = image[axes.height];
  p.width = image[axes.width];
  p.channels = image[axes.channels];
  p.regions = operation.shape(kRois)[0];
  const auto samples = static_cast<uint64_t>(std::max(p.samples_y, 1)) * static_cast<uint64_t>(std::max(p.samples_x, 1));
  const double elements = double{1} * p.regions * p.out_height * p.out_width * p.channels;
  if (samples > kManySamples && static_cast<double>(samples) * elements > kMostSamples) {
    return fail(Code::kOpFailed,
                std::to_string(p.samples_y) + " x " + std::to_string(p.samples_x) +
                    " sample points (inputs 7 and 8) for each element of the output are more in total than the " +
                    std::to_string(kMostSamples) + " that nnvk computes");
  }
  return p;
}

}  // namespace nnvk
