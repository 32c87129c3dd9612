// Makes operations read computed copies of inputs, so that cases read operands that are neither inputs nor constants.
#pragma once

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// Returns whether an operation can copy tensors of this type: all types but the one with a scale per channel.
bool can_be_copied(const VectorOperand& operand);

// Appends an operation that copies `operand` (see can_be_copied()) to a new temporary of the same type and declared shape.
// Returns the index of this temporary.
uint32_t add_copy(VectorGraph& graph, uint32_t operand);

// Lets every operation read copies of the inputs instead of the inputs.
void compute_inputs(VectorGraph& graph);

}  // namespace nnvk::tools::conformance
