// DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND and CHANNEL_SHUFFLE read the input in another order.
#include "core/operations/parameters/space_depth_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"

namespace nnvk::cpu {
namespace {
using namespace space_depth;

// Pads with zero (8-bit types: the zero point), then walks the padded image.
Status space_to_batch(KernelContext& context) {
  NNVK_ASSIGN(const BlockParameters blocks, known_blocks(context.operation));
  NNVK_ASSIGN(const Rearrangement walk, rearrangement(context.operation));
  const OperandInfo& in = context.operation.input(kInput);
  const Shape padded = padded_shape(in.shape, blocks.paddings);
  const size_t width = element_size(in.type);
  std::vector<std::byte> image(padded.element_count() * width, static_cast<std::byte>(zero_element(in) & 0xFF));
  strided_copy({in.shape, width}, input_bytes(context, kInput), dense_end(in.shape), image.data(),
               middle_of(padded, blocks.paddings));
  write_rearranged(walk, image.data(), context.outputs[kOutput]);
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kDepthToSpace, rearrange},   {OperationCode::kSpaceToDepth, rearrange},
    {OperationCode::kBatchToSpaceNd, rearrange}, {OperationCode::kSpaceToBatchNd, space_to_batch},
    {OperationCode::kChannelShuffle, rearrange},
};

}  // namespace

std::span<const KernelRow> space_depth_kernels() { return kRows; }

}  // namespace nnvk::cpu
