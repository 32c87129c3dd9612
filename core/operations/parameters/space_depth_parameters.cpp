// Decodes block sizes, layouts and paddings.
#include "core/operations/parameters/space_depth_parameters.h"

#include <string>

#include "core/operations/operation_enumerators.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

using BlockSize = std::optional<std::array<int64_t, 2>>;  // height, width

Result<BlockSize> square_block(const OperationView& operation) {
  const auto size = operation.scalar<int32_t>(depth_to_space::kBlockSize);
  if (!size) return std::nullopt;
  if (*size <= 0) return fail(Code::kOpFailed, "the block size must be above 0, but is " + std::to_string(*size));
  return BlockSize({*size, *size});
}

Result<BlockSize> rectangular_block(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, batch_to_space::kBlockShape, 1, 1, Code::kOpFailed));
  const auto values = operation.values<int32_t>(batch_to_space::kBlockShape);
  if (!values) return std::nullopt;
  if (values->size() != 2) {
    return fail(Code::kOpFailed, "the block shape must have 2 entries, but has " + std::to_string(values->size()));
  }
  for (const int32_t size : *values) {
    if (size < 1) return fail(Code::kOpFailed, "the sides of the block must be above 0, but one is " + std::to_string(size));
  }
  return BlockSize({(*values)[0], (*values)[1]});
}

// Returns the paddings of height and width; empty while they are unknown.
Result<std::vector<PaddingPair>> image_paddings(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, space_to_batch::kPaddings, 2, 2, Code::kOpFailed));
  const Shape& shape = operation.shape(space_to_batch::kPaddings);
  if (shape.rank_known && (contradict(shape[0], 2) || contradict(shape[1], 2))) {
    return fail(Code::kOpFailed, "the paddings must have shape [2, 2], but have " + shape.to_string());
  }
  if (!operation.values<int32_t>(space_to_batch::kPaddings)) return std::vector<PaddingPair>{};
  return padding_list(operation, space_to_batch::kPaddings, 2);
}

}  // namespace

Result<std::optional<BlockParameters>> block_parameters(const OperationView& operation) {
  const bool pads = operation.code == OperationCode::kSpaceToBatchNd;
  const bool square = operation.code == OperationCode::kDepthToSpace || operation.code == OperationCode::kSpaceToDepth;
  const auto nchw = optional_flag(operation, pads ? size_t{space_to_batch::kLayout} : size_t{depth_to_space::kLayout});
  NNVK_ASSIGN(const BlockSize block, square ? square_block(operation) : rectangular_block(operation));
  std::vector<PaddingPair> paddings(2);
  if (pads) {
    NNVK_ASSIGN(paddings, image_paddings(operation));
  }
  if (!nchw || !block || paddings.empty()) return std::nullopt;
  BlockParameters parameters{.nchw = *nchw, .height = block->front(), .width = block->back()};
  const LayoutAxes at = layout_axes(*nchw);
  parameters.paddings[at.height] = paddings[0];
  parameters.paddings[at.width] = paddings[1];
  return parameters;
}

Result<BlockParameters> known_blocks(const OperationView& operation) {
  NNVK_ASSIGN(const auto blocks, block_parameters(operation));
  if (!blocks) return fail(Code::kOpFailed, "the blocks of the operation are not known");
  return *blocks;
}

}  // namespace nnvk
