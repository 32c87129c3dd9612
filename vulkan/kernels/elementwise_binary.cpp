// ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, PRELU on floats, TENSOR_INT32 and 8-bit types, with NumPy-style broadcasting and
// fused activation.
#include "shaders/elementwise_binary_params.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/quantized_unary.h"
#include "vulkan/kernels/binary_dispatch.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

uint operation_constant(OperationCode code) {
  switch (code) {
    case OperationCode::kAdd:
      return kBinaryAdd;
    case OperationCode::kSub:
      return kBinarySub;
    case OperationCode::kMul:
      return kBinaryMul;
    case OperationCode::kDiv:
      return kBinaryDiv;
    default:
      return kBinaryPrelu;
  }
}

// A multiplier of ADD, SUB or MUL: the specification wants it inside (0, 1), with a non-positive exponent.
Result<FixedPointMultiplier> fraction_multiplier(double ratio, const char* what) {
  const FixedPointMultiplier multiplier = decompose_multiplier(ratio);
  if (!(ratio > 0.0 && ratio < 1.0) || multiplier.exponent > 0) {
    return fail(Code::kOpFailed,
                std::string(what) + " is " + std::to_string(ratio) + ", which must lie in (0, 1); use a larger output scale");
  }
  return multiplier;
}

void set_multiplier(BinaryParams& params, int index, FixedPointMultiplier multiplier) {
  params.mantissas[index] = multiplier.mantissa;
  params.exponents |= (multiplier.exponent & 0xFF) << (8 * index);
}

Status set_sum_multipliers(BinaryParams& params, float a_scale, float b_scale, float out_scale, bool subtract) {
  const double twice_larger = 2.0 * std::max(a_scale, b_scale);
  NNVK_ASSIGN(const FixedPointMultiplier a, fraction_multiplier(a_scale / twice_larger, "scale(a) / (2 * larger scale)"));
  NNVK_ASSIGN(FixedPointMultiplier b, fraction_multiplier(b_scale / twice_larger, "scale(b) / (2 * larger scale)"));
  NNVK_ASSIGN(const FixedPointMultiplier out,
              fraction_multiplier(twice_larger / ((1 << 20) * double{out_scale}), "2 * larger scale / (2^20 * output scale)"));
  if (subtract) b.mantissa = -b.mantissa;
  set_multiplier(params, 0, a);
  set_multiplier(params, 1, b);
  set_multiplier(params, 2, out);
  return {};
}

Status set_quantized(BinaryParams& params, const EmitContext& context, FusedActivation own) {
  const OperandInfo& a = context.input(0);
  const OperandInfo& b = context.input(1);
  const OperandInfo& out = context.output(0);
  params.zero_points = packed_zero_points(a, b);
  params.out_zero_point = out.zero_point;
  const QuantizedBounds bounds = combined_quantized_bounds(own, context.node.fused_activation, out);
  params.lo = bounds.lo;
  params.hi = bounds.hi;
  switch (context.node.code) {
    case OperationCode::kAdd:
      return set_sum_multipliers(params, a.scale, b.scale, out.scale, false);
    case OperationCode::kSub:
      return set_sum_multipliers(params, a.scale, b.scale, out.scale, true);
    case OperationCode::kMul: {
      const double ratio = double{a.scale * b.scale} / out.scale;
      NNVK_ASSIGN(const FixedPointMultiplier product, fraction_multiplier(ratio, "scale(a) * scale(b) / output scale"));
      set_multiplier(params, 2, product);
      return {};
    }
    default:
      set_multiplier(params, 0, decompose_multiplier(double{a.scale / out.scale}));
      set_multiplier(params, 1, decompose_multiplier(double{a.scale * b.scale} / out.scale));
      return {};
  }
}

Status emit_binary(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& out = context.output(0);
  if (element_count(out) == 0) return {};
  FusedActivation own = FusedActivation::kNone;
  if (context.node.code != OperationCode::kPrelu) {
    NNVK_ASSIGN(own, activation_operand(context, 2));
  }

  BinaryParams params{};
  const bool is_float = is_float_tensor(out.type);
  if (is_float) {
    const ActivationBounds bounds = combined_float_bounds(own, context.node.fused_activation);
    params.lo = std::bit_cast<int32_t>(bounds.lo);
    params.hi = std::bit_cast<int32_t>(bounds.hi);
  } else if (out.type != OperandType::kTensorInt32) {
    NNVK_TRY(set_quantized(params, context, own));
  } else if (own != FusedActivation::kNone || context.node.fused_activation != FusedActivation::kNone) {
    return fail(Code::kOpFailed, "a fused activation is not defined for TENSOR_INT32; use NONE");
  }

  return emit_broadcast(context, dispatches, {context.input_id(0), context.input_id(1)}, operation_constant(context.node.code),
                        params);
}

// MAXIMUM and MINIMUM; 8-bit operands are brought to the output's quantization first.
Status emit_extremum(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& out = context.output(0);
  BroadcastOperands operands = {context.input_id(0), context.input_id(1)};
  if (is_quant8_asymm(out.type)) {
    NNVK_ASSIGN(operands.a, mapped_input(context, dispatches, 0, requantized_bytes(context.input(0), out)));
    NNVK_ASSIGN(operands.b, mapped_input(context, dispatches, 1, requantized_bytes(context.input(1), out)));
  }
  const uint operation = context.node.code == OperationCode::kMaximum ? kBinaryMaximum : kBinaryMinimum;
  return emit_broadcast(context, dispatches, operands, operation, {});
}

Status emit_pow(const EmitContext& context, DispatchList& dispatches) {
  return emit_broadcast(context, dispatches, {context.input_id(0), context.input_id(1)}, kBinaryPow, {});
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kAdd, nullptr, emit_binary},       {OperationCode::kSub, nullptr, emit_binary},
    {OperationCode::kMul, nullptr, emit_binary},       {OperationCode::kDiv, nullptr, emit_binary},
    {OperationCode::kPrelu, nullptr, emit_binary},     {OperationCode::kMaximum, nullptr, emit_extremum},
    {OperationCode::kMinimum, nullptr, emit_extremum}, {OperationCode::kPow, nullptr, emit_pow},
};

}  // namespace

std::span<const KernelEmitter> elementwise_binary_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
