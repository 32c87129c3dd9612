// The rows of all families with fast kernels.
#pragma once

#include <memory>
#include <span>

#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

struct OptimizedRow {
  OperationCode code{};
  // Null if there is no fast kernel for this case of the operation.
  std::unique_ptr<OptimizedKernel> (*make)(const KernelNode& node) = nullptr;
};

// Whether a sum or an activation was fused behind the node. Kernels that cannot compute it are not made then.
inline bool has_epilogue(const PlanNode& node) {
  return node.residual != kNoTensor || node.fused_activation != FusedActivation::kNone;
}

std::span<const OptimizedRow> optimized_convolution_kernels();
std::span<const OptimizedRow> optimized_depthwise_kernels();
std::span<const OptimizedRow> optimized_matmul_kernels();
std::span<const OptimizedRow> optimized_transpose_convolution_kernels();
std::span<const OptimizedRow> optimized_concatenation_kernels();
std::span<const OptimizedRow> optimized_data_movement_kernels();
std::span<const OptimizedRow> optimized_lookup_kernels();
std::span<const OptimizedRow> optimized_lstm_kernels();
std::span<const OptimizedRow> optimized_pooling_kernels();
std::span<const OptimizedRow> optimized_quantized_lstm_kernels();
std::span<const OptimizedRow> optimized_resize_kernels();
std::span<const OptimizedRow> optimized_rnn_kernels();
std::span<const OptimizedRow> optimized_slicing_padding_kernels();
std::span<const OptimizedRow> optimized_space_depth_kernels();
std::span<const OptimizedRow> optimized_svdf_kernels();
std::span<const OptimizedRow> optimized_topk_kernels();
std::span<const OptimizedRow> optimized_elementwise_broadcast_kernels();
std::span<const OptimizedRow> optimized_unary_kernels();
std::span<const OptimizedRow> optimized_cast_quantize_kernels();
std::span<const OptimizedRow> optimized_softmax_kernels();
std::span<const OptimizedRow> optimized_reduce_kernels();
std::span<const OptimizedRow> optimized_select_kernels();
std::span<const OptimizedRow> optimized_normalization_kernels();

}  // namespace nnvk::cpu
