// Dispatches that move raw elements from one tensor to another, shared by the data movement families.
#pragma once

#include <vector>

#include "core/operations/parameters/rearrangement.h"
#include "vulkan/kernels/kernel_emitter.h"
#include "vulkan/kernels/strided_move.h"

namespace nnvk::vulkan {

// Returns RESOURCE_EXHAUSTED_PERSISTENT if the tensor has more elements than kernels can index with 32-bit signed numbers.
Status check_addressable(const OperandInfo& info);

// Copies `blocks` of 16 bytes from input to output: for all operations that change neither elements nor their order.
Status emit_block_copy(const EmitContext& context, uint64_t blocks);

// A strided copy between two tensors (or scratch) of elements of `type`. `axes`: the target's axes, outermost first; none has
// size 0. `first`: the input element for coordinates (begin, begin, ...). `fill`: the raw element for coordinates outside.
struct Move {
  TensorId from = kNoTensor;
  TensorId to = kNoTensor;
  OperandType type{};
  std::vector<MoveAxis> axes;
  int64_t first = 0;
  int32_t fill = 0;
};
Status emit_move(const EmitContext& context, const Move& move);

// An axis of a move by table, which supports any number of axes; see move_by_table.comp.
struct TableAxis {
  MoveAxis axis;
  int32_t border = 0;  // kBorderFill and so on: what surrounds the inside
};
// Does the same as emit_move(), but with any number of axes. `axes`: innermost first, at least one.
Status emit_table_move(const EmitContext& context, const Move& ends, const std::vector<TableAxis>& axes);

// Moves a tensor of elements of `type` in the order of `walk`.
Status emit_rearranged(const EmitContext& context, TensorId from, TensorId to, OperandType type, const Rearrangement& walk);

// Emits any operation that rearrangement() knows, except SPACE_TO_BATCH_ND: copies the input in the operation's order.
Status emit_rearrangement(const EmitContext& context);

}  // namespace nnvk::vulkan
