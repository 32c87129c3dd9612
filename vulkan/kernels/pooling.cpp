// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.
#include <algorithm>

#include "core/operations/window_parameters.h"
#include "pooling_kernels.h"
#include "shaders/pooling_params.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

// Larger sums of 8-bit values need two words.
constexpr uint64_t kMostCellsInOneWord = uint64_t{1} << 23;

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

Status emit_pooling(const EmitContext& context, DispatchList& dispatches) {
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const WindowParameters window, pooling_parameters(view.view()));
  const OperandInfo& output = context.output(0);
  const uint64_t elements = element_count(output);
  if (elements == 0) return {};
  const bool integer = !is_float_tensor(output.type);
  const uint operation = operation_constant(context.node.code);
  const uint64_t cells =
      uint64_t{std::min(window.filter_height, window.in_height)} * std::min(window.filter_width, window.in_width);

  const bool four_channels = !window.nchw && window.out_channels % 4 == 0;
  PoolingParams params = geometry(window, four_channels ? 4 : 1);
  params.count = static_cast<uint>(divide_up(elements, 4));
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

  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label =
      dispatch_label(context) + ", window " + std::to_string(window.filter_height) + "x" + std::to_string(window.filter_width);
  dispatch.kernel = integer ? kernels::kPoolingInteger : kernels::kPoolingFloat;
  dispatch.specialization = {{0, element_type(output.type)}, {1, operation}, {2, four_channels ? 1U : 0U}};
  if (integer) {
    dispatch.specialization.push_back({3, operation == kPoolingAverage && cells > kMostCellsInOneWord ? 1U : 0U});
  }
  const TensorId x = context.input_id(0);
  dispatch.bindings = {four_channels ? read_quads(x, output.type) : read_scalars(x, output.type),
                       write_words(context.output_id(0))};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(params.count, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kAveragePool2d, nullptr, emit_pooling},
    {OperationCode::kMaxPool2d, nullptr, emit_pooling},
    {OperationCode::kL2Pool2d, nullptr, emit_pooling},
};

}  // namespace

std::span<const KernelEmitter> pooling_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
