// DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND and CHANNEL_SHUFFLE: walks over the input in another
// order.
#include "core/operations/parameters/rearrangement.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"

namespace nnvk::cpu {
namespace {

Status rearrange(KernelContext& context) {
  NNVK_ASSIGN(const Rearrangement walk, rearrangement(context.operation));
  copy_rearranged(walk, context.operation.input(0), input_bytes(context, 0), context.outputs[0].data.data());
  return {};
}

// Pads with zero (8-bit types: the zero point), then walks the padded image.
Status space_to_batch(KernelContext& context) {
  NNVK_ASSIGN(const auto paddings, space_to_batch_padding(context.operation));
  NNVK_ASSIGN(const Rearrangement walk, rearrangement(context.operation));
  const OperandInfo& in = context.operation.input(0);
  Shape padded = in.shape;
  for (size_t d = 0; d < padded.rank(); ++d) padded.dims[d] += paddings[d].before + paddings[d].after;
  const size_t width = element_size(in.type);
  const auto zero = static_cast<std::byte>(is_quant8_asymm(in.type) ? in.zero_point & 0xFF : 0);
  std::vector<std::byte> image(padded.element_count() * width, zero);
  CopyEnd middle = dense_end(padded);
  for (size_t d = 0; d < padded.rank(); ++d) middle.offset += static_cast<ptrdiff_t>(paddings[d].before) * middle.strides[d];
  strided_copy(in.shape, width, input_bytes(context, 0), dense_end(in.shape), image.data(), middle);
  copy_rearranged(walk, in, image.data(), context.outputs[0].data.data());
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
