// RELU, RELU1, RELU6, LOGISTIC, TANH and HARD_SWISH: one element in, one element out.
#include <algorithm>
#include <cmath>

#include "core/base/quantized_unary.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

template <class Function>
Status float_unary(KernelContext& context, Function&& fn) {
  const FloatInput in(context, 0);
  FloatOutput out(context, 0);
  for (size_t i = 0; i < out.values().size(); ++i) out[i] = fn(in[i]);
  out.store();
  return {};
}

// A quantized function of one byte is a table of 256 bytes, the same that the GPU uploads.
Status quant8_unary(KernelContext& context) {
  NNVK_ASSIGN(const ByteTable table,
              quantized_unary_table(context.operation.code, context.operation.input(0), context.outputs[0].info));
  const auto in = context.input<uint8_t>(0);
  const auto out = context.output<uint8_t>(0);
  for (size_t i = 0; i < out.size(); ++i) out[i] = table[in[i]];
  return {};
}

bool is_quantized(const KernelContext& context) { return is_quant8_asymm(context.operation.input(0).type); }

// The operand order of min and max is the specification's: NaN becomes the lower bound.
template <FusedActivation kActivation>
Status clamp_kernel(KernelContext& context) {
  if (is_quantized(context)) return quant8_unary(context);
  const ActivationBounds bounds = float_activation_bounds(kActivation);
  return float_unary(context, [=](float x) { return std::min(std::max(bounds.lo, x), bounds.hi); });
}

Status logistic(KernelContext& context) {
  if (is_quantized(context)) return quant8_unary(context);
  return float_unary(context, [](float x) { return 1.0F / (1.0F + std::exp(-x)); });
}

Status tanh_kernel(KernelContext& context) {
  if (is_quantized(context)) return quant8_unary(context);
  return float_unary(context, [](float x) { return std::tanh(x); });
}

Status hard_swish(KernelContext& context) {
  if (is_quantized(context)) return quant8_unary(context);
  return float_unary(context, [](float x) { return (x * std::min(6.0F, std::max(0.0F, x + 3.0F))) / 6.0F; });
}

constexpr KernelRow kRows[] = {
    {OperationCode::kRelu, clamp_kernel<FusedActivation::kRelu>},
    {OperationCode::kRelu1, clamp_kernel<FusedActivation::kRelu1>},
    {OperationCode::kRelu6, clamp_kernel<FusedActivation::kRelu6>},
    {OperationCode::kLogistic, logistic},
    {OperationCode::kTanh, tanh_kernel},
    {OperationCode::kHardSwish, hard_swish},
};

}  // namespace

std::span<const KernelRow> unary_kernels() { return kRows; }

}  // namespace nnvk::cpu
