// The operands of DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND and CHANNEL_SHUFFLE, and the blocks of the
// first four. rearrangement.h describes in which order the operations read their input.
#pragma once

#include <array>

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/slicing_padding_parameters.h"

namespace nnvk {

// The operands that all operations of the family have.
namespace space_depth {
enum Input : size_t { kInput };
enum Output : size_t { kOutput };
}  // namespace space_depth

// SPACE_TO_DEPTH has the same operands.
namespace depth_to_space {
enum Input : size_t { kInput, kBlockSize, kLayout };
}  // namespace depth_to_space

namespace batch_to_space {
enum Input : size_t { kInput, kBlockShape, kLayout = depth_to_space::kLayout };
}  // namespace batch_to_space

namespace space_to_batch {
enum Input : size_t { kInput, kBlockShape = batch_to_space::kBlockShape, kPaddings, kLayout };
}  // namespace space_to_batch

namespace channel_shuffle {
enum Input : size_t { kInput, kGroups, kAxis };
}  // namespace channel_shuffle

// The blocks into which an image is cut, at most 2^31 - 1 in each direction.
struct BlockParameters {
  bool nchw = false;
  int64_t height = 1;  // of a block
  int64_t width = 1;
  std::array<PaddingPair, 4> paddings = {};  // of each dimension of the input; SPACE_TO_BATCH_ND only
};
// Decodes the operation. Returns nullopt while one of the parameters is unknown, and OP_FAILED for invalid parameters.
Result<std::optional<BlockParameters>> block_parameters(const OperationView& operation);
// Does the same as block_parameters(), but returns OP_FAILED while a parameter is unknown.
Result<BlockParameters> known_blocks(const OperationView& operation);

}  // namespace nnvk
