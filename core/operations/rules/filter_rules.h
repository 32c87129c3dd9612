// Rules for operations that multiply an input with a filter and add a bias: convolutions and FULLY_CONNECTED.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// Returns BAD_DATA (a rule of addOperation) if the filter is per-channel, and has no scales along dimension `channel_dim`.
Status expect_channel_dimension(const OperationView& operation, uint32_t channel_dim);

// Checks the bias of an 8-bit product with one filter scale: its scale must be input scale * filter scale, within 1e-6 relative,
// and its zero point 0. Accepts other types. Error: OP_FAILED. Source: constraints of CONV_2D and FULLY_CONNECTED.
Status check_bias_scale(const OperationView& operation);

// Serves as OperationDefinition::level: returns 3 if the product of input and filter scale of a TENSOR_QUANT8_ASYMM convolution
// reaches the output scale, which level 1 did not allow; else 1.
int product_scale_level(const OperationView& operation);

}  // namespace nnvk
