#include <algorithm>

#include "core/operations/parameters/window_parameters.h"
#include "pooling_kernels.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/products/weights.h"
#include "vulkan/kernels/slice_choice.h"

namespace nnvk::vulkan {
namespace {

uint operation_constant(OperationCode code) {
  if (code == OperationCode::kAveragePool2d) return kPoolingAverage;
  return code == OperationCode::kMaxPool2d ? kPoolingMax : kPoolingL2;
}

// Returns sizes and steps, in units of `vector` elements of the innermost dimension.
PoolingParams geometry(const WindowParameters& window, uint32_t vector) {
  PoolingParams params{};
  set_window(window, params);
  params.batches = window.batches;
  params.out_channels = window.out_channels / vector;
  const uint32_t channels = window.in_channels / vector;
  params.in_stride_pixel = window.nchw ? 1 : channels;
  params.in_stride_row = params.in_stride_pixel * window.in_width;
  params.in_stride_channel = window.nchw ? window.in_height * window.in_width : 1;
  params.in_stride_batch = window.in_height * window.in_width * channels;
  params.nchw = window.nchw ? 1 : 0;
  return params;
}

// One pass: mode (kPooling...), invocations that share a window, element types of `source` and `target`.
struct Pass {
  uint mode;
  uint lanes;
  TensorBinding source;
  OperandType in;
  TensorId target;
  OperandType out;
};

Status emit_pass(const EmitContext& context, PoolingParams params, bool four_channels, const Pass& pass) {
  params.count = params.quads * (pass.mode == kPoolingPartial ? params.chunks : 1);
  auto dispatch = make_dispatch(context, is_float_tensor(pass.in) ? kernels::kPoolingFloat : kernels::kPoolingInteger,
                                {.type = element_type(pass.in),
                                 .out_type = element_type(pass.out),
                                 .operation = operation_constant(context.node.code),
                                 .four_channels = four_channels,
                                 .mode = pass.mode,
                                 .lanes = pass.lanes},
                                {.in_x = pass.source, .out_y = write_words(pass.target)}, params);
  dispatch.choice =
      std::string(four_channels ? "four channels of a pixel at once" : "channels in planes, or no multiple of four") +
      (pass.mode == kPoolingWhole     ? ""
       : pass.mode == kPoolingPartial ? "; the window is too large for one invocation, or too few for the device: chunks of it"
                                      : "; the chunks of the window put together");
  if (pass.lanes > 1) dispatch.choice += "; " + std::to_string(pass.lanes) + " invocations share every window";
  dispatch.label += ", window " + std::to_string(params.filter_height) + "x" + std::to_string(params.filter_width);
  return add_flat(context, std::move(dispatch), uint64_t{params.count} * pass.lanes);
}

Status emit_pooling(const EmitContext& context) {
  NNVK_ASSIGN(const WindowParameters window, context.decode(window_parameters));
  const OperandInfo& output = context.output(pooling::kOutput);
  const uint64_t elements = element_count(output);
  if (elements == 0) return {};
  const bool integer = !is_float_tensor(output.type);
  const bool four_channels = !window.nchw && window.out_channels % 4 == 0;
  PoolingParams params = geometry(window, four_channels ? 4 : 1);
  params.quads = static_cast<uint>(divide_up(elements, 4));
  set_limits(context, window.activation, params);

  const TensorId x = context.input_id(pooling::kImage);
  const TensorId y = context.output_id(pooling::kOutput);
  const TensorBinding image = read_elements(x, output.type, four_channels);
  const uint64_t cells =
      uint64_t{std::min(window.filter_height, window.in_height)} * std::min(window.filter_width, window.in_width);
  // An invocation that pools four elements one by one does four times the work.
  const uint32_t most = kMostElementsPerInvocation / (four_channels ? 1 : 4);
  const SliceWork work{.folds = params.quads, .steps = cells, .contiguous = window.nchw};
  const SliceChoice share = choose_slices(work, context.traits);
  uint64_t chunk = uint64_t{most} * share.lanes;
  // Software Vulkan has too few cores for several work groups to a window.
  if (share.lanes > 1 && !context.traits.is_software()) {
    chunk = std::min<uint64_t>(chunk, shared_chunk(work, cells, share.lanes, context.traits));
  }
  if (cells <= chunk) {
    return emit_pass(context, params, four_channels, {kPoolingWhole, share.lanes, image, output.type, y, output.type});
  }

  const uint64_t chunks = divide_up(cells, chunk);
  if (chunks > kMostElementsPerInvocation) {
    return beyond_device("a window of " + std::to_string(cells) + " cells is more than this device folds");
  }
  params.chunk = static_cast<uint>(chunk);
  params.chunks = static_cast<uint>(chunks);
  const OperandType wide = integer ? OperandType::kTensorInt32 : OperandType::kTensorFloat32;
  const TensorId partial = context.dispatches.scratch(uint64_t{params.quads} * chunks * 4 * element_size(wide));
  NNVK_TRY(emit_pass(context, params, four_channels, {kPoolingPartial, share.lanes, image, output.type, partial, wide}));
  return emit_pass(context, params, four_channels, {kPoolingCombine, 1, read_quads(partial, wide), wide, y, output.type});
}

}  // namespace

constinit const EmitterRows pooling_emitters = {
    {OperationCode::kAveragePool2d, nullptr, emit_pooling},
    {OperationCode::kMaxPool2d, nullptr, emit_pooling},
    {OperationCode::kL2Pool2d, nullptr, emit_pooling},
};

}  // namespace nnvk::vulkan
