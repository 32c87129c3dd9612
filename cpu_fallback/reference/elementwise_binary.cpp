// ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW and PRELU: element by element on two tensors that broadcast against each other.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/quantized_unary.h"
#include "cpu_fallback/reference/broadcast_apply.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

template <class Function>
Status float_binary(KernelContext& context, Function&& fn) {
  const FloatInput a(context, 0);
  const FloatInput b(context, 1);
  FloatOutput out(context, 0);
  broadcast_apply(context, a.values(), b.values(), out.values(), fn);
  out.store();
  return {};
}

template <class Function>
Status int32_binary(KernelContext& context, FusedActivation activation, Function&& fn) {
  if (activation != FusedActivation::kNone)
    return fail(Code::kOpFailed, "a fused activation is not defined for TENSOR_INT32; use NONE");
  broadcast_apply(context, context.input<int32_t>(0), context.input<int32_t>(1), context.output<int32_t>(0), fn);
  return {};
}

// Quantized element-wise operation: fn(qa - za, qb - zb) gives the result before the output zero point.
template <class Function>
Status quant8_binary(KernelContext& context, FusedActivation activation, Function&& fn) {
  const OperandInfo& a = context.operation.input(0);
  const OperandInfo& b = context.operation.input(1);
  const OperandInfo& out = context.outputs[0].info;
  const QuantizedBounds bounds = quantized_activation_bounds(activation, out.type, out.scale, out.zero_point);
  return with_quant8_type(out.type, [&](auto tag) -> Status {
    using T = decltype(tag);
    broadcast_apply(context, context.input<T>(0), context.input<T>(1), context.output<T>(0), [&](T qa, T qb) {
      return static_cast<T>(into_bounds(fn(qa - a.zero_point, qb - b.zero_point), out.zero_point, bounds));
    });
    return {};
  });
}

Status bad_scales(const char* ratio, double value) {
  return fail(Code::kOpFailed, std::string("the scales give ") + ratio + " = " + std::to_string(value) +
                                   ", which must lie in (0, 1); choose a larger output scale");
}

bool proper_fraction(double ratio) { return ratio > 0.0 && ratio < 1.0 && decompose_multiplier(ratio).exponent <= 0; }

// ADD (sign = 1) and SUB (sign = -1): both operands are brought to a common scale with 20 extra bits.
Status quant8_sum(KernelContext& context, FusedActivation activation, int sign) {
  constexpr int kExtraBits = 20;
  const double a_scale = context.operation.input(0).scale;
  const double b_scale = context.operation.input(1).scale;
  const double twice_larger = 2.0 * std::max(a_scale, b_scale);
  const double out_ratio = twice_larger / ((1 << kExtraBits) * static_cast<double>(context.outputs[0].info.scale));
  if (!proper_fraction(a_scale / twice_larger)) return bad_scales("scale(a) / (2 * max scale)", a_scale / twice_larger);
  if (!proper_fraction(b_scale / twice_larger)) return bad_scales("scale(b) / (2 * max scale)", b_scale / twice_larger);
  if (!proper_fraction(out_ratio)) return bad_scales("2 * max scale / (2^20 * output scale)", out_ratio);
  const FixedPointMultiplier ma = decompose_multiplier(a_scale / twice_larger);
  FixedPointMultiplier mb = decompose_multiplier(b_scale / twice_larger);
  mb.mantissa *= sign;  // SUB negates the multiplier, not the product: rounding of ties differs
  const FixedPointMultiplier mo = decompose_multiplier(out_ratio);
  return quant8_binary(context, activation, [=](int32_t a, int32_t b) {
    return scale_fixed_point(scale_fixed_point(a * (1 << kExtraBits), ma) + scale_fixed_point(b * (1 << kExtraBits), mb), mo);
  });
}

Status add(KernelContext& context) {
  NNVK_ASSIGN(const FusedActivation activation, activation_operand(context, 2));
  const OperandType type = context.outputs[0].info.type;
  if (is_quant8_asymm(type)) return quant8_sum(context, activation, 1);
  if (type == OperandType::kTensorInt32) {
    return int32_binary(context, activation, wrapping_add);
  }
  const ActivationBounds bounds = float_activation_bounds(activation);
  return float_binary(context, [=](float a, float b) { return clamp_float(a + b, bounds); });
}

Status sub(KernelContext& context) {
  NNVK_ASSIGN(const FusedActivation activation, activation_operand(context, 2));
  const OperandType type = context.outputs[0].info.type;
  if (is_quant8_asymm(type)) return quant8_sum(context, activation, -1);
  if (type == OperandType::kTensorInt32) {
    return int32_binary(context, activation, wrapping_subtract);
  }
  const ActivationBounds bounds = float_activation_bounds(activation);
  return float_binary(context, [=](float a, float b) { return clamp_float(a - b, bounds); });
}

