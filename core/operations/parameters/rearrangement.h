// Operations that only change the places of whole elements, described as one strided walk over the input: DEPTH_TO_SPACE,
// SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND, CHANNEL_SHUFFLE, TILE, REVERSE, TRANSPOSE, SLICE, STRIDED_SLICE and the
// parts of SPLIT. Shared by CPU kernels and GPU emitters, so that blocks, groups and axes are decoded in one place.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// One dimension of the walk.
struct WalkedAxis {
  uint32_t size = 1;
  int64_t stride = 0;  // input elements between neighbours; 0 repeats, negative reverses
  bool operator==(const WalkedAxis&) const = default;
};

// The output, element by element in row-major order, is input element first + sum(coordinate[d] * axes[d].stride). The axes split
// the output's dimensions further (a height of h * block is two axes), outermost first.
struct Rearrangement {
  std::vector<WalkedAxis> axes;
  int64_t first = 0;
};

// Steps between neighbours along each dimension of a dense tensor.
std::vector<int64_t> row_major_strides(const Shape& shape);

// The walk of any operation named above but SPLIT; shapes and parameters are known and passed infer(). For SPACE_TO_BATCH_ND it
// walks the padded input.
Result<Rearrangement> rearrangement(const OperationView& operation);

// Output `part` of a SPLIT.
Result<Rearrangement> split_part(const OperationView& operation, size_t part);

}  // namespace nnvk
