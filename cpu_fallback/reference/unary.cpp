// One element in, one element out: activations, ABS, NEG, FLOOR, EXP, LOG, SIN, SQRT, RSQRT and ELU.
#include <algorithm>
#include <cmath>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/quantized_unary.h"
#include "core/operations/parameters/unary_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/recurrent_activation.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace unary;

// Computes a quantized function of one byte by a table of 256 bytes, the same that the GPU uploads.
Status quant8_unary(KernelContext& context) {
  NNVK_ASSIGN(const ByteTable table,
              quantized_unary_table(context.operation.code, context.operation.input(kInput), context.outputs[kOutput].info));
  const auto in = context.input<uint8_t>(kInput);
  const auto out = context.output<uint8_t>(kOutput);
  for_each_index(out.size(), [&](size_t i) { out[i] = table[in[i]]; });
  return {};
}

// Computes a function element by element. `fn` is the function of floats; 8-bit types have their tables.
template <class Function>
Status elementwise(KernelContext& context, Function&& fn) {
  if (is_quant8_asymm(context.operation.input(kInput).type)) return quant8_unary(context);
  const FloatInput in(context, kInput);
  FloatOutput out(context, kOutput);
  for_each_index(out.values().size(), [&](size_t i) { out[i] = fn(in[i]); });
  return {};
}

// Clamps. The operand order of min and max is the specification's: NaN becomes the lower bound.
template <FusedActivation kActivation>
Status clamp_kernel(KernelContext& context) {
  const ActivationBounds bounds = float_activation_bounds(kActivation);
  return elementwise(context, [=](float x) { return std::min(std::max(bounds.lo, x), bounds.hi); });
}

// Applies a C++ function: one of nnvk's or of the C library.
template <float (*kFunction)(float)>
Status float_function(KernelContext& context) {
  return elementwise(context, [](float x) { return kFunction(x); });
}

float hard_swish(float x) { return (x * std::min(6.0F, std::max(0.0F, x + 3.0F))) / 6.0F; }
float reciprocal_root(float x) { return 1.0F / std::sqrt(x); }

// Computes ABS and NEG, which take TENSOR_INT32 too: INT32_MIN wraps to itself.
template <class Function>
Status signed_function(KernelContext& context) {
  if (context.operation.input(kInput).type != OperandType::kTensorInt32) return elementwise(context, Function{});
  const auto in = context.input<int32_t>(kInput);
  const auto out = context.output<int32_t>(kOutput);
  for_each_index(out.size(), [&](size_t i) { out[i] = Function{}(in[i]); });
  return {};
}
struct Magnitude {
  float operator()(float x) const { return std::fabs(x); }
  int32_t operator()(int32_t x) const { return x < 0 ? wrapping_subtract(0, x) : x; }
};
struct Negated {
  float operator()(float x) const { return -x; }
  int32_t operator()(int32_t x) const { return wrapping_subtract(0, x); }
};

// Computes ELU with plain exp instead of expm1, and with the operand order of min and max, as the specification writes them.
Status elu(KernelContext& context) {
  NNVK_ASSIGN(const float alpha, elu_alpha(context.operation));
  return elementwise(context, [=](float x) { return std::max(0.0F, x) + std::min(0.0F, alpha * (std::exp(x) - 1.0F)); });
}

constexpr KernelRow kRows[] = {
    {OperationCode::kAbs, signed_function<Magnitude>},
    {OperationCode::kNeg, signed_function<Negated>},
    {OperationCode::kFloor, float_function<std::floor>},
    {OperationCode::kExp, float_function<std::exp>},
    {OperationCode::kLog, float_function<std::log>},
    {OperationCode::kSin, float_function<std::sin>},
    {OperationCode::kSqrt, float_function<std::sqrt>},
    {OperationCode::kRsqrt, float_function<reciprocal_root>},
    {OperationCode::kElu, elu},
    {OperationCode::kRelu, clamp_kernel<FusedActivation::kRelu>},
    {OperationCode::kRelu1, clamp_kernel<FusedActivation::kRelu1>},
    {OperationCode::kRelu6, clamp_kernel<FusedActivation::kRelu6>},
    {OperationCode::kLogistic, float_function<sigmoid>},
    {OperationCode::kTanh, float_function<std::tanh>},
    {OperationCode::kHardSwish, float_function<hard_swish>},
};

}  // namespace

std::span<const KernelRow> unary_kernels() { return kRows; }

}  // namespace nnvk::cpu
