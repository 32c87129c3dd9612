// Finds the row of an operation.
#include "cpu_fallback/optimized/kernel.h"

#include <string>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/half_floats.h"
#include "cpu_fallback/optimized/products/float_product.h"
#include "cpu_fallback/optimized/products/quant8_product.h"

namespace nnvk::cpu {

namespace {

// One line per family. The first row with a kernel for the case is used.
constexpr std::span<const OptimizedRow> (*kFamilies[])() = {
    optimized_convolution_kernels,
    optimized_depthwise_kernels,
    optimized_matmul_kernels,
    optimized_transpose_convolution_kernels,
    optimized_concatenation_kernels,
    optimized_data_movement_kernels,
    optimized_lookup_kernels,
    optimized_lstm_kernels,
    optimized_pooling_kernels,
    optimized_quantized_lstm_kernels,
    optimized_resize_kernels,
    optimized_rnn_kernels,
    optimized_slicing_padding_kernels,
    optimized_space_depth_kernels,
    optimized_svdf_kernels,
    optimized_topk_kernels,
    optimized_elementwise_broadcast_kernels,
    optimized_unary_kernels,
    optimized_cast_quantize_kernels,
    optimized_softmax_kernels,
    optimized_reduce_kernels,
    optimized_select_kernels,
    optimized_normalization_kernels,
};

std::unique_ptr<OptimizedKernel> kernel_of_families(const KernelNode& node) {
  for (const auto family : kFamilies) {
    for (const OptimizedRow& row : family()) {
      if (row.code != node.operation.code) continue;
      if (auto kernel = row.make(node)) return kernel;
    }
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<OptimizedKernel> make_optimized_kernel(const KernelNode& node) {
  auto kernel = kernel_of_families(node);
  return kernel != nullptr ? std::move(kernel) : make_half_kernel(node, kernel_of_families);
}

std::string optimized_kernel_traits() {
  return std::to_string(float_lanes()) + " floats per vector, 8-bit products " +
         (quant8_form().has_bytes() ? "by dot products" : "by 16-bit pairs");
}

}  // namespace nnvk::cpu
