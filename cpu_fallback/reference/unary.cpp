// One element in, one element out: activations, ABS, NEG, FLOOR, EXP, LOG, SIN, SQRT, RSQRT, ELU and LOGICAL_NOT.
#include <algorithm>
#include <cmath>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/quantized_unary.h"
#include "core/operations/rules/operand_expectations.h"
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

// FLOOR, EXP and their like: one function of the C library.
template <float (*kFunction)(float)>
Status float_function(KernelContext& context) {
  return float_unary(context, kFunction);
}

template <class Function>
Status int32_unary(KernelContext& context, Function&& fn) {
  const auto in = context.input<int32_t>(0);
  const auto out = context.output<int32_t>(0);
  for (size_t i = 0; i < out.size(); ++i) out[i] = fn(in[i]);
  return {};
}

// The magnitude of INT32_MIN wraps to itself.
Status abs_kernel(KernelContext& context) {
  if (context.operation.input(0).type == OperandType::kTensorInt32) {
    return int32_unary(context, [](int32_t x) { return x < 0 ? wrapping_subtract(0, x) : x; });
  }
  return float_unary(context, [](float x) { return std::fabs(x); });
}

Status neg(KernelContext& context) {
  if (context.operation.input(0).type == OperandType::kTensorInt32) {
    return int32_unary(context, [](int32_t x) { return wrapping_subtract(0, x); });
  }
  return float_unary(context, [](float x) { return -x; });
}

Status rsqrt(KernelContext& context) {
  if (is_quantized(context)) return quant8_unary(context);
  return float_unary(context, [](float x) { return 1.0F / std::sqrt(x); });
}

// Plain exp, not expm1, and the operand order of min and max, as the specification writes them.
Status elu(KernelContext& context) {
  const float alpha = float_scalar(context.operation, 1).value_or(1.0F);
  return float_unary(context, [=](float x) { return std::max(0.0F, x) + std::min(0.0F, alpha * (std::exp(x) - 1.0F)); });
}

constexpr KernelRow kRows[] = {
    {OperationCode::kAbs, abs_kernel},
    {OperationCode::kNeg, neg},
    {OperationCode::kFloor, float_function<std::floor>},
    {OperationCode::kExp, float_function<std::exp>},
    {OperationCode::kLog, float_function<std::log>},
    {OperationCode::kSin, float_function<std::sin>},
    {OperationCode::kSqrt, float_function<std::sqrt>},
    {OperationCode::kRsqrt, rsqrt},
    {OperationCode::kElu, elu},
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
