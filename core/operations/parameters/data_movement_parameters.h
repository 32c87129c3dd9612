// The operands of RESHAPE, SQUEEZE, EXPAND_DIMS, SPLIT, TRANSPOSE, TILE, REVERSE, FILL and RANK. rearrangement.h describes in
// which order TILE, REVERSE, TRANSPOSE and SPLIT read their input.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// The input tensor (FILL has none) and the output (of SPLIT: the first part).
namespace data_movement {
enum Input : size_t { kInput };
enum Output : size_t { kOutput };
}  // namespace data_movement

namespace reshape {
enum Input : size_t { kInput, kShape };
}  // namespace reshape

namespace squeeze {
enum Input : size_t { kInput, kAxes };
}  // namespace squeeze

namespace expand_dims {
enum Input : size_t { kInput, kAxis };
}  // namespace expand_dims

namespace split {
enum Input : size_t { kInput, kAxis, kParts };
}  // namespace split

namespace transpose {
enum Input : size_t { kInput, kPermutation };
}  // namespace transpose

namespace tile {
enum Input : size_t { kInput, kMultiples };
}  // namespace tile

namespace reverse {
enum Input : size_t { kInput, kAxis };
}  // namespace reverse

namespace fill {
enum Input : size_t { kDimensions, kValue };
}  // namespace fill

// Returns, per output dimension of TRANSPOSE, the input dimension. A missing `perm` reverses two dimensions; the value of a
// present one must be known. OP_FAILED if it is no permutation of the input's rank.
Result<std::vector<uint32_t>> transpose_permutation(const OperationView& operation);

// Returns the bits of the element that FILL writes, in the low bytes. OP_FAILED while the value is unknown.
Result<int32_t> fill_element(const OperationView& operation);

}  // namespace nnvk
