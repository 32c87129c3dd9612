// Reads the scalars of the detection operations and checks that nothing is missing.
#include "core/operations/parameters/detection_parameters.h"

#include <algorithm>

#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

// More sample points per output cell than the first are refused when they are more than the second in all: they would keep a
// device busy for seconds.
constexpr uint64_t kManySamples = 1U << 20;
constexpr uint64_t kMostSamples = 1U << 28;

// Collects scalars; remembers the first input whose value is not known.
class Scalars {
 public:
  explicit Scalars(const OperationView& operation) : operation_(operation) {}

  int32_t integer(size_t i) { return known(operation_.scalar<int32_t>(i), i); }
  float real(size_t i) { return known(float_scalar(operation_, i), i); }
  bool flag(size_t i) { return known(operation_.scalar<uint8_t>(i), i) != 0; }
  // Shapes as well as scalars are known.
  Status complete() const {
    for (size_t i = 0; i < operation_.inputs.size(); ++i) {
      if (!operation_.shape(i).fully_known()) return fail(Code::kOpFailed, "the shape of " + input_name(i) + " is not known");
    }
    return missing_ ? fail(Code::kOpFailed, "the value of " + input_name(*missing_) + " is not known") : Status{};
  }

 private:
  template <class T>
  T known(std::optional<T> value, size_t i) {
    if (!value && !missing_) missing_ = i;
    return value.value_or(T{});
  }
  const OperationView& operation_;
  std::optional<size_t> missing_;
};

}  // namespace

Result<RegionParameters> region_parameters(const OperationView& operation) {
  const bool align = operation.code == OperationCode::kRoiAlign;
  Scalars scalars(operation);
  RegionParameters p;
  p.out_height = static_cast<uint32_t>(scalars.integer(3));
  p.out_width = static_cast<uint32_t>(scalars.integer(4));
  p.scale_y = 1.0F / scalars.real(5);
  p.scale_x = 1.0F / scalars.real(6);
  if (align) {
    p.samples_y = scalars.integer(7);
    p.samples_x = scalars.integer(8);
  }
  p.nchw = scalars.flag(align ? 9 : 7);
  NNVK_TRY(scalars.complete());
  const LayoutAxes axes = layout_axes(p.nchw);
  const Shape& image = operation.shape(0);
  p.batches = image[0];
  p.height = image[axes.height];
  p.width = image[axes.width];
  p.channels = image[axes.channels];
  p.regions = operation.shape(1)[0];
  const auto samples = static_cast<uint64_t>(std::max(p.samples_y, 1)) * static_cast<uint64_t>(std::max(p.samples_x, 1));
  const double elements = double{1} * p.regions * p.out_height * p.out_width * p.channels;
  if (samples > kManySamples && static_cast<double>(samples) * elements > kMostSamples) {
    return fail(Code::kOpFailed, std::to_string(p.samples_y) + " x " + std::to_string(p.samples_x) +
                                     " sample points (inputs 7 and 8) for each of the output's elements are more than the " +
                                     std::to_string(kMostSamples) + " in all that nnvk computes");
  }
  return p;
}

Result<BoxLimitParameters> box_limit_parameters(const OperationView& operation) {
  Scalars scalars(operation);
  BoxLimitParameters p;
  p.score_threshold = scalars.real(3);
  p.max_detections = scalars.integer(4);
  p.kernel = static_cast<SuppressionKernel>(scalars.integer(5));
  p.iou_threshold = scalars.real(6);
  p.sigma = scalars.real(7);
  p.nms_score_threshold = scalars.real(8);
  NNVK_TRY(scalars.complete());
  p.rows = operation.shape(0)[0];
  p.classes = operation.shape(0)[1];
  return p;
}

Result<ProposalParameters> proposal_parameters(const OperationView& operation) {
  Scalars scalars(operation);
  ProposalParameters p;
  p.stride_y = scalars.real(4);
  p.stride_x = scalars.real(5);
  p.pre_nms_max = scalars.integer(6);
  p.post_nms_max = scalars.integer(7);
  p.iou_threshold = scalars.real(8);
  p.min_size = scalars.real(9);
  p.nchw = scalars.flag(10);
  NNVK_TRY(scalars.complete());
  const LayoutAxes axes = layout_axes(p.nchw);
  const Shape& scores = operation.shape(0);
  p.batches = scores[0];
  p.height = scores[axes.height];
  p.width = scores[axes.width];
  p.anchors = scores[axes.channels];
  return p;
}

Result<PostprocessingParameters> postprocessing_parameters(const OperationView& operation) {
  Scalars scalars(operation);
  PostprocessingParameters p;
  p.scale_y = scalars.real(3);
  p.scale_x = scalars.real(4);
  p.scale_h = scalars.real(5);
  p.scale_w = scalars.real(6);
  p.regular = scalars.flag(7);
  p.max_detections = scalars.integer(8);
  const int32_t per_detection = scalars.integer(9);
  p.max_per_class = scalars.integer(10);
  p.score_threshold = scalars.real(11);
  p.iou_threshold = scalars.real(12);
  p.first_label = scalars.flag(13) ? 1 : 0;
  NNVK_TRY(scalars.complete());
  p.batches = operation.shape(0)[0];
  p.anchors = operation.shape(0)[1];
  p.classes = operation.shape(0)[2];
  p.delta_length = operation.shape(1)[2];
  p.classes_per_detection = std::min(p.classes - 1, static_cast<uint32_t>(std::max(per_detection, 0)));
  const auto detections = static_cast<uint32_t>(p.max_detections);
  p.entries = p.regular ? detections : multiply_dimensions(detections, static_cast<uint32_t>(std::max(per_detection, 0)));
  return p;
}

}  // namespace nnvk
