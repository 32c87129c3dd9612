// DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND and CHANNEL_SHUFFLE: strided moves of raw elements.
#include "core/operations/rules/shape_rules.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

// Surrounds the image with its zero first, where padding is asked for.
Status emit_space_to_batch(const EmitContext& context, DispatchList& dispatches) {
  NNVK_TRY(check_addressable(context.output(0)));
  const OperandInfo& input = context.input(0);
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const auto paddings, space_to_batch_padding(view.view()));
  NNVK_ASSIGN(const Rearrangement walk, rearrangement(view.view()));
  TensorId image = context.input_id(0);
  if (element_count(input) != element_count(context.output(0))) {
    image = dispatches.scratch(element_count(context.output(0)) * element_size(input.type));
    Move pad{context.input_id(0), image, input.type, {}, 0, is_quant8_asymm(input.type) ? input.zero_point : 0};
    const std::vector<int64_t> strides = row_major_strides(input.shape);
    for (size_t d = 0; d < strides.size(); ++d) {
      const uint32_t size = paddings[d].before + input.shape[d] + paddings[d].after;
      pad.axes.push_back({size, strides[d], paddings[d].before, input.shape[d]});
    }
    NNVK_TRY(emit_move(context, pad, dispatches));
  }
  return emit_rearranged(context, image, context.output_id(0), input.type, walk, dispatches);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kDepthToSpace, nullptr, emit_rearrangement},   {OperationCode::kSpaceToDepth, nullptr, emit_rearrangement},
    {OperationCode::kBatchToSpaceNd, nullptr, emit_rearrangement}, {OperationCode::kSpaceToBatchNd, nullptr, emit_space_to_batch},
    {OperationCode::kChannelShuffle, nullptr, emit_rearrangement},
};

}  // namespace

std::span<const KernelEmitter> space_depth_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
