// RELU, RELU1, RELU6, LOGISTIC, TANH and HARD_SWISH: one element in, one element out.
// Quantized variants are functions of one byte, so each is tabulated once per execution (256 entries).
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/fixed_point.h"
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

// fn maps the stored integer of the input to the stored integer of the output, already inside the type's range.
template <class Function>
Status quant8_unary(KernelContext& context, Function&& fn) {
  return with_quant8_type(context.operation.input(0).type, [&](auto tag) -> Status {
    using T = decltype(tag);
    std::array<T, 256> table{};
    for (int32_t byte = 0; byte < 256; ++byte)
      table[static_cast<size_t>(byte)] = static_cast<T>(fn(static_cast<int32_t>(static_cast<T>(byte))));
    const auto in = context.input<T>(0);
    const auto out = context.output<T>(0);
    for (size_t i = 0; i < out.size(); ++i) out[i] = table[static_cast<uint8_t>(in[i])];
    return {};
  });
}

// The operand order of min and max is the specification's: NaN becomes the lower bound.
template <FusedActivation kActivation>
Status clamp_kernel(KernelContext& context) {
  const OperandInfo& in = context.operation.input(0);
  if (is_quant8_asymm(in.type)) {
    const QuantizedBounds bounds = quantized_activation_bounds(kActivation, in.type, in.scale, in.zero_point);
    return quant8_unary(context, [=](int32_t q) { return std::min(std::max(q, bounds.lo), bounds.hi); });
  }
  const ActivationBounds bounds = float_activation_bounds(kActivation);
  return float_unary(context, [=](float x) { return std::min(std::max(bounds.lo, x), bounds.hi); });
}

// The common frame of quantized LOGISTIC and TANH: the input goes to Q4.27, far inputs give the ends of the range.
// fn gives the stored value for an input in Q4.27.
template <class Function>
Status quant8_sigmoidal(KernelContext& context, Function&& fn) {
  const OperandInfo& in = context.operation.input(0);
  const double ratio = static_cast<double>(in.scale) * (1 << 27);
  if (!(ratio > 1.0)) return fail(Code::kOpFailed, "the input scale " + std::to_string(in.scale) + " must be greater than 2^-27");
  const Multiplier m = decompose(ratio);
  const double radius = std::floor(std::ldexp(15.0 * (1 << 27), -m.exponent));
  const bool is_signed = in.type == OperandType::kTensorQuant8AsymmSigned;
  const int32_t zero_point = in.zero_point;
  return quant8_unary(context, [=](int32_t q) {
    const int32_t d = q - zero_point;
    const int32_t least = is_signed ? -128 : 0;
    const int32_t greatest = is_signed ? 127 : 255;
    if (is_signed ? d <= -radius : d < -radius) return least;
    if (is_signed ? d >= radius : d > radius) return greatest;
    return std::clamp(fn(high_multiply(shift_left(d, m.exponent), m.mantissa)) - (is_signed ? 128 : 0), least, greatest);
  });
}

Status logistic(KernelContext& context) {
  if (is_quant8_asymm(context.operation.input(0).type)) {
    return quant8_sigmoidal(context, [](int32_t a) { return rounding_shift_right(logistic_q31(a), 23); });
  }
  return float_unary(context, [](float x) { return 1.0F / (1.0F + std::exp(-x)); });
}

Status tanh_kernel(KernelContext& context) {
  if (is_quant8_asymm(context.operation.input(0).type)) {
    return quant8_sigmoidal(context, [](int32_t a) { return rounding_shift_right(tanh_q31(a), 24) + 128; });
  }
  return float_unary(context, [](float x) { return std::tanh(x); });
}

// The 16-bit fixed point of HARD_SWISH.
int32_t multiply16(int32_t a, int32_t b) {
  if (a == -32768 && b == -32768) return 32767;
  const int32_t product = a * b;
  return (product + (product >= 0 ? (1 << 14) : 1 - (1 << 14))) / (1 << 15);
}
int32_t saturating_shift_left16(int32_t value, int shift) {
  return static_cast<int32_t>(std::clamp<int64_t>(static_cast<int64_t>(value) << std::min(shift, 16), -32768, 32767));
}
int32_t mantissa16(Multiplier m) { return m.mantissa >= INT32_MAX - (1 << 15) ? 32767 : (m.mantissa + (1 << 15)) >> 16; }

Status quant8_hard_swish(KernelContext& context) {
  const OperandInfo& in = context.operation.input(0);
  const OperandInfo& out = context.outputs[0].info;
  const float fine_scale = in.scale / 128.0F;
  const Multiplier to_output = decompose(fine_scale / out.scale);
  const Multiplier to_relu = decompose(fine_scale / (3.0F / 32768.0F));
  if (to_output.exponent > 0) {
    return fail(Code::kOpFailed,
                "input scale / (128 * output scale) = " + std::to_string(fine_scale / out.scale) + " must be less than 1");
  }
  const int32_t output_mantissa = mantissa16(to_output);
  const int32_t relu_mantissa = mantissa16(to_relu);
  const QuantizedBounds range = quantized_activation_bounds(FusedActivation::kNone, out.type, out.scale, out.zero_point);
  return quant8_unary(context, [&](int32_t q) {
    const int32_t a = (q - in.zero_point) * 128;
    const int32_t scaled = multiply16(a, output_mantissa);
    int32_t r = a;  // becomes clamp(x / 3, -1, 1) in Q0.15
    if (to_relu.exponent > 0) r = saturating_shift_left16(r, to_relu.exponent - 1);
    r = multiply16(r, relu_mantissa);
    if (to_relu.exponent > 0) r = saturating_shift_left16(r, 1);
    if (to_relu.exponent < 0) r = rounding_shift_right(r, -to_relu.exponent);
    r = (r + 32768) >> 1;
    const int32_t product = r * scaled / 32768;
    return std::clamp(rounding_shift_right(product, -to_output.exponent) + out.zero_point, range.lo, range.hi);
  });
}

Status hard_swish(KernelContext& context) {
  if (is_quant8_asymm(context.operation.input(0).type)) return quant8_hard_swish(context);
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
