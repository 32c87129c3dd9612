// One element in, one element out: floats and TENSOR_INT32 are computed, 8-bit types look up a table made by core.
#include "shaders/unary_params.h"

#include "core/operations/parameters/quantized_unary.h"
#include "core/operations/rules/operand_expectations.h"
#include "unary_kernels.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

uint operation_constant(OperationCode code) {
  switch (code) {
    case OperationCode::kRelu:
      return kUnaryRelu;
    case OperationCode::kRelu1:
      return kUnaryRelu1;
    case OperationCode::kRelu6:
      return kUnaryRelu6;
    case OperationCode::kLogistic:
      return kUnaryLogistic;
    case OperationCode::kTanh:
      return kUnaryTanh;
    case OperationCode::kAbs:
      return kUnaryAbs;
    case OperationCode::kNeg:
      return kUnaryNeg;
    case OperationCode::kFloor:
      return kUnaryFloor;
    case OperationCode::kExp:
      return kUnaryExp;
    case OperationCode::kLog:
      return kUnaryLog;
    case OperationCode::kSin:
      return kUnarySin;
    case OperationCode::kSqrt:
      return kUnarySqrt;
    case OperationCode::kRsqrt:
      return kUnaryRsqrt;
    case OperationCode::kElu:
      return kUnaryElu;
    default:
      return kUnaryHardSwish;
  }
}

Status emit_unary(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& input = context.input(0);
  const uint64_t elements = element_count(context.output(0));
  if (elements == 0) return {};
  if (is_quant8_asymm(input.type)) {
    NNVK_ASSIGN(const ByteTable table, quantized_unary_table(context.node.code, input, context.output(0)));
    return emit_byte_table(context, dispatches, "lookup", table, context.input_id(0), context.output_id(0), elements);
  }
  const uint operation = operation_constant(context.node.code);
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  if (is_float_tensor(input.type)) {
    dispatch.kernel = kernels::kUnaryFloat;
    dispatch.specialization = {{0, element_type(input.type)}, {1, operation}};
  } else {
    dispatch.kernel = kernels::kUnaryInt32;
    dispatch.specialization = {{0, operation}};
  }
  dispatch.bindings = {read_quads(context.input_id(0), input.type), write_words(context.output_id(0))};
  const uint64_t invocations = divide_up(elements, 4);
  const NodeView view = context.resolution.view(context.plan, context.node);
  const float alpha = context.node.code == OperationCode::kElu ? float_scalar(view.view(), 1).value_or(1.0F) : 0.0F;
  dispatch.set_params(UnaryParams{static_cast<uint>(invocations), alpha});
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kRelu, nullptr, emit_unary},  {OperationCode::kRelu1, nullptr, emit_unary},
    {OperationCode::kRelu6, nullptr, emit_unary}, {OperationCode::kLogistic, nullptr, emit_unary},
    {OperationCode::kTanh, nullptr, emit_unary},  {OperationCode::kHardSwish, nullptr, emit_unary},
    {OperationCode::kAbs, nullptr, emit_unary},   {OperationCode::kNeg, nullptr, emit_unary},
    {OperationCode::kFloor, nullptr, emit_unary}, {OperationCode::kExp, nullptr, emit_unary},
    {OperationCode::kLog, nullptr, emit_unary},   {OperationCode::kSin, nullptr, emit_unary},
    {OperationCode::kSqrt, nullptr, emit_unary},  {OperationCode::kRsqrt, nullptr, emit_unary},
    {OperationCode::kElu, nullptr, emit_unary},
};

}  // namespace

std::span<const KernelEmitter> unary_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
