// Decodes the quantization of DEQUANTIZE's input.
#include "core/operations/parameters/cast_quantize_parameters.h"

#include <string>

namespace nnvk {

Result<DequantizeParameters> dequantize_parameters(const OperationView& operation) {
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
