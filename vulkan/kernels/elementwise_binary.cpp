// Arithmetic of two operands: floats, TENSOR_INT32 and 8-bit types, with NumPy-style broadcasting and fused activation.
#include <bit>

#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/quantized_unary.h"
#include "vulkan/kernels/binary_dispatch.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/products/weights.h"

namespace nnvk::vulkan {
namespace {
using namespace elementwise_binary;

void set_multiplier(BinaryParams& params, int index, FixedPointMultiplier exact) {
  const FixedPointMultiplier multiplier = shader_multiplier(exact);  // PRELU allows any value
  params.mantissas[index] = multiplier.mantissa;
  params.exponents |= (multiplier.exponent & 0xFF) << (8 * index);
}

void set_quantized(BinaryParams& params, const EmitContext& context, const ElementwiseBinaryParameters& parameters) {
  const OperandInfo& out = context.output(kOutput);
  params.zero_points = packed_zero_points(context.input(kFirst), context.input(kSecond));
  params.out_zero_point = out.zero_point;
  const QuantizedBounds bounds = combined_quantized_bounds(parameters.activation, context.node.fused_activation, out);
  params.lo = bounds.lo;
  params.hi = bounds.hi;
  set_multiplier(params, 0, parameters.first);
  set_multiplier(params, 1, parameters.second);
  set_multiplier(params, 2, parameters.result);
}

// Emits ADD, SUB, MUL, DIV or PRELU.
template <uint kOperation>
Status emit_binary(const EmitContext& context) {
  const OperandInfo& out = context.output(kOutput);
  if (element_count(out) == 0) return {};
  NNVK_ASSIGN(const ElementwiseBinaryParameters parameters, context.decode(elementwise_binary_parameters));
  BinaryParams params{};
  if (is_float_tensor(out.type)) {
    const ActivationBounds bounds = combined_float_bounds(parameters.activation, context.node.fused_activation);
    params.lo = std::bit_cast<int32_t>(bounds.lo);
    params.hi = std::bit_cast<int32_t>(bounds.hi);
  } else if (out.type != OperandType::kTensorInt32) {
    set_quantized(params, context, parameters);
  } else if (context.node.fused_activation != FusedActivation::kNone) {
    return fail(Code::kOpFailed, "a fused activation is not defined for TENSOR_INT32; use NONE");
  }
  return emit_broadcast(context, operands_of(context), kOperation, params);
}

// Emits MAXIMUM or MINIMUM, which first convert 8-bit operands to the output's quantization.
template <uint kOperation>
Status emit_extremum(const EmitContext& context) {
  const OperandInfo& out = context.output(kOutput);
  BroadcastOperands operands = operands_of(context);
  if (is_quant8_asymm(out.type)) {
    NNVK_ASSIGN(operands.a, mapped_input(context, kFirst, requantized_bytes(context.input(kFirst), out)));
    NNVK_ASSIGN(operands.b, mapped_input(context, kSecond, requantized_bytes(context.input(kSecond), out)));
  }
  return emit_broadcast(context, operands, kOperation, {});
}

Status emit_pow(const EmitContext& context) { return emit_broadcast(context, operands_of(context), kBinaryPow, {}); }

}  // namespace

constinit const EmitterRows elementwise_binary_emitters = {
    {OperationCode::kAdd, nullptr, emit_binary<kBinaryAdd>},
    {OperationCode::kSub, nullptr, emit_binary<kBinarySub>},
    {OperationCode::kMul, nullptr, emit_binary<kBinaryMul>},
    {OperationCode::kDiv, nullptr, emit_binary<kBinaryDiv>},
    {OperationCode::kPrelu, nullptr, emit_binary<kBinaryPrelu>},
    {OperationCode::kMaximum, nullptr, emit_extremum<kBinaryMaximum>},
    {OperationCode::kMinimum, nullptr, emit_extremum<kBinaryMinimum>},
    {OperationCode::kPow, nullptr, emit_pow},
};

}  // namespace nnvk::vulkan
