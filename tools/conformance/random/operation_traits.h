// Properties of operations that random graphs need: whether results are the same on every device, and which values they accept.
#pragma once

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// Returns whether floating-point results are copies or selections of inputs, so that they are exact if the inputs are.
bool moves_values(int32_t operation);

// Returns whether result elements are sums of products of the first input's elements (an image, a matrix, a sequence).
bool sums_products(int32_t operation);

// Returns whether results stay small whatever the inputs are.
bool bounds_values(int32_t operation);

// Returns whether the operation must read the values that its row gave it, not results of other operations: its inputs have a
// meaning (boxes, keys, positive numbers), or its results grow without limit.
bool keeps_its_values(int32_t operation);

// Returns whether floating-point inputs must be exact, because small differences of them may become large differences of outputs.
bool needs_exact_inputs(const VectorGraph& graph, int32_t operation);

// Returns whether the type is TENSOR_FLOAT32 or TENSOR_FLOAT16.
bool is_float_tensor(int32_t type);

}  // namespace nnvk::tools::conformance
