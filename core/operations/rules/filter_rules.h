// Rules of operations that multiply an input with a filter and add a bias: convolutions and FULLY_CONNECTED.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// A per-channel filter has its parameters, along dimension `channel_dim`. Other types pass. Error: BAD_DATA (a rule of
// addOperation).
Status expect_channel_dimension(const OperationView& operation, uint32_t channel_dim);

// An 8-bit product with one filter scale: the bias scale must be input scale * filter scale within 1e-6 relative, and its zero
// point 0. Passes for other types. Error: OP_FAILED. Source: constraints of CONV_2D and FULLY_CONNECTED.
Status check_bias_scale(const OperationView& operation);

// 3 when the product of input and filter scale reaches the output scale of a TENSOR_QUANT8_ASYMM convolution, which level 1 did
// not allow; else 1. For OperationDefinition::level.
int product_scale_level(const OperationView& operation);

}  // namespace nnvk
