// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.
#include <algorithm>

#include "core/operations/parameters/window_parameters.h"
#include "pooling_kernels.h"
#include "shaders/pooling_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

uint operation_constant(OperationCode code) {
  switch (code) {
    case OperationCode::kAveragePool2d:
      return kPoolingAverage;
    case OperationCode::kMaxPool2d:
      return kPoolingMax;
    default:
      return kPoolingL2;
  }
}

// Sizes and steps; `vector` elements of the innermost dimension count as one.
PoolingParams geometry(const WindowParameters& window, uint32_t vector) {
  PoolingParams params{};
  params.batches = window.batches;
  params.out_height = window.out_height;
  params.out_width = window.out_width;
  params.out_channels = window.out_channels / vector;
  params.in_height = window.in_height;
  params.in_width = window.in_width;
  const uint32_t channels = window.in_channels / vector;
  params.in_stride_pixel = window.nchw ? 1 : channels;
  params.in_stride_row = params.in_stride_pixel * window.in_width;
  params.in_stride_channel = window.nchw ? window.in_height * window.in_width : 1;
  params.in_stride_batch = window.in_height * window.in_width * channels;
  params.filter_height = window.filter_height;
  params.filter_width = window.filter_width;
  params.stride_height = window.stride_height;
  params.stride_width = window.stride_width;
  params.pad_top = window.pad_top;
  params.pad_left = window.pad_left;
  params.nchw = window.nchw ? 1 : 0;
  return params;
}

// One of the passes over `source`, whose elements are of type `in`, to `target`.
Status emit_pass(const EmitContext& context, DispatchList& dispatches, PoolingParams params, uint mode, bool four_channels,
                 TensorBinding source, OperandType in, TensorId target, OperandType out) {
  params.count = params.quads * (mode == kPoolingPartial ? params.chunks : 1);
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label =
      dispatch_label(context) + ", window " + std::to_string(params.filter_height) + "x" + std::to_string(params.filter_width);
  dispatch.kernel = is_float_tensor(in) ? kernels::kPoolingFloat : kernels::kPoolingInteger;
  dispatch.specialization = {{0, element_type(in)},
                             {1, element_type(out)},
                             {2, operation_constant(context.node.code)},
                             {3, four_channels ? 1U : 0U},
                             {4, mode}};
  dispatch.bindings = {source, write_words(target)};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(params.count, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

Status emit_pooling(const EmitContext& context, DispatchList& dispatches) {
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const WindowParameters window, pooling_parameters(view.view()));
  const OperandInfo& output = context.output(0);
  const uint64_t elements = element_count(output);
  if (elements == 0) return {};
  const bool integer = !is_float_tensor(output.type);
  const bool four_channels = !window.nchw && window.out_channels % 4 == 0;
  PoolingParams params = geometry(window, four_channels ? 4 : 1);
  params.quads = static_cast<uint>(divide_up(elements, 4));
  const auto own = static_cast<FusedActivation>(window.activation);
  if (integer) {
    const QuantizedBounds bounds = combined_quantized_bounds(own, context.node.fused_activation, output);
    params.lo = static_cast<float>(bounds.lo);
    params.hi = static_cast<float>(bounds.hi);
  } else {
    const ActivationBounds bounds = combined_float_bounds(own, context.node.fused_activation);
    params.lo = bounds.lo;
    params.hi = bounds.hi;
  }

  const TensorId x = context.input_id(0);
  const TensorId y = context.output_id(0);
  const TensorBinding image = four_channels ? read_quads(x, output.type) : read_scalars(x, output.type);
  const uint64_t cells =
      uint64_t{std::min(window.filter_height, window.in_height)} * std::min(window.filter_width, window.in_width);
  // An invocation that pools four elements one by one does four times the work.
  const uint32_t most = kMostElementsPerInvocation / (four_channels ? 1 : 4);
  if (cells <= most)
    return emit_pass(context, dispatches, params, kPoolingWhole, four_channels, image, output.type, y, output.type);

  const uint64_t chunks = divide_up(cells, most);
  if (chunks > kMostElementsPerInvocation) {
    return fail(Code::kOpFailed, "a window of " + std::to_string(cells) + " cells is more than this device folds");
  }
  params.chunk = most;
  params.chunks = static_cast<uint>(chunks);
  const OperandType wide = integer ? OperandType::kTensorInt32 : OperandType::kTensorFloat32;
  const TensorId partial = dispatches.scratch(uint64_t{params.quads} * chunks * 4 * element_size(wide));
  NNVK_TRY(emit_pass(context, dispatches, params, kPoolingPartial, four_channels, image, output.type, partial, wide));
  return emit_pass(context, dispatches, params, kPoolingCombine, four_channels, read_quads(partial, wide), wide, y, output.type);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kAveragePool2d, nullptr, emit_pooling},
    {OperationCode::kMaxPool2d, nullptr, emit_pooling},
    {OperationCode::kL2Pool2d, nullptr, emit_pooling},
};

}  // namespace

std::span<const KernelEmitter> pooling_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
