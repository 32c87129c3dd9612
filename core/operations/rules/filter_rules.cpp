// Checks of filters, biases and their scales.
#include "core/operations/rules/filter_rules.h"

#include <algorithm>
#include <cmath>

#include "core/base/shortest_text.h"
#include "core/operations/parameters/window_parameters.h"

namespace nnvk {

using namespace convolution;  // FULLY_CONNECTED has its operands in the same places

Status expect_channel_dimension(const OperationView& operation, uint32_t channel_dim) {
  const OperandInfo& filter = operation.input(kFilter);
  if (filter.type != OperandType::kTensorQuant8SymmPerChannel) return {};
  if (filter.channel_quant == nullptr) {
    return fail(Code::kBadData, "the per-channel filter has no scales: call setOperandSymmPerChannelQuantParams first");
  }
  if (filter.channel_quant->channel_dim == channel_dim) return {};
  return fail(Code::kBadData, "the per-channel filter must have channelDim " + std::to_string(channel_dim) + ", but has " +
                                  std::to_string(filter.channel_quant->channel_dim));
}

Status check_bias_scale(const OperationView& operation) {
  const OperandInfo& input = operation.input(kImage);
  const OperandInfo& filter = operation.input(kFilter);
  const OperandInfo& bias = operation.input(kBias);
  if (!is_quant8_asymm(input.type)) return {};
  if (bias.zero_point != 0)
    return fail(Code::kOpFailed, "the bias zero point must be 0, but is " + std::to_string(bias.zero_point));
  if (filter.type == OperandType::kTensorQuant8SymmPerChannel) return {};  // scales come from the filter's channels
  const float product = input.scale * filter.scale;
  const double difference = std::fabs(static_cast<double>(product) - bias.scale);
  if (difference <= 1e-6 * std::min(product, bias.scale)) return {};
  return fail(Code::kOpFailed, "the bias scale must be input scale * filter scale = " + shortest_text(product) + ", but is " +
                                   shortest_text(bias.scale));
}

int product_scale_level(const OperationView& operation) {
  const OperandInfo& filter = operation.input(kFilter);
  if (filter.type != OperandType::kTensorQuant8Asymm) return 1;
  return operation.output(kOutput).scale > operation.input(kImage).scale * filter.scale ? 1 : 3;
}

}  // namespace nnvk
