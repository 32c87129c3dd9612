// QUANTIZE, DEQUANTIZE and CAST use one kernel for each pair of float and integer types; identity casts copy bytes.
#include <vector>

#include "cast_quantize_kernels.h"
#include "core/operations/parameters/cast_quantize_parameters.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {
using namespace cast_quantize;

// Emits DEQUANTIZE of a per-channel type. The caller has set the number of elements in `params`.
Status emit_dequantize_channels(const EmitContext& context, const DequantizeParameters& parameters, CastParams params) {
  params.channels = static_cast<uint>(parameters.channels.size);
  params.inner = static_cast<uint>(parameters.channels.inner);
  const std::vector<float> scales(parameters.channel_scales.begin(), parameters.channel_scales.end());
  const TensorId table = context.dispatches.table("scales", to_bytes(scales));
  const OperandType in = context.input(kInput).type;
  auto dispatch = make_dispatch(context, kernels::kIntegerToFloatPerChannel,
                                {.in_type = element_type(in), .out_type = element_type(context.output(kOutput).type)},
                                {.in_x = read_quads(context.input_id(kInput), in),
                                 .out_y = write_words(context.output_id(kOutput)),
                                 .scales = read_words(table)},
                                params);
  return add_flat(context, std::move(dispatch), divide_up(params.elements, 4));
}

Status emit_conversion(const EmitContext& context) {
  const OperandType in = context.input(kInput).type;
  const OperandInfo& out = context.output(kOutput);
  const OperationCode code = context.node.code;
  const uint64_t elements = element_count(out);
  if (elements == 0) return {};
  if (in == out.type) return emit_block_copy(context, divide_up(elements * element_size(in), 16));
  CastParams params{static_cast<uint>(elements), 1.0F, 0, 1, 1};
  if (code == OperationCode::kQuantize) {
    params.scale = out.scale;
    params.zero_point = out.zero_point;
  } else if (code == OperationCode::kDequantize) {
    NNVK_ASSIGN(const DequantizeParameters parameters, context.decode(dequantize_parameters));
    params.scale = parameters.scale;
    params.zero_point = parameters.zero_point;
    if (!parameters.channel_scales.empty()) return emit_dequantize_channels(context, parameters, params);
  }
  const bool float_in = is_float_tensor(in);
  const bool float_out = is_float_tensor(out.type);
  const uint in_type = element_type(in);
  const uint out_type = element_type(out.type);
  const TensorBinding x = read_quads(context.input_id(kInput), in);
  const TensorBinding y = write_words(context.output_id(kOutput));
  const auto kernel = float_in ? kernels::kFloatToFloat : float_out ? kernels::kIntegerToFloat : kernels::kIntegerToInteger;
  auto dispatch =
      float_in && !float_out
          ? make_dispatch(context, kernels::kFloatToInteger,
                          {.in_type = in_type, .out_type = out_type, .quantize = code == OperationCode::kQuantize},
                          {.in_x = x, .out_y = y}, params)
          : make_dispatch(context, kernel, {.in_type = in_type, .out_type = out_type}, {.in_x = x, .out_y = y}, params);
  return add_flat(context, std::move(dispatch), divide_up(elements, 4));
}

}  // namespace

constinit const EmitterRows cast_quantize_emitters = {
    {OperationCode::kQuantize, nullptr, emit_conversion},
    {OperationCode::kDequantize, nullptr, emit_conversion},
    {OperationCode::kCast, nullptr, emit_conversion},
};

}  // namespace nnvk::vulkan
