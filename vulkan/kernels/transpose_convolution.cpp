// The dense kernel gathers: for each output pixel, it visits the filter taps through which input pixels reach that pixel.
#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {
namespace {

Status emit_transpose_conv(const EmitContext& context) {
  NNVK_ASSIGN(const WindowParameters window, context.decode(window_parameters));
  return emit_convolution(context, window, true);
}

}  // namespace

constinit const EmitterRows transpose_convolution_emitters = {
    {OperationCode::kTransposeConv2d, check_filter_fits, emit_transpose_conv}};

}  // namespace nnvk::vulkan
