// BOX_WITH_NMS_LIMIT, GENERATE_PROPOSALS and DETECTION_POSTPROCESSING run chains of suppression kernels over one work buffer.
#include <algorithm>

#include "core/operations/parameters/suppression_parameters.h"
#include "detection_kernels.h"
#include "suppression_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/slice_choice.h"

namespace nnvk::vulkan {
namespace {

// Work groups per dimension; if there are more lists, each group continues with another list.
constexpr uint32_t kMostGroups = 65535;
// Only the device knows the number of BOX_WITH_NMS_LIMIT's images, so at least kLeastImageGroups work groups share them, one for
// at most kRowsPerImageGroup rows.
constexpr uint32_t kLeastImageGroups = 8;
constexpr uint64_t kRowsPerImageGroup = 128;

// The most loop iterations of an invocation in one dispatch, approximately (see bounded_work.h). An invocation iterates over its
// share of a list. It also needs kPickOverhead iterations per pick, kDigitOverhead per digit and image, and two per list.
constexpr uint64_t kMostLoops = 30000;
constexpr uint64_t kMostLists = 5000;  // of all images of a work group
constexpr uint64_t kPickOverhead = 40;
constexpr uint64_t kWidePickOverhead = 200;  // the same in a large work group
constexpr uint64_t kDigitOverhead = 60;
constexpr uint64_t kMostDispatches = 4096;
constexpr uint64_t kEntryBytes = 2 * sizeof(uint32_t);  // of a list: a row and its score
constexpr uint64_t kBoxBytes = 4 * sizeof(float);       // at most
constexpr uint64_t kLanes = 64;
constexpr uint64_t kWideLanes = 1024;  // of kSuppressWide
// The least steps that a lane of a small work group takes through a list, for a large work group to be faster.
constexpr uint64_t kLeastWideSteps = 4;

// Adds the dispatches of one operation.
class Suppression {
 public:
  Suppression(const EmitContext& context, uint32_t task)
      : context_(context), task_(task), scores_(context.input_id(suppression::kScores)) {
    const OperandInfo& scores = context.input(suppression::kScores);
    score_type_ = element_type(scores.type);
    params.score_scale = scores.scale;
    params.score_zero_point = static_cast<float>(scores.zero_point);
  }

  SuppressionParams params{};  // set geometry before allocate(), limits and thresholds before the first kernel

  // Sets the parts of the work buffer and the work groups. RESOURCE_EXHAUSTED_PERSISTENT if positions exceed 32 bits.
  Status allocate(uint32_t most_images) {
    uint64_t words = 0;
    const auto place = [&](uint64_t count) {
      const uint64_t at = words;
      words += divide_up(count, 4) * 4;
      return static_cast<uint>(at);
    };
    const uint64_t slots = uint64_t{params.rows} * params.list_classes;
    params.at_lists = place(4 * slots);
    params.at_order = place(2 * slots);
    params.at_marks = place(params.rows);
    params.at_runs = place(task_ == kSuppressAnchors ? uint64_t{params.rows} * params.per_detection : uint64_t{most_images} + 2);
    params.at_kept = place(uint64_t{most_images} * params.list_classes);
    params.at_ends = place(uint64_t{most_images} * params.list_classes);
    params.at_counts = place(most_images);
    params.at_offsets = place(uint64_t{most_images} + 1);
    if (words > UINT32_MAX / sizeof(uint32_t)) {
      return beyond_device(std::to_string(params.rows) + " boxes of " + std::to_string(params.list_classes) +
                           " classes are more than this device can work on");
    }
    work_ = context_.dispatches.scratch(words * sizeof(uint32_t));
    const uint64_t images_at_once = std::clamp<uint64_t>(kMostLists / params.list_classes, 1, kRowsPerImageGroup);
    const uint64_t image_groups =
        params.images == 0 ? std::max<uint64_t>(kLeastImageGroups, divide_up(most_images, images_at_once)) : params.images;
    groups_ = {std::min(params.list_classes, kMostGroups),
               static_cast<uint32_t>(std::min<uint64_t>({most_images, image_groups, kMostGroups})), 1};
    images_per_group_ = divide_up(most_images, groups_[1]);
    if (images_per_group_ * params.list_classes > kMostLists || 2 * divide_up(most_images, kLanes) > kMostLoops) {
      return too_large(uint64_t{params.rows} * params.list_classes);
    }
    return {};
  }