Status mul(KernelContext& context) {
  NNVK_ASSIGN(const FusedActivation activation, activation_operand(context, 2));
  const OperandInfo& out = context.outputs[0].info;
  if (is_quant8_asymm(out.type)) {
    const double ratio = static_cast<double>(context.operation.input(0).scale * context.operation.input(1).scale) / out.scale;
    if (!proper_fraction(ratio)) return bad_scales("scale(a) * scale(b) / output scale", ratio);
    const FixedPointMultiplier m = decompose_multiplier(ratio);
    return quant8_binary(context, activation, [=](int32_t a, int32_t b) { return scale_fixed_point(a * b, m); });
  }
  if (out.type == OperandType::kTensorInt32) {
    return int32_binary(context, activation, wrapping_multiply);
  }
  const ActivationBounds bounds = float_activation_bounds(activation);
  return float_binary(context, [=](float a, float b) { return clamp_float(a * b, bounds); });
}

// Rounds toward minus infinity; a divisor of 0 gives 0; INT32_MIN / -1 wraps to INT32_MIN.
int32_t floor_divide(int32_t a, int32_t b) {
  if (b == 0) return 0;
  const int64_t wide = a;
  const int64_t quotient = wide / b;
  return static_cast<int32_t>(wide % b != 0 && (wide < 0) != (b < 0) ? quotient - 1 : quotient);
}

Status div(KernelContext& context) {
  NNVK_ASSIGN(const FusedActivation activation, activation_operand(context, 2));
  if (context.outputs[0].info.type == OperandType::kTensorInt32) return int32_binary(context, activation, floor_divide);
  const ActivationBounds bounds = float_activation_bounds(activation);
  return float_binary(context, [=](float a, float b) { return clamp_float(a / b, bounds); });
}

Status prelu(KernelContext& context) {
  const OperandInfo& out = context.outputs[0].info;
  if (!is_quant8_asymm(out.type)) {
    return float_binary(context, [](float x, float alpha) { return x >= 0.0F ? x : x * alpha; });
  }
  const float x_scale = context.operation.input(0).scale;
  const float alpha_scale = context.operation.input(1).scale;
  const FixedPointMultiplier positive = decompose_multiplier(x_scale / out.scale);
  const FixedPointMultiplier negative = decompose_multiplier(static_cast<double>(x_scale * alpha_scale) / out.scale);
  return quant8_binary(context, FusedActivation::kNone, [=](int32_t x, int32_t alpha) {
    return x >= 0 ? scale_fixed_point(x, positive) : scale_fixed_point(x * alpha, negative);
  });
}

// The first operand unless the second wins strictly: a NaN in the first is kept, a NaN in the second ignored.
struct Larger {
  template <class T>
  T operator()(T x, T y) const {
    return y > x ? y : x;
  }
};
struct Smaller {
  template <class T>
  T operator()(T x, T y) const {
    return y < x ? y : x;
  }
};

// 8-bit operands are brought to the output's quantization before they are compared.
template <class Choose>
Status extremum(KernelContext& context) {
  const OperandInfo& out = context.outputs[0].info;
  if (out.type == OperandType::kTensorInt32) return int32_binary(context, FusedActivation::kNone, Choose{});
  if (!is_quant8_asymm(out.type)) return float_binary(context, Choose{});
  const ByteTable a_table = requantized_bytes(context.operation.input(0), out);
  const ByteTable b_table = requantized_bytes(context.operation.input(1), out);
  return with_quant8_type(out.type, [&](auto tag) -> Status {
    using T = decltype(tag);
    broadcast_apply(context, context.input<uint8_t>(0), context.input<uint8_t>(1), context.output<T>(0),
                    [&](uint8_t a, uint8_t b) { return Choose{}(static_cast<T>(a_table[a]), static_cast<T>(b_table[b])); });
    return {};
  });
}

Status pow_kernel(KernelContext& context) {
  return float_binary(context, [](float base, float exponent) { return std::pow(base, exponent); });
}

constexpr KernelRow kRows[] = {
    {OperationCode::kAdd, add},
    {OperationCode::kSub, sub},
    {OperationCode::kMul, mul},
    {OperationCode::kDiv, div},
    {OperationCode::kPrelu, prelu},
    {OperationCode::kMaximum, extremum<Larger>},
    {OperationCode::kMinimum, extremum<Smaller>},
    {OperationCode::kPow, pow_kernel},
};

}  // namespace

std::span<const KernelRow> elementwise_binary_kernels() { return kRows; }

}  // namespace nnvk::cpu
