#include "vulkan/kernels/binary_dispatch.h"

#include <algorithm>

#include "elementwise_binary_kernels.h"
#include "vulkan/kernels/broadcast.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {
using namespace elementwise_binary;

constexpr size_t kMaximumRank = 8;  // strides that fit the push constants

// Broadcasts `operand`, which `info` describes, to the output's shape. Returns a scratch tensor, or `operand` if its size fits.
Result<TensorId> spread(const EmitContext& context, TensorId operand, const OperandInfo& info) {
  const Shape& target = context.output(kOutput).shape;
  if (info.shape.element_count() == target.element_count()) return operand;
  NNVK_TRY(check_addressable(context.output(kOutput)));
  Move move;
  move.from = operand;
  move.to = context.dispatches.scratch(divide_up(target.element_count(), 4) * 4 * element_size(info.type));
  move.type = info.type;
  int64_t stride = 1;
  for (size_t d = target.rank(); d-- > 0;) {
    const size_t missing = target.rank() - info.shape.rank();
    const uint32_t size = d < missing ? 1 : info.shape[d - missing];
    move.axes.insert(move.axes.begin(), MoveAxis{target[d], size == 1 ? 0 : stride, 0, target[d]});
    stride *= size;
  }
  NNVK_TRY(emit_move(context, move));
  return move.to;
}

}  // namespace

int32_t packed_zero_points(const OperandInfo& a, const OperandInfo& b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a.zero_point & 0xFFFF) | (static_cast<uint32_t>(b.zero_point) << 16));
}

Status emit_broadcast(const EmitContext& context, BroadcastOperands operands, uint operation, BinaryParams params) {
  const OperandType type = context.input(kFirst).type;
  const uint64_t elements = element_count(context.output(kOutput));
  if (elements == 0) return {};
  params.elements = static_cast<uint>(elements);
  const Shape& target = context.output(kOutput).shape;
  BroadcastPlan plan = plan_broadcast(context.input(kFirst).shape, context.input(kSecond).shape, target);
  if (plan.dims.size() > kMaximumRank) {
    NNVK_ASSIGN(operands.a, spread(context, operands.a, context.input(kFirst)));
    NNVK_ASSIGN(operands.b, spread(context, operands.b, context.input(kSecond)));
    plan = plan_broadcast(target, target, target);
  }
  const auto rank = static_cast<uint32_t>(plan.dims.size());
  for (size_t d = 0; d + 1 < rank; ++d) params.dims[d] = plan.dims[d];
  std::copy(plan.a_strides.begin(), plan.a_strides.end(), params.a_strides);
  std::copy(plan.b_strides.begin(), plan.b_strides.end(), params.b_strides);

  const bool floats = is_float_tensor(type);
  const auto read = plan.by_quads ? read_quads : read_scalars;
  const TensorBinding a = read(operands.a, type);
  const TensorBinding b = read(operands.b, type);
  const TensorBinding y = write_words(context.output_id(kOutput));
  const uint element = element_type(type);
  auto dispatch =
      plan.by_quads
          ? make_dispatch(
                context, floats ? kernels::kBinaryFloat : kernels::kBinaryInteger,
                {.type = element, .operation = operation, .rank = rank, .a_splat = plan.a_splat, .b_splat = plan.b_splat},
                {.in_a = a, .in_b = b, .out_y = y}, params)
          : make_dispatch(context, floats ? kernels::kBinaryFloatGeneral : kernels::kBinaryIntegerGeneral,
                          {.type = element, .operation = operation, .rank = rank}, {.in_a = a, .in_b = b, .out_y = y}, params);
  dispatch.choice = plan.by_quads ? "both operands run along the output by fours, or stay what they are"
                                  : "some four neighbours of the output do not lie side by side in an operand";
  return add_flat(context, std::move(dispatch), divide_up(elements, 4));
}

}  // namespace nnvk::vulkan
