#include "core/operations/parameters/detection_parameters.h"
#include "detection_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

Status emit_bbox_transform(const EmitContext& context) {
  using namespace axis_aligned_bbox_transform;
  const BboxTransformParameters p = context.decode(bbox_transform_parameters);
  const OperandInfo& rois = context.input(kRois);
  const OperandInfo& deltas = context.input(kDeltas);
  const OperandInfo& images = context.input(kImages);
  const OperandInfo& output = context.output(kOutput);
  const uint64_t elements = element_count(output);
  if (elements == 0) return {};
  BoxDecodeParams params{};
  params.count = static_cast<uint>(elements / 4);
  params.images = p.images;
  params.classes = p.classes;
  params.box_scale = rois.scale;
  params.delta_scale = deltas.scale;
  params.delta_zero_point = static_cast<float>(deltas.zero_point);
  params.extra_scale = images.scale;
  params.out_scale = output.scale;

  const TensorId status = context.dispatches.status(1);
  auto dispatch = make_dispatch(context, kernels::kBoxDecode,
                                {.coding = kCodingRegions,
                                 .box_type = element_type(rois.type),
                                 .delta_type = element_type(deltas.type),
                                 .extra_type = element_type(images.type),
                                 .out_type = element_type(output.type),
                                 .lanes = 1},
                                {.boxes = read_words(context.input_id(kRois)),
                                 .deltas = read_words(context.input_id(kDeltas)),
                                 .extra = read_words(context.input_id(kImages)),
                                 .batch_index = read_words(context.input_id(kBatches)),
                                 .out_boxes = write_words(context.output_id(kOutput)),
                                 .marks = read_write(context.dispatches.scratch(16)),
                                 .status = read_write(status)},
                                params);
  NNVK_TRY(add_flat(context, std::move(dispatch), params.count));
  context.dispatches.fail_if_set(status, kDetectionStatusMalformed,
                                 "a box (input 0) has x1 > x2 or y1 > y2, or is of an image (input 2) that does not exist");
  return {};
}

Status emit_heatmap_max_keypoint(const EmitContext& context) {
  using namespace heatmap_max_keypoint;
  NNVK_ASSIGN(const KeypointParameters p, context.decode(keypoint_parameters));
  const OperandInfo& maps = context.input(kHeatmaps);
  const OperandInfo& boxes = context.input(kBoxes);
  const OperandInfo& scores = context.output(kScores);
  const uint64_t count = element_count(scores);
  if (count == 0) return {};
  // Sixteen invocations share the cells of a map; bounded_work.h limits their loops.
  if (divide_up(uint64_t{p.side} * p.side, 16) > uint64_t{3} * kMostElementsPerInvocation) {
    return beyond_device("heatmaps of " + maps.shape.to_string() + " take this device too long");
  }
  HeatmapParams params{};
  params.maps = static_cast<uint>(count);
  params.keypoints = p.keypoints;
  params.side = p.side;
  params.step_box = p.side * p.side * p.keypoints;
  params.step_column = p.nchw ? 1 : p.keypoints;
  params.step_row = p.side * params.step_column;
  params.step_keypoint = p.nchw ? p.side * p.side : 1;
  params.tolerance = p.tolerance;
  params.map_scale = maps.scale;
  params.map_zero_point = static_cast<float>(maps.zero_point);
  params.box_scale = boxes.scale;
  params.score_scale = scores.scale;
  params.score_zero_point = static_cast<float>(scores.zero_point);

  const TensorId status = context.dispatches.status(1);
  auto dispatch = make_dispatch(context, kernels::kHeatmapKeypoint,
                                {.map_type = element_type(maps.type), .box_type = element_type(boxes.type)},
                                {.maps = read_words(context.input_id(kHeatmaps)),
                                 .boxes = read_words(context.input_id(kBoxes)),
                                 .out_scores = write_words(context.output_id(kScores)),
                                 .out_keypoints = write_words(context.output_id(kKeypoints)),
                                 .status = read_write(status)},
                                params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(divide_up(count, 4), 1, context.traits));  // four maps each
  context.dispatches.add(std::move(dispatch));
  context.dispatches.fail_if_set(status, kDetectionStatusMalformed, "a box (input 1) has x1 > x2 or y1 > y2");
  return {};
}

}  // namespace

constinit const EmitterRows detection_emitters = {
    {OperationCode::kAxisAlignedBboxTransform, nullptr, emit_bbox_transform},
    {OperationCode::kHeatmapMaxKeypoint, nullptr, emit_heatmap_max_keypoint},
};

}  // namespace nnvk::vulkan
