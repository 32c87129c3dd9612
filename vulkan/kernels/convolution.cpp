#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {
namespace {

Status emit_conv(const EmitContext& context) {
  NNVK_ASSIGN(WindowParameters window, context.decode(window_parameters));
  const auto groups = static_cast<uint32_t>(window.groups);
  if (groups > 1 && groups == window.in_channels) {
    window.depth_multiplier = static_cast<int32_t>(window.out_channels / groups);
    window.groups = 1;
    return emit_depthwise(context, window, false);
  }
  return emit_convolution(context, window, false);
}

}  // namespace

constinit const EmitterRows convolution_emitters = {
    {OperationCode::kConv2d, check_filter_fits, emit_conv},
    {OperationCode::kGroupedConv2d, check_filter_fits, emit_conv},
};

}  // namespace nnvk::vulkan
