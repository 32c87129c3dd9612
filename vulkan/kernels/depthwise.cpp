#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {
namespace {

Status emit_depthwise_conv(const EmitContext& context) {
  NNVK_ASSIGN(const WindowParameters window, context.decode(window_parameters));
  return emit_depthwise(context, window, true);
}

}  // namespace

constinit const EmitterRows depthwise_emitters = {{OperationCode::kDepthwiseConv2d, check_filter_fits, emit_depthwise_conv}};

}  // namespace nnvk::vulkan