  TensorId status() {
    if (status_ == kNoTensor) status_ = context_.dispatches.status(kSuppressionStatusWords);
    return status_;
  }
  // Returns a tensor that stands in for operands that a kernel does not use.
  TensorId unused() {
    if (unused_ == kNoTensor) unused_ = context_.dispatches.scratch(16);
    return unused_;
  }

  void find_images(TensorId batches, TensorId boxes, OperandType box_type) {
    add(kernels::kSuppressRuns, {.box_type = element_type(box_type)},
        {.batch_index = read_words(batches),
         .boxes = read_words(boxes),
         .work = write_words(work_),
         .status = read_write(status())});
  }
  // Sorts the entries of every image, which has at most `most`: by score, or with `by_class` by class and then by score.
  Status sort(uint64_t most, bool by_class) {
    uint32_t digits = kScoreDigits;
    for (uint32_t rest = by_class ? params.list_classes - 1 : 0; rest > 0; rest >>= 4) ++digits;
    const uint64_t loops = 2 * divide_up(most, kLanes) + kDigitOverhead * images_per_group_;
    if (loops > kMostLoops) return too_large(most);
    const auto at_once = static_cast<uint32_t>(kMostLoops / loops);
    for (uint32_t digit = 0; digit < digits; digit += at_once) {
      params.step_begin = digit;
      params.step_end = std::min(digits, digit + at_once);
      params.step_flags = (digit == 0 ? kStepFirst : 0) | (params.step_end == digits ? kStepLast : 0);
      add(kernels::kSuppressSort, {.task = task_, .score_type = score_type_},
          {.scores = read_words(scores_), .work = read_write(work_)}, {1, groups_[1], 1});
    }
    return {};
  }
  // Picks boxes from every list, which has at most `most` candidates.
  Status suppress(TensorId boxes, OperandType box_type, uint32_t decay, uint32_t most, bool sorted) {
    const bool wide = suits_wide_groups(most);
    const uint64_t loops = 3 * divide_up(most, wide ? kWideLanes : kLanes) + (wide ? kWidePickOverhead : kPickOverhead);
    const uint64_t at_once = std::max<uint64_t>(kMostLoops / loops, 1);
    // If only the device knows the images, counts one list per class: together, the lists of a class have `most` entries.
    const uint64_t lists = divide_up(params.list_classes, groups_[0]) * (params.images == 0 ? 1 : images_per_group_);
    const uint64_t per_list =
        params.images == 0 || params.list_limit < 0 ? most : std::min<uint64_t>(most, static_cast<uint32_t>(params.list_limit));
    const uint64_t steps = std::max<uint64_t>(divide_up(lists * per_list, at_once), 1);
    if (loops > kMostLoops || steps > kMostDispatches) return too_large(most);
    for (uint64_t step = 0; step < steps; ++step) {
      params.step_end = static_cast<uint>(at_once);
      params.step_flags = step == 0 ? kStepFirst : 0;
      // At most, a step reads all scores once, writes the lists, and walks through them twice for every pick.
      const uint64_t walks = 2 * std::min(per_list, at_once);
      const uint64_t entries = uint64_t{params.rows} * params.list_classes;
      add(wide ? kernels::kSuppressWide : kernels::kSuppress,
          {.task = task_, .decay = decay, .score_type = score_type_, .box_type = element_type(box_type), .sorted = sorted},
          {.scores = task_ == kSuppressAnchors ? moving(read_words(scores_), sizeof(uint32_t)) : read_words(scores_),
           .boxes = read_words(boxes),
           .work = moving(read_write(work_), params.rows * sizeof(uint32_t) + (1 + walks) * entries * kEntryBytes)},
          groups_);
    }
    return {};
  }
  // Finds the best classes of every pick; an image has at most params.considered picks.
  Status rank_classes() {
    if (params.classes > kMostLoops) return too_large(params.classes);
    const uint64_t picks = uint64_t{params.images} * params.considered;
    return add_flat(context_,
                    started(kernels::kSuppressRanks, {.score_type = score_type_},
                            {.scores = moving(read_words(scores_), picks * params.classes * score_bytes()),
                             .work = moving(read_write(work_), picks * (kEntryBytes + params.per_detection * sizeof(uint32_t)))},
                            params),
                    picks * (params.classes - 1));
  }
  void find_offsets() { add(kernels::kSuppressOffsets, {}, {.work = read_write(work_), .status = read_write(status())}); }

