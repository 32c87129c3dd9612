// The dispatch of two operands that broadcast against each other, for arithmetic and comparisons.
#pragma once

#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "shaders/elementwise_binary_params.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// The operands of the node, or scratch tensors of the same types and shapes.
struct BroadcastOperands {
  TensorId a = kNoTensor;
  TensorId b = kNoTensor;
};
inline BroadcastOperands operands_of(const EmitContext& context) {
  return {context.input_id(elementwise_binary::kFirst), context.input_id(elementwise_binary::kSecond)};
}

// Returns the value of BinaryParams::zero_points for two operands.
int32_t packed_zero_points(const OperandInfo& a, const OperandInfo& b);

// Adds the dispatch of `operation` (kBinaryAdd ...) that fills the output, or none for an empty output. Sets the fields of
// `params` for broadcasting; the caller sets all others. If the operands broadcast in more separate dimensions than the kernels
// support, the function first expands the operands into tensors of the output's size.
Status emit_broadcast(const EmitContext& context, BroadcastOperands operands, uint operation, BinaryParams params);

}  // namespace nnvk::vulkan
