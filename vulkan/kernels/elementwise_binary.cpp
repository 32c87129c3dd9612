// ADD, SUB, MUL, DIV, PRELU on floats, TENSOR_INT32 and 8-bit types, with NumPy-style broadcasting and fused activation.
#include "shaders/elementwise_binary_params.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/base/fixed_point.h"
#include "elementwise_binary_kernels.h"
#include "vulkan/kernels/broadcast.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

constexpr size_t kMaximumRank = 8;  // strides that fit the push constants

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
  const auto zero_points = static_cast<uint32_t>(a.zero_point & 0xFFFF) | (static_cast<uint32_t>(b.zero_point) << 16);
  params.zero_points = static_cast<int32_t>(zero_points);
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
  const uint64_t elements = element_count(out);
  if (elements == 0) return {};
  FusedActivation own = FusedActivation::kNone;
  if (context.node.code != OperationCode::kPrelu) {
    NNVK_ASSIGN(own, activation_operand(context, 2));
  }

  BinaryParams params{};
  params.elements = static_cast<uint>(elements);
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

  const BroadcastPlan plan = plan_broadcast(context.input(0).shape, context.input(1).shape, out.shape);
  const size_t rank = plan.dims.size();
  if (rank > kMaximumRank) return fail(Code::kOpFailed, "operands broadcast in more than 8 separate dimensions");
  for (size_t d = 0; d + 1 < rank; ++d) params.dims[d] = plan.dims[d];
  std::copy(plan.a_strides.begin(), plan.a_strides.end(), params.a_strides);
  std::copy(plan.b_strides.begin(), plan.b_strides.end(), params.b_strides);

  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  dispatch.specialization = {
      {0, element_type(out.type)}, {1, operation_constant(context.node.code)}, {2, static_cast<uint32_t>(rank)}};
  const auto read = plan.by_quads ? read_quads : read_scalars;
  if (plan.by_quads) {
    dispatch.kernel = is_float ? kernels::kBinaryFloat : kernels::kBinaryInteger;
    dispatch.specialization.push_back({3, plan.a_splat ? 1U : 0U});
    dispatch.specialization.push_back({4, plan.b_splat ? 1U : 0U});
  } else {
    dispatch.kernel = is_float ? kernels::kBinaryFloatGeneral : kernels::kBinaryIntegerGeneral;
  }
  dispatch.bindings = {read(context.input_id(0), out.type), read(context.input_id(1), out.type),
                       write_words(context.output_id(0))};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(divide_up(elements, 4), kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

Status support_binary(const Plan& plan, const PlanNode& node, const DeviceTraits&) {
  const Shape& shape = plan.tensors[node.outputs[0]].info.shape;
  if (node.code == OperationCode::kPrelu && (!shape.rank_known || shape.rank() > kMaximumRank)) {
    for (const TensorId input : node.inputs) {
      const Shape& operand = plan.tensors[input].info.shape;
      if (!operand.rank_known || operand.rank() > kMaximumRank)
        return fail(Code::kOpFailed, "ranks above 8 or unknown ranks are not supported");
    }
  }
  return {};
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kAdd, support_binary, emit_binary},   {OperationCode::kSub, support_binary, emit_binary},
    {OperationCode::kMul, support_binary, emit_binary},   {OperationCode::kDiv, support_binary, emit_binary},
    {OperationCode::kPrelu, support_binary, emit_binary},
};

}  // namespace

std::span<const KernelEmitter> elementwise_binary_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
