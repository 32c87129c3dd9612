// Replaces inputs by copies that an operation computes, so that cases read operands that are neither inputs nor constants.
#pragma once

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// Whether there is an operation that copies tensors of this type: for all but those with scales per channel.
bool can_be_copied(const VectorOperand& operand);

// Appends an operation that copies `operand`, a tensor that can be copied, and its output, a temporary of the same type and
// declared shape. Returns the index of the output.
uint32_t add_copy(VectorGraph& graph, uint32_t operand);

// Every operation reads copies of the inputs in place of the inputs.
void compute_inputs(VectorGraph& graph);

}  // namespace nnvk::tools::conformance
