// DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND and CHANNEL_SHUFFLE: strided moves of raw elements.
#include "core/operations/parameters/space_depth_parameters.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {
using namespace space_depth;

// Emits the operation, and before it a copy that surrounds the image with its zero value, if there is padding.
Status emit_space_to_batch(const EmitContext& context) {
  NNVK_TRY(check_addressable(context.output(kOutput)));
  const OperandInfo& input = context.input(kInput);
  NNVK_ASSIGN(const BlockParameters blocks, context.decode(known_blocks));
  NNVK_ASSIGN(const Rearrangement walk, context.decode(rearrangement));
  TensorId image = context.input_id(kInput);
  if (element_count(input) != element_count(context.output(kOutput))) {
    image = context.dispatches.scratch(element_count(context.output(kOutput)) * element_size(input.type));
    const std::vector<MoveAxis> axes = padded_axes(input.shape, blocks.paddings);
    NNVK_TRY(emit_move(context, {context.input_id(kInput), image, input.type, axes, 0, zero_element(input)}));
  }
  return emit_rearranged(context, image, context.output_id(kOutput), input.type, walk);
}

}  // namespace

constinit const EmitterRows space_depth_emitters = {
    {OperationCode::kDepthToSpace, nullptr, emit_rearrangement},   {OperationCode::kSpaceToDepth, nullptr, emit_rearrangement},
    {OperationCode::kBatchToSpaceNd, nullptr, emit_rearrangement}, {OperationCode::kSpaceToBatchNd, nullptr, emit_space_to_batch},
    {OperationCode::kChannelShuffle, nullptr, emit_rearrangement},
};

}  // namespace nnvk::vulkan
