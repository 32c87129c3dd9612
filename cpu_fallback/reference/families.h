// The rows of all kernel families. Adding an operation means adding a row in its family's file.
#pragma once

#include <span>

#include "cpu_fallback/reference/kernel.h"

namespace nnvk::cpu {

struct KernelRow {
  OperationCode code{};
  ReferenceKernel kernel = nullptr;
};

std::span<const KernelRow> elementwise_binary_kernels();
std::span<const KernelRow> comparison_logical_kernels();
std::span<const KernelRow> normalization_kernels();
std::span<const KernelRow> select_kernels();
std::span<const KernelRow> unary_kernels();
std::span<const KernelRow> cast_quantize_kernels();
std::span<const KernelRow> data_movement_kernels();
std::span<const KernelRow> reduce_kernels();
std::span<const KernelRow> random_topk_arg_kernels();
std::span<const KernelRow> softmax_kernels();
std::span<const KernelRow> pooling_kernels();
std::span<const KernelRow> convolution_kernels();
std::span<const KernelRow> depthwise_kernels();
std::span<const KernelRow> transpose_convolution_kernels();
std::span<const KernelRow> matmul_kernels();
std::span<const KernelRow> resize_kernels();
std::span<const KernelRow> rnn_kernels();
std::span<const KernelRow> svdf_kernels();
std::span<const KernelRow> quantized_lstm_kernels();
std::span<const KernelRow> lstm_kernels();
std::span<const KernelRow> region_kernels();
std::span<const KernelRow> detection_kernels();
std::span<const KernelRow> suppression_kernels();
std::span<const KernelRow> space_depth_kernels();
std::span<const KernelRow> lookup_kernels();
std::span<const KernelRow> topk_kernels();
std::span<const KernelRow> random_multinomial_kernels();
std::span<const KernelRow> lsh_projection_kernels();
std::span<const KernelRow> picture_kernels();  // not among the built-in operations

}  // namespace nnvk::cpu
