// FULLY_CONNECTED: a convolution of images of one pixel.
#include "core/operations/parameters/matmul_parameters.h"

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/product_kernels.h"

namespace nnvk::cpu {
namespace {

std::unique_ptr<OptimizedKernel> fully_connected_layer(const KernelNode& node) {
  const auto layer = fully_connected_parameters(node.operation);
  if (!layer) return nullptr;
  WindowParameters p;
  p.batches = 1;
  p.in_height = p.out_height = 1;
  p.in_width = p.out_width = layer->batches;
  p.in_channels = layer->input_size;
  p.out_channels = layer->units;
  p.activation = layer->activation;
  return make_product_kernel(node, p);
}

constexpr OptimizedRow kRows[] = {{OperationCode::kFullyConnected, fully_connected_layer}};

}  // namespace

std::span<const OptimizedRow> optimized_matmul_kernels() { return kRows; }

}  // namespace nnvk::cpu
