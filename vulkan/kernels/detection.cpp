// AXIS_ALIGNED_BBOX_TRANSFORM and HEATMAP_MAX_KEYPOINT.
#include "detection_kernels.h"
#include "shaders/detection_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

Status emit_bbox_transform(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& deltas = context.input(1);
  const OperandInfo& output = context.output(0);
  const uint64_t elements = element_count(output);
  if (elements == 0) return {};
  BoxDecodeParams params{};
  params.count = static_cast<uint>(elements / 4);
  params.images = context.input(3).shape[0];
  params.classes = deltas.shape[1] / 4;
  params.box_scale = context.input(0).scale;
  params.delta_scale = deltas.scale;
  params.delta_zero_point = static_cast<float>(deltas.zero_point);
  params.extra_scale = context.input(3).scale;
  params.out_scale = output.scale;

  const TensorId status = dispatches.status(1);
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  dispatch.kernel = kernels::kBoxDecode;
  dispatch.specialization = {{0, kCodingRegions},
                             {1, element_type(context.input(0).type)},
                             {2, element_type(deltas.type)},
                             {3, element_type(context.input(3).type)},
                             {4, element_type(output.type)}};
  dispatch.bindings = {read_words(context.input_id(0)),
                       read_words(context.input_id(1)),
                       read_words(context.input_id(3)),
                       read_words(context.input_id(2)),
                       write_words(context.output_id(0)),
                       read_write(dispatches.scratch(16)),
                       read_write(status)};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(params.count, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  dispatches.fail_if_set(status, kDetectionStatusMalformed,
                         "a box (input 0) has x1 > x2 or y1 > y2, or is of an image (input 2) that does not exist");
  return {};
}

Status emit_heatmap_max_keypoint(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& maps = context.input(0);
  const OperandInfo& scores = context.output(0);
  const uint64_t count = element_count(scores);
  if (count == 0) return {};
  // Sixteen invocations share the cells of a map; how often one may loop: see bounded_work.h.
  const uint64_t cells = uint64_t{maps.shape[2]} * maps.shape[2];
  if (divide_up(cells, 16) > 3 * kMostElementsPerInvocation) {
    return fail(Code::kResourceExhaustedPersistent, "heatmaps of " + maps.shape.to_string() + " take this device too long");
  }
  const bool nchw = context.scalar<uint8_t>(2, 0) != 0;
  HeatmapParams params{};
  params.maps = static_cast<uint>(count);
  params.keypoints = scores.shape[1];
  params.side = maps.shape[2];
  params.step_box = params.side * params.side * params.keypoints;
  params.step_column = nchw ? 1 : params.keypoints;
  params.step_row = params.side * params.step_column;
  params.step_keypoint = nchw ? params.side * params.side : 1;
  params.tolerance = maps.type == OperandType::kTensorFloat16 ? 1e-3F : 1e-5F;
  params.map_scale = maps.scale;
  params.map_zero_point = static_cast<float>(maps.zero_point);
  params.box_scale = context.input(1).scale;
  params.score_scale = scores.scale;
  params.score_zero_point = static_cast<float>(scores.zero_point);

  const TensorId status = dispatches.status(1);
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  dispatch.kernel = kernels::kHeatmapKeypoint;
  dispatch.specialization = {{0, element_type(maps.type)}, {1, element_type(context.input(1).type)}};
  dispatch.bindings = {read_words(context.input_id(0)), read_words(context.input_id(1)), write_words(context.output_id(0)),
                       write_words(context.output_id(1)), read_write(status)};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(divide_up(count, 4), 1, context.traits));  // four maps each
  dispatches.add(std::move(dispatch));
  dispatches.fail_if_set(status, kDetectionStatusMalformed, "a box (input 1) has x1 > x2 or y1 > y2");
  return {};
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kAxisAlignedBboxTransform, nullptr, emit_bbox_transform},
    {OperationCode::kHeatmapMaxKeypoint, nullptr, emit_heatmap_max_keypoint},
};

}  // namespace

std::span<const KernelEmitter> detection_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