  // Adds the dispatches that write the outputs. `classes` and `extra`: outputs, or unused().
  Status emit(TensorId boxes, TensorId batches, TensorId classes, TensorId extra) {
    params.count = static_cast<uint>(element_count(context_.output(suppression::kKeptScores)));
    const auto add_two = [&](bool numbers, TensorId first, TensorId second) {
      auto dispatch = started(kernels::kSuppressEmit,
                              {.task = task_,
                               .score_type = element_type(context_.output(suppression::kKeptScores).type),
                               .box_type = element_type(context_.output(suppression::kKeptBoxes).type),
                               .numbers = numbers},
                              {.work = moving(read_words(work_), params.count * kEntryBytes),
                               .boxes = moving(read_words(boxes), params.count * kBoxBytes),
                               .batch_index = moving(read_words(batches), params.count * sizeof(uint32_t)),
                               .scores = moving(read_words(scores_), params.count * score_bytes()),
                               .out_first = write_words(first),
                               .out_second = write_words(second)},
                              params);
      return add_flat(context_, std::move(dispatch), divide_up(params.count, 4));
    };
    NNVK_TRY(add_two(false, context_.output_id(suppression::kKeptScores), context_.output_id(suppression::kKeptBoxes)));
    return add_two(true, classes, extra);
  }

  // Decodes anchors and deltas to boxes, as FLOAT32 x 4. `extra_input`: the third input that the coding needs.
  Result<TensorId> decode(uint32_t coding, size_t extra_input, BoxDecodeParams decode_params) {
    const OperandInfo& anchors = context_.input(suppression::kAnchors);
    const OperandInfo& deltas = context_.input(suppression::kDeltas);
    const OperandInfo& extra = context_.input(extra_input);
    decode_params.count = params.rows;
    decode_params.per_image = params.per_image;
    decode_params.at_marks = params.at_marks;
    decode_params.box_scale = anchors.scale;
    decode_params.box_zero_point = static_cast<float>(anchors.zero_point);
    decode_params.delta_scale = deltas.scale;
    decode_params.delta_zero_point = static_cast<float>(deltas.zero_point);
    decode_params.extra_scale = extra.scale;
    decode_params.extra_zero_point = static_cast<float>(extra.zero_point);
    const TensorId boxes = context_.dispatches.scratch(uint64_t{params.rows} * 4 * sizeof(float));
    // Anchors come with scores, the best of which is found as well.
    const bool scored = coding == kCodingAnchors;
    const SliceWork scores{.folds = params.rows, .steps = params.classes, .contiguous = true};
    const SliceChoice share = scored ? choose_slices(scores, context_.traits) : SliceChoice{};
    auto dispatch = started(kernels::kBoxDecode,
                            {.coding = coding,
                             .box_type = element_type(anchors.type),
                             .delta_type = element_type(deltas.type),
                             .extra_type = element_type(extra.type),
                             .out_type = kElementFloat32,
                             .lanes = share.lanes},
                            {.boxes = read_words(context_.input_id(suppression::kAnchors)),
                             .deltas = read_words(context_.input_id(suppression::kDeltas)),
                             .extra = read_words(context_.input_id(extra_input)),
                             .batch_index = read_words(unused()),
                             .out_boxes = write_words(boxes),
                             .marks = moving(read_write(work_), params.rows * sizeof(uint32_t)),
                             .status = read_write(decode_status())},
                            decode_params);
    NNVK_TRY(add_flat(context_, std::move(dispatch), share.invocations(params.rows)));
    return boxes;
  }
  // Declares the size of all outputs: they have one row per kept box.
  void report_sizes() {
    for (const TensorId output : context_.node.outputs)
      context_.dispatches.data_sized(output, 0, status(), kSuppressionStatusKept);
  }
  TensorId decode_status() {
    if (decode_status_ == kNoTensor) decode_status_ = context_.dispatches.status(1);
    return decode_status_;
  }

