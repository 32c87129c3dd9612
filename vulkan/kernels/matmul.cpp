// FULLY_CONNECTED: a pointwise convolution of one pixel per batch.
#include "core/operations/window_parameters.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

Status emit_fully_connected(const EmitContext& context, DispatchList& dispatches) {
  NNVK_ASSIGN(const FusedActivation activation, activation_operand(context, 3));
  const Shape& weights = context.input(1).shape;
  WindowParameters window;
  window.batches = context.output(0).shape[0];
  window.in_height = window.in_width = window.out_height = window.out_width = 1;
  window.in_channels = weights[1];
  window.out_channels = weights[0];
  window.activation = static_cast<int32_t>(activation);
  return emit_dense_convolution(context, window, false, dispatches);
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kFullyConnected, check_filter_fits, emit_fully_connected}};

}  // namespace

std::span<const KernelEmitter> matmul_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
