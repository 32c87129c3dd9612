#include "cpu_fallback/reference/product.h"

namespace nnvk::cpu {

std::vector<int16_t> quant8_operand(const KernelContext& context, size_t input) {
  const OperandInfo& info = context.operation.input(input);
  const auto bytes = context.operation.inputs[input].value;
  const int32_t zero_point = info.type == OperandType::kTensorQuant8SymmPerChannel ? 0 : info.zero_point;
  std::vector<int16_t> values(bytes.size());
  with_quant8_type(info.type, [&](auto tag) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      values[i] = static_cast<int16_t>(static_cast<decltype(tag)>(bytes[i]) - zero_point);
    }
  });
  return values;
}

Quant8Result::Quant8Result(const KernelContext& context, FusedActivation activation)
    : bias_(context.input<int32_t>(convolution::kBias)) {
  const OperandInfo& input = context.operation.input(convolution::kImage);
  const OperandInfo& filter = context.operation.input(convolution::kFilter);
  const OperandInfo& out = context.outputs[convolution::kOutput].info;
  const auto multiplier = [&](float filter_scale) {
    return decompose_multiplier(static_cast<double>(input.scale * filter_scale) / out.scale);
  };
  if (filter.channel_quant != nullptr) {
    for (const float scale : filter.channel_quant->scales) multipliers_.push_back(multiplier(scale));
  } else {
    multipliers_.push_back(multiplier(filter.scale));
  }
  zero_point_ = out.zero_point;
  bounds_ = quantized_activation_bounds(activation, out.type, out.scale, out.zero_point);
  out_ = context.output<uint8_t>(convolution::kOutput);
}

}  // namespace nnvk::cpu