 private:
  // Returns the binding for a kernel that moves only these bytes of the tensor, or moves some of them again.
  static TensorBinding moving(TensorBinding binding, uint64_t bytes) {
    binding.moved = bytes;
    return binding;
  }
  uint64_t score_bytes() const { return element_size(context_.input(suppression::kScores).type); }
  // Returns whether large work groups are faster for lists of up to `most` candidates.
  bool suits_wide_groups(uint64_t most) const {
    const DeviceTraits& traits = context_.traits;
    return !traits.is_software() && traits.max_group_invocations >= kWideLanes && divide_up(most, kLanes) >= kLeastWideSteps;
  }
  static Status too_large(uint64_t count) {
    return beyond_device("lists of up to " + std::to_string(count) + " boxes or classes take this device too long");
  }
  template <class Shape>
  DispatchOf<typename Shape::Params> started(TypedKernel<Shape> kernel, const typename Shape::Specialization& constants,
                                             const typename Shape::Bindings& bindings,
                                             const typename Shape::Params& its_params) const {
    auto dispatch = make_dispatch(context_, kernel, constants, bindings, its_params);
    dispatch.label += std::string(" ") + kernel_info(kernel.id).name;
    return dispatch;
  }
  template <class Shape>
  void add(TypedKernel<Shape> kernel, const typename Shape::Specialization& constants, const typename Shape::Bindings& bindings,
           std::array<uint32_t, 3> groups = {1, 1, 1}) {
    auto dispatch = started(kernel, constants, bindings, params);
    dispatch.groups = groups;
    context_.dispatches.add(std::move(dispatch));
  }

