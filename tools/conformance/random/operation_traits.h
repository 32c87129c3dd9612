// Properties of operations that random graphs need: whether results are the same on every device, and which values they accept.
#pragma once

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// Floating-point results are copies or selections of inputs: they are exact if the inputs are.
bool moves_values(int32_t operation);

// Elements of the result come from sums of products of the first input: an image, a matrix, a sequence.
bool sums_products(int32_t operation);

// Results stay small whatever the inputs are.
bool bounds_values(int32_t operation);

// Its inputs have a meaning (boxes, keys, positive numbers), or its results grow without limit: it reads the values that its row
// gave it, not those of other operations.
bool keeps_its_values(int32_t operation);

// Small differences of its floating-point inputs may become large ones of its outputs, so these inputs must be exact.
bool needs_exact_inputs(const VectorGraph& graph, int32_t operation);

// TENSOR_FLOAT32 or TENSOR_FLOAT16.
bool is_float_tensor(int32_t type);

}  // namespace nnvk::tools::conformance
