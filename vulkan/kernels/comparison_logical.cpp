// EQUAL ... LESS_EQUAL, LOGICAL_AND and LOGICAL_OR use the binary kernels with boolean results; LOGICAL_NOT is a table look-up.
#include <bit>

#include "core/base/quantized_comparison.h"
#include "vulkan/kernels/binary_dispatch.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

template <uint kOperation>
Status emit_comparison(const EmitContext& context) {
  const OperandInfo& a = context.input(elementwise_binary::kFirst);
  const OperandInfo& b = context.input(elementwise_binary::kSecond);
  BinaryParams params{};
  // Kernels compare booleans as bytes with scale 1.
  const ComparableScales scales = is_quant8_asymm(a.type) ? comparable_scales(a.scale, b.scale) : ComparableScales{};
  params.lo = std::bit_cast<int32_t>(scales.a);
  params.hi = std::bit_cast<int32_t>(scales.b);
  if (is_quant8_asymm(a.type)) params.zero_points = packed_zero_points(a, b);
  return emit_broadcast(context, operands_of(context), kOperation, params);
}

Status emit_logical_not(const EmitContext& context) {
  ByteTable table{};
  table[0] = 1;
  return emit_byte_table(context, table);
}

}  // namespace

constinit const EmitterRows comparison_logical_emitters = {
    {OperationCode::kEqual, nullptr, emit_comparison<kBinaryEqual>},
    {OperationCode::kNotEqual, nullptr, emit_comparison<kBinaryNotEqual>},
    {OperationCode::kGreater, nullptr, emit_comparison<kBinaryGreater>},
    {OperationCode::kGreaterEqual, nullptr, emit_comparison<kBinaryGreaterEqual>},
    {OperationCode::kLess, nullptr, emit_comparison<kBinaryLess>},
    {OperationCode::kLessEqual, nullptr, emit_comparison<kBinaryLessEqual>},
    {OperationCode::kLogicalAnd, nullptr, emit_comparison<kBinaryLogicalAnd>},
    {OperationCode::kLogicalOr, nullptr, emit_comparison<kBinaryLogicalOr>},
    {OperationCode::kLogicalNot, nullptr, emit_logical_not},
};

}  // namespace nnvk::vulkan