  const EmitContext& context_;
  const uint32_t task_;
  const TensorId scores_;
  uint score_type_ = 0;
  TensorId work_ = kNoTensor;
  TensorId status_ = kNoTensor;
  TensorId decode_status_ = kNoTensor;
  TensorId unused_ = kNoTensor;
  std::array<uint32_t, 3> groups_ = {1, 1, 1};
  uint64_t images_per_group_ = 1;
};

uint32_t decay_of(SuppressionKernel kernel) {
  switch (kernel) {
    case SuppressionKernel::kHard:
      return kDecayHard;
    case SuppressionKernel::kLinear:
      return kDecayLinear;
    case SuppressionKernel::kGaussian:
      break;
  }
  return kDecayGaussian;
}

Status emit_box_with_nms_limit(const EmitContext& context) {
  using namespace box_with_nms_limit;
  NNVK_ASSIGN(const BoxLimitParameters p, context.decode(box_limit_parameters));
  if (element_count(context.output(kKeptScores)) == 0) return {};
  const OperandInfo& boxes = context.input(kBoxes);
  Suppression suppression(context, kSuppressBoxes);
  SuppressionParams& params = suppression.params;
  params.rows = p.rows;
  params.classes = params.box_classes = p.classes;
  params.list_classes = p.classes - 1;
  params.score_threshold = p.score_threshold;
  params.iou_threshold = p.iou_threshold;
  params.sigma = p.sigma;
  params.nms_score_threshold = p.nms_score_threshold;
  params.list_limit = params.image_limit = p.max_detections;
  params.box_scale = boxes.scale;
  params.first_label = 1;
  NNVK_TRY(suppression.allocate(p.rows));

  const TensorId box_id = context.input_id(kBoxes);
  const TensorId batch_id = context.input_id(kBatches);
  suppression.find_images(batch_id, box_id, boxes.type);
  NNVK_TRY(suppression.suppress(box_id, boxes.type, decay_of(p.kernel), p.rows, false));
  NNVK_TRY(suppression.sort(uint64_t{p.rows} * params.list_classes, true));
  suppression.find_offsets();
  NNVK_TRY(suppression.emit(box_id, batch_id, context.output_id(kKeptClasses), context.output_id(kKeptBatches)));
  suppression.report_sizes();
  context.dispatches.fail_if_set(suppression.status(), kSuppressionStatusMalformed, "a box (input 1) has x1 > x2 or y1 > y2");
  context.dispatches.fail_if_set(suppression.status(), kSuppressionStatusBatch, "a batch index (input 2) is negative");
  return {};
}

Status emit_generate_proposals(const EmitContext& context) {
  using namespace generate_proposals;
  NNVK_ASSIGN(const ProposalParameters p, context.decode(proposal_parameters));
  if (element_count(context.output(kKeptScores)) == 0) return {};
  Suppression suppression(context, kSuppressProposals);
  SuppressionParams& params = suppression.params;
  params.images = p.batches;
  params.per_image = p.candidates();
  params.rows = p.batches * p.candidates();
  params.considered = p.considered();
  params.classes = params.list_classes = params.box_classes = 1;
  params.iou_threshold = p.iou_threshold;
  params.list_limit = p.post_nms_max;
  params.image_limit = -1;
  params.grid_cells = p.nchw ? p.height * p.width : 0;
  params.anchors = p.anchors;
  NNVK_TRY(suppression.allocate(p.batches));

  BoxDecodeParams decode{};
  decode.anchors = p.anchors;
  decode.grid_width = p.width;
  decode.grid_cells = p.height * p.width;
  decode.nchw = p.nchw ? 1 : 0;
  decode.stride_y = p.stride_y;
  decode.stride_x = p.stride_x;
  decode.min_size = p.min_size;
  NNVK_ASSIGN(const TensorId boxes, suppression.decode(kCodingProposals, kImages, decode));
  const bool sorted = p.considered() < p.candidates();
  if (sorted) NNVK_TRY(suppression.sort(p.candidates(), false));
  NNVK_TRY(suppression.suppress(boxes, OperandType::kTensorFloat32, kDecayRemove, p.considered(), sorted));
  params.at_counts = params.at_kept;  // one list per image
  suppression.find_offsets();
  NNVK_TRY(suppression.emit(boxes, suppression.unused(), suppression.unused(), context.output_id(kKeptBatches)));
  suppression.report_sizes();
  context.dispatches.fail_if_set(suppression.decode_status(), kDetectionStatusMalformed,
                                 "an anchor (input 2) has x1 > x2 or y1 > y2");
  return {};
}

Status emit_detection_postprocessing(const EmitContext& context) {
  using namespace detection_postprocessing;
  NNVK_ASSIGN(const PostprocessingParameters p, context.decode(postprocessing_parameters));
  Suppression suppression(context, p.regular ? kSuppressClasses : kSuppressAnchors);
  SuppressionParams& params = suppression.params;
  params.images = p.batches;
  params.per_image = p.anchors;
  params.rows = p.batches * p.anchors;
  params.classes = p.classes;
  params.list_classes = p.regular ? p.classes - 1 : 1;
  params.box_classes = 1;
  params.score_threshold = p.score_threshold;
  params.iou_threshold = p.iou_threshold;
  params.list_limit = p.regular ? p.max_per_class : p.max_detections;
  params.image_limit = p.max_detections;
  params.considered = std::min(p.anchors, static_cast<uint32_t>(p.max_detections));
  params.per_detection = p.classes_per_detection;
  params.first_label = static_cast<uint>(p.first_label);
  NNVK_TRY(suppression.allocate(p.batches));

  BoxDecodeParams decode{};
  decode.anchors = p.anchors;
  decode.classes = p.classes;
  decode.delta_length = p.delta_length;
  decode.stride_y = p.scale_y;
  decode.stride_x = p.scale_x;
  decode.scale_h = p.scale_h;
  decode.scale_w = p.scale_w;
  NNVK_ASSIGN(const TensorId boxes, suppression.decode(kCodingAnchors, kScores, decode));
  NNVK_TRY(suppression.suppress(boxes, OperandType::kTensorFloat32, kDecayRemove, p.anchors, false));
  if (p.regular) {
    const uint32_t per_class = std::min(p.anchors, static_cast<uint32_t>(p.max_per_class));
    NNVK_TRY(suppression.sort(uint64_t{per_class} * params.list_classes, false));
  } else {
    NNVK_TRY(suppression.rank_classes());
  }
  return suppression.emit(boxes, suppression.unused(), context.output_id(kKeptClasses), context.output_id(kKeptCounts));
}

}  // namespace

constinit const EmitterRows suppression_emitters = {
    {OperationCode::kBoxWithNmsLimit, nullptr, emit_box_with_nms_limit},
    {OperationCode::kGenerateProposals, nullptr, emit_generate_proposals},
    {OperationCode::kDetectionPostprocessing, nullptr, emit_detection_postprocessing},
};

}  // namespace nnvk::vulkan
