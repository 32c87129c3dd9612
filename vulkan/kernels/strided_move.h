// Plans copies of tensors whose elements only change places. Merges neighbouring dimensions that move together, and moves whole
// quads if the innermost dimension allows it. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/operand.h"
#include "core/operations/parameters/slicing_padding_parameters.h"

namespace nnvk::vulkan {

// Returns the integer tensor type of the same element width, to move bits unchanged.
OperandType raw_element_type(OperandType type);

// One dimension of the output.
struct MoveAxis {
  uint32_t size = 1;   // of the output
  int64_t stride = 1;  // input elements between neighbours
  uint32_t begin = 0;  // coordinates in [begin, begin + inside) come from the input, the others are padding
  uint32_t inside = 1;
  bool operator==(const MoveAxis&) const = default;
};

// Returns the axes of a dense tensor of this shape with paddings around it, outermost first.
std::vector<MoveAxis> padded_axes(const Shape& shape, std::span<const PaddingPair> paddings);

// A copy in which the output element with coordinates c comes from input element offset + sum(c[d] * axes[d].stride).
struct StridedMove {
  std::vector<MoveAxis> axes;  // innermost first, at least one
  int64_t offset = 0;
  bool by_quads = false;  // sizes, strides and offset count groups of four elements
  bool padded() const;
};

// Plans a move between tensors that are not empty, by quads if possible. `axes`: outermost first. `first`: the input element for
// coordinates (begin, begin, ...).
StridedMove plan_move(const std::vector<MoveAxis>& axes, int64_t first);
// Plans the same move as plan_move(), with neighbouring axes merged, but never by quads.
StridedMove merge_axes(const std::vector<MoveAxis>& axes, int64_t first);

}  // namespace nnvk::vulkan
