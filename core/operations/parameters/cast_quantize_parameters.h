// The operands of CAST, QUANTIZE and DEQUANTIZE, and the real value of an element of DEQUANTIZE.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/axis_split.h"

namespace nnvk {

namespace cast_quantize {
enum Input : size_t { kInput };
enum Output : size_t { kOutput };
}  // namespace cast_quantize

// real = scale * (element - zero_point); with `channel_scales` the scale is that of the element's position along `channels`.
struct DequantizeParameters {
  float scale = 0.0F;
  int32_t zero_point = 0;                      // 0 for the symmetric types, regardless of the operand
  std::span<const float> channel_scales = {};  // of TENSOR_QUANT8_SYMM_PER_CHANNEL only; points into the operand
  AxisSplit channels;
};

// Decodes DEQUANTIZE; the input's shape must be known. OP_FAILED if the channel scales do not fit the shape.
inline Result<DequantizeParameters> dequantize_parameters(const OperationView& operation) {
  const OperandInfo& in = operation.input(cast_quantize::kInput);
  DequantizeParameters parameters;
  parameters.scale = in.scale;
  if (is_quant8_asymm(in.type)) parameters.zero_point = in.zero_point;
  if (in.type != OperandType::kTensorQuant8SymmPerChannel) return parameters;
  if (in.channel_quant == nullptr || in.channel_quant->channel_dim >= in.shape.rank()) {
    return fail(Code::kOpFailed, "a per-channel quantized input needs scales along one of its dimensions");
  }
  parameters.channel_scales = in.channel_quant->scales;
  parameters.channels = split_at_axis(in.shape, in.channel_quant->channel_dim);
  if (parameters.channel_scales.size() == parameters.channels.size) return parameters;
  return fail(Code::kOpFailed, std::to_string(parameters.channel_scales.size()) + " scales for " +
                                   std::to_string(parameters.channels.size) + " channels");
}

}  // namespace nnvk
