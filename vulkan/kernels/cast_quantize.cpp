// QUANTIZE, DEQUANTIZE and CAST: one kernel per pair of float/integer domains; identity casts copy bytes.
#include "shaders/cast_quantize_params.h"

#include <string>

#include "cast_quantize_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

KernelId conversion_kernel(bool float_in, bool float_out) {
  if (float_in) return float_out ? kernels::kFloatToFloat.id : kernels::kFloatToInteger.id;
  return float_out ? kernels::kIntegerToFloat : kernels::kIntegerToInteger;
}

// Fills `params` and the dispatch for a conversion other than a plain copy.
Status describe_conversion(const EmitContext& context, DispatchList& dispatches, Dispatch& dispatch, CastParams& params) {
  const OperandInfo& in = context.input(0);
  const OperandInfo& out = context.output(0);
  const OperationCode code = context.node.code;
  dispatch.kernel = conversion_kernel(is_float_tensor(in.type), is_float_tensor(out.type));
  dispatch.specialization = {{0, element_type(in.type)}, {1, element_type(out.type)}};
  dispatch.bindings = {read_quads(context.input_id(0), in.type), write_words(context.output_id(0))};
  if (dispatch.kernel == kernels::kFloatToInteger)
    dispatch.specialization.push_back({2, code == OperationCode::kQuantize ? 1U : 0U});
  if (code == OperationCode::kQuantize) {
    params.scale = out.scale;
    params.zero_point = out.zero_point;
  }
  if (code != OperationCode::kDequantize) return {};
  params.scale = in.scale;
  const bool has_zero_point = is_quant8_asymm(in.type);  // the symmetric types have none, whatever the operand says
  params.zero_point = has_zero_point ? in.zero_point : 0;
  if (in.type != OperandType::kTensorQuant8SymmPerChannel) return {};
  if (in.channel_quant == nullptr || in.channel_quant->channel_dim >= in.shape.rank()) {
    return fail(Code::kOpFailed, "a per-channel quantized input needs scales along one of its dimensions");
  }
  const ChannelQuant& quant = *in.channel_quant;
  params.channels = in.shape[quant.channel_dim];
  params.inner = 1;
  for (size_t d = quant.channel_dim + 1; d < in.shape.rank(); ++d) params.inner *= in.shape[d];
  if (quant.scales.size() != params.channels) {
    return fail(Code::kOpFailed,
                std::to_string(quant.scales.size()) + " scales for " + std::to_string(params.channels) + " channels");
  }
  dispatch.kernel = kernels::kIntegerToFloatPerChannel;
  dispatch.bindings.push_back(read_words(dispatches.table(context.node_index, "scales", [&] { return to_bytes(quant.scales); })));
  return {};
}

Status emit_conversion(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& in = context.input(0);
  const OperandInfo& out = context.output(0);
  const uint64_t elements = element_count(out);
  if (elements == 0) return {};
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  CastParams params{static_cast<uint>(elements), 1.0F, 0, 1, 1};
  uint64_t invocations = divide_up(elements, 4);
  if (in.type == out.type) {
    dispatch.kernel = kernels::kCopyBlocks;
    dispatch.bindings = {read_bytes16(context.input_id(0)), write_words(context.output_id(0))};
    invocations = divide_up(elements * element_size(in.type), 16);
    params.elements = static_cast<uint>(invocations);
  } else {
    NNVK_TRY(describe_conversion(context, dispatches, dispatch, params));
  }
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kQuantize, nullptr, emit_conversion},
    {OperationCode::kDequantize, nullptr, emit_conversion},
    {OperationCode::kCast, nullptr, emit_conversion},
};

}  // namespace

std::span<const KernelEmitter> cast_quantize_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
