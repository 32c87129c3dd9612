// ROI_ALIGN and ROI_POOLING.
#include "core/operations/detection_parameters.h"
#include "region_kernels.h"
#include "shaders/region_params.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

// Sizes and steps; `vector` channels count as one.
RegionParams geometry(const RegionParameters& region, uint32_t vector) {
  RegionParams params{};
  params.batches = region.batches;
  params.in_height = region.height;
  params.in_width = region.width;
  params.channels = region.channels / vector;
  params.regions = region.regions;
  params.out_height = region.out_height;
  params.out_width = region.out_width;
  params.in_step_batch = region.height * region.width * params.channels;
  params.in_step_pixel = region.nchw ? 1 : params.channels;
  params.in_step_row = region.width * params.in_step_pixel;
  params.in_step_channel = region.nchw ? region.height * region.width : 1;
  params.nchw = region.nchw ? 1 : 0;
  params.samples_y = region.samples_y;
  params.samples_x = region.samples_x;
  params.scale_y = region.scale_y;
  params.scale_x = region.scale_x;
  return params;
}

Status emit_region(const EmitContext& context, DispatchList& dispatches) {
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const RegionParameters region, region_parameters(view.view()));
  const OperandInfo& input = context.input(0);
  const OperandInfo& output = context.output(0);
  const uint64_t elements = element_count(output);
  if (elements == 0) return {};
  const bool integer = !is_float_tensor(output.type);
  const bool align = context.node.code == OperationCode::kRoiAlign;
  const bool four_channels = !region.nchw && region.channels % 4 == 0;
  RegionParams params = geometry(region, four_channels ? 4 : 1);
  params.count = static_cast<uint>(divide_up(elements, 4));
  if (integer) {
    constexpr float kWeightScale = 1.0F / 255.0F;
    params.multiplier = input.scale * kWeightScale / output.scale;
    params.in_zero_point = input.zero_point;
    params.out_zero_point = output.zero_point;
  }

  const TensorId status = dispatches.status(kRegionStatusWords);
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  dispatch.kernel = integer ? kernels::kRegionInteger : kernels::kRegionFloat;
  dispatch.specialization = {{0, element_type(output.type)},
                             {1, align ? kRegionAlign : kRegionPool},
                             {2, four_channels ? 1U : 0U},
                             {3, element_type(context.input(1).type)}};
  const TensorId x = context.input_id(0);
  dispatch.bindings = {four_channels ? read_quads(x, output.type) : read_scalars(x, output.type), read_words(context.input_id(1)),
                       read_words(context.input_id(2)), write_words(context.output_id(0)), read_write(status)};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(params.count, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  dispatches.fail_if_set(status, kRegionStatusMisplaced,
                         "a region (input 1) does not lie in the feature map, has swapped corners, or is of an image (input 2) "
                         "that does not exist");
  dispatches.fail_if_set(status, kRegionStatusMultiplier, "input scale / 255 / output scale / sample points must be below 1");
  return {};
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kRoiAlign, nullptr, emit_region},
    {OperationCode::kRoiPooling, nullptr, emit_region},
};

}  // namespace

std::span<const KernelEmitter> region_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
