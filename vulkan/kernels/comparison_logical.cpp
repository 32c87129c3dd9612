// EQUAL ... LESS_EQUAL, LOGICAL_AND and LOGICAL_OR: operations of the binary kernels whose results are booleans;
// LOGICAL_NOT, a look-up.
#include <bit>

#include "core/base/quantized_comparison.h"
#include "vulkan/kernels/binary_dispatch.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

uint operation_constant(OperationCode code) {
  switch (code) {
    case OperationCode::kEqual:
      return kBinaryEqual;
    case OperationCode::kNotEqual:
      return kBinaryNotEqual;
    case OperationCode::kGreater:
      return kBinaryGreater;
    case OperationCode::kGreaterEqual:
      return kBinaryGreaterEqual;
    case OperationCode::kLess:
      return kBinaryLess;
    case OperationCode::kLessEqual:
      return kBinaryLessEqual;
    case OperationCode::kLogicalAnd:
      return kBinaryLogicalAnd;
    default:
      return kBinaryLogicalOr;
  }
}

Status emit_comparison(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& a = context.input(0);
  const OperandInfo& b = context.input(1);
  BinaryParams params{};
  // Booleans are compared as bytes: values of scale 1.
  const ComparableScales scales = is_quant8_asymm(a.type) ? comparable_scales(a.scale, b.scale) : ComparableScales{};
  params.lo = std::bit_cast<int32_t>(scales.a);
  params.hi = std::bit_cast<int32_t>(scales.b);
  if (is_quant8_asymm(a.type)) params.zero_points = packed_zero_points(a, b);
  return emit_broadcast(context, dispatches, {context.input_id(0), context.input_id(1)}, operation_constant(context.node.code),
                        params);
}

Status emit_logical_not(const EmitContext& context, DispatchList& dispatches) {
  ByteTable table{};
  table[0] = 1;
  return emit_byte_table(context, dispatches, "lookup", table, context.input_id(0), context.output_id(0),
                         element_count(context.output(0)));
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kEqual, nullptr, emit_comparison},       {OperationCode::kNotEqual, nullptr, emit_comparison},
    {OperationCode::kGreater, nullptr, emit_comparison},     {OperationCode::kGreaterEqual, nullptr, emit_comparison},
    {OperationCode::kLess, nullptr, emit_comparison},        {OperationCode::kLessEqual, nullptr, emit_comparison},
    {OperationCode::kLogicalAnd, nullptr, emit_comparison},  {OperationCode::kLogicalOr, nullptr, emit_comparison},
    {OperationCode::kLogicalNot, nullptr, emit_logical_not},
};

}  // namespace

std::span<const KernelEmitter> comparison_logical_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
