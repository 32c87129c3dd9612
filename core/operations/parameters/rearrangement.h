// Operations that only change the places of whole elements, described as one strided walk over the input: DEPTH_TO_SPACE,
// SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND, CHANNEL_SHUFFLE, TILE, REVERSE, TRANSPOSE, SLICE, STRIDED_SLICE and the
// parts of SPLIT. CPU kernels and GPU emitters share it, so only this file decodes blocks, groups and axes.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// One dimension of the walk.
struct WalkedAxis {
  uint32_t size = 1;
  int64_t stride = 0;  // input elements between neighbours; 0 repeats, negative reverses
  bool operator==(const WalkedAxis&) const = default;
};

// Element i of the output, in row-major order, is input element first + sum(coordinate[d] * axes[d].stride). The axes split the
// output's dimensions further (a height of h * block is two axes), outermost first.
struct Rearrangement {
  std::vector<WalkedAxis> axes;
  int64_t first = 0;
};

// Returns the steps between neighbours along each dimension of a dense tensor, in elements.
std::vector<int64_t> row_major_strides(const Shape& shape);

// Returns the walk of any operation named above but SPLIT; infer() must have accepted the known shapes and parameters. For
// SPACE_TO_BATCH_ND the walk reads the padded input.
Result<Rearrangement> rearrangement(const OperationView& operation);

// Returns the walk that reads output `part` of a SPLIT.
Result<Rearrangement> split_part(const OperationView& operation, size_t part);

}  // namespace nnvk
