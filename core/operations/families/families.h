// Lists the families of operations: each file <family>.cpp holds the rows (signatures, type rules, check, infer) of its
// operations.
//
// How a row says things:
// - An optional trailing input that needs a higher feature level than its type does (the axis of SOFTMAX) is a signature of its
// own
//   with its own `since`; the types' own levels and unknown ranks are counted by check_operation().
// - A combination whose level depends on scales or zero points (CONV_2D before level 3) is two type rules, the lower one with
// `applies`.
//   The lowest level among all matching rules counts.
#pragma once

#include <span>

#include "core/operations/operation_definition.h"

namespace nnvk {

std::span<const OperationDefinition> elementwise_binary_operations();
std::span<const OperationDefinition> comparison_logical_operations();
std::span<const OperationDefinition> unary_operations();
std::span<const OperationDefinition> cast_quantize_operations();
std::span<const OperationDefinition> data_movement_operations();
std::span<const OperationDefinition> slicing_padding_operations();
std::span<const OperationDefinition> space_depth_operations();
std::span<const OperationDefinition> gather_select_operations();
std::span<const OperationDefinition> reduce_operations();
std::span<const OperationDefinition> softmax_operations();
std::span<const OperationDefinition> normalization_operations();
std::span<const OperationDefinition> pooling_operations();
std::span<const OperationDefinition> convolution_operations();
std::span<const OperationDefinition> depthwise_operations();
std::span<const OperationDefinition> transpose_convolution_operations();
std::span<const OperationDefinition> matmul_operations();
std::span<const OperationDefinition> resize_operations();
std::span<const OperationDefinition> recurrent_operations();
std::span<const OperationDefinition> sequence_recurrent_operations();
std::span<const OperationDefinition> detection_operations();
std::span<const OperationDefinition> random_topk_arg_operations();
std::span<const OperationDefinition> control_flow_operations();

}  // namespace nnvk
