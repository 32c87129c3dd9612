// Operands of RESHAPE, SQUEEZE, EXPAND_DIMS, SPLIT, TRANSPOSE, TILE, REVERSE, FILL and RANK. How TILE, REVERSE, TRANSPOSE and
// SPLIT walk their input is in rearrangement.h.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// The tensor that moves (FILL has none) and its destination (the first part of SPLIT).
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

// Per output dimension of TRANSPOSE: the input dimension. A missing `perm` reverses two dimensions. Needs the value of `perm`
// when it is present. OP_FAILED when it is no permutation of the input's rank.
Result<std::vector<uint32_t>> transpose_permutation(const OperationView& operation);

// The value that FILL writes: the bits of one element in the low bytes. OP_FAILED while it is unknown.
Result<int32_t> fill_element(const OperationView& operation);

}  // namespace nnvk
