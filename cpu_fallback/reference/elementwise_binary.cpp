// ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW and PRELU: element by element on two tensors that broadcast against each other.
#include <cmath>
#include <functional>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/quantized_unary.h"
#include "cpu_fallback/reference/broadcast_apply.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace elementwise_binary;

template <class Function>
Status float_binary(KernelContext& context, Function&& fn) {
  const FloatInput a(context, kFirst);
  const FloatInput b(context, kSecond);
  FloatOutput out(context, kOutput);
  broadcast_apply(context, a.values(), b.values(), out.values(), fn);
  return {};
}

template <class Function>
Status int32_binary(KernelContext& context, Function&& fn) {
  broadcast_apply(context, context.input<int32_t>(kFirst), context.input<int32_t>(kSecond), context.output<int32_t>(kOutput), fn);
  return {};
}

// Computes a quantized element-wise operation: fn(qa - za, qb - zb) gives the result before the output zero point.
template <class Function>
Status quant8_binary(KernelContext& context, FusedActivation activation, Function&& fn) {
  const OperandInfo& a = context.operation.input(kFirst);
  const OperandInfo& b = context.operation.input(kSecond);
  const OperandInfo& out = context.outputs[kOutput].info;
  const QuantizedBounds bounds = quantized_activation_bounds(activation, out.type, out.scale, out.zero_point);
  return with_quant8_type(out.type, [&](auto tag) -> Status {
    using T = decltype(tag);
    broadcast_apply(context, context.input<T>(kFirst), context.input<T>(kSecond), context.output<T>(kOutput), [&](T qa, T qb) {
      return static_cast<T>(into_bounds(fn(qa - a.zero_point, qb - b.zero_point), out.zero_point, bounds));
    });
    return {};
  });
}

// Computes the operations with the multipliers of ElementwiseBinaryParameters.
Status quant8_arithmetic(KernelContext& context, const ElementwiseBinaryParameters& parameters) {
  const FusedActivation activation = parameters.activation;
  const FixedPointMultiplier first = parameters.first;
  const FixedPointMultiplier second = parameters.second;
  const FixedPointMultiplier result = parameters.result;
  switch (context.operation.code) {
    case OperationCode::kMul:
      return quant8_binary(context, activation, [=](int32_t a, int32_t b) { return scale_fixed_point(a * b, result); });
    case OperationCode::kPrelu:
      return quant8_binary(context, activation, [=](int32_t a, int32_t b) {
        return a >= 0 ? scale_fixed_point(a, first) : scale_fixed_point(a * b, second);
      });
    default:
      return quant8_binary(context, activation, [=](int32_t a, int32_t b) {
        return scale_fixed_point(
            scale_fixed_point(a * (1 << kSumGuardBits), first) + scale_fixed_point(b * (1 << kSumGuardBits), second), result);
      });
  }
}

// Computes ADD, SUB, MUL and DIV: `floats` and `ints` compute one element, before the activation.
template <class Floats, class Ints>
Status arithmetic(KernelContext& context, Floats floats, Ints ints) {
  NNVK_ASSIGN(const ElementwiseBinaryParameters parameters, elementwise_binary_parameters(context.operation));
  const OperandType type = context.outputs[kOutput].info.type;
  if (is_quant8_asymm(type)) return quant8_arithmetic(context, parameters);
  if (type == OperandType::kTensorInt32) return int32_binary(context, ints);
  const ActivationBounds bounds = float_activation_bounds(parameters.activation);
  return float_binary(context, [=](float a, float b) { return clamp_float(floats(a, b), bounds); });
}

Status prelu(KernelContext& context) {
  if (!is_quant8_asymm(context.outputs[kOutput].info.type)) {
    return float_binary(context, [](float x, float alpha) { return x >= 0.0F ? x : x * alpha; });
  }
  NNVK_ASSIGN(const ElementwiseBinaryParameters parameters, elementwise_binary_parameters(context.operation));
  return quant8_arithmetic(context, parameters);
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

// Converts 8-bit operands to the output's quantization before the comparison.
template <class Choose>
Status extremum(KernelContext& context) {
  const OperandInfo& out = context.outputs[kOutput].info;
  if (out.type == OperandType::kTensorInt32) return int32_binary(context, Choose{});
  if (!is_quant8_asymm(out.type)) return float_binary(context, Choose{});
  const ByteTable a_table = requantized_bytes(context.operation.input(kFirst), out);
  const ByteTable b_table = requantized_bytes(context.operation.input(kSecond), out);
  return with_quant8_type(out.type, [&](auto tag) -> Status {
    using T = decltype(tag);
    broadcast_apply(context, context.input<uint8_t>(kFirst), context.input<uint8_t>(kSecond), context.output<T>(kOutput),
                    [&](uint8_t a, uint8_t b) { return Choose{}(static_cast<T>(a_table[a]), static_cast<T>(b_table[b])); });
    return {};
  });
}

Status pow_kernel(KernelContext& context) {
  return float_binary(context, [](float base, float exponent) { return std::pow(base, exponent); });
}

constexpr KernelRow kRows[] = {
    {OperationCode::kAdd, [](KernelContext& context) { return arithmetic(context, std::plus<float>{}, wrapping_add); }},
    {OperationCode::kSub, [](KernelContext& context) { return arithmetic(context, std::minus<float>{}, wrapping_subtract); }},
    {OperationCode::kMul,
     [](KernelContext& context) { return arithmetic(context, std::multiplies<float>{}, wrapping_multiply); }},
    {OperationCode::kDiv, [](KernelContext& context) { return arithmetic(context, std::divides<float>{}, floor_divide); }},
    {OperationCode::kPrelu, prelu},
    {OperationCode::kMaximum, extremum<Larger>},
    {OperationCode::kMinimum, extremum<Smaller>},
    {OperationCode::kPow, pow_kernel},
};

}  // namespace

std::span<const KernelRow> elementwise_binary_kernels() { return kRows; }

}  // namespace nnvk::cpu
