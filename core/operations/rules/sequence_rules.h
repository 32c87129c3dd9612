// Rules that layers over sequences share: the layout of the sequence, auxiliary inputs of bidirectional layers, outputs.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/rules/operand_expectations.h"

namespace nnvk {

// The sizes of input 0, which is [time, batch, size] or [batch, time, size].
struct Sequence {
  uint32_t batch = kUnknownDimension;
  uint32_t size = kUnknownDimension;
};
// Returns the sizes of input 0; `time_major` is nullopt while it is unknown.
Sequence sequence_of(const OperationView& operation, std::optional<bool> time_major);

// Returns the shape of input 0 with another last dimension.
Shape sequence_output(const OperationView& operation, uint32_t size);

// How an auxiliary input takes part in a bidirectional operation.
enum class Linking {
  kNone,
  kParallel,   // the auxiliary input replaces the input of the backward cell
  kCross,      // auxiliary weights add the auxiliary input to both cells
  kUncertain,  // not decided before execution
};
// Returns the linking, given whether the auxiliary input and both directions' auxiliary weights are present. Error: OP_FAILED.
Result<Linking> linking_of(Presence input, Presence forward, Presence backward);

// Returns the input size of the backward cell.
uint32_t backward_input_size(Linking linking, uint32_t input_size, uint32_t aux_size);

// Checks that the auxiliary input, if given, has the time and batch of input 0 and this `size`. Error: OP_FAILED.
Status expect_auxiliary_sequence(const OperationView& operation, size_t aux, uint32_t size);

// The numbers of units of both cells of a bidirectional operation.
struct BidirectionalSizes {
  uint32_t forward = kUnknownDimension;
  uint32_t backward = kUnknownDimension;
};
// Returns the forward output, then the backward output unless they are merged. `state_count`: further outputs that the operation
// may have. OP_FAILED if the flag at input `merge_input` contradicts the number of outputs.
Result<std::vector<Shape>> bidirectional_outputs(const OperationView& operation, size_t merge_input, size_t state_count,
                                                 BidirectionalSizes sizes);

}  // namespace nnvk
