// Chooses among the binary kernels and fills in how the operands are walked.
#include "vulkan/kernels/binary_dispatch.h"

#include <algorithm>
#include <string>

#include "core/operations/shape_rules.h"
#include "elementwise_binary_kernels.h"
#include "vulkan/kernels/broadcast.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

constexpr size_t kMaximumRank = 8;  // strides that fit the push constants

}  // namespace

int32_t packed_zero_points(const OperandInfo& a, const OperandInfo& b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a.zero_point & 0xFFFF) | (static_cast<uint32_t>(b.zero_point) << 16));
}

Status emit_broadcast(const EmitContext& context, DispatchList& dispatches, BroadcastOperands operands, uint operation,
                      BinaryParams params) {
  const OperandType type = context.input(0).type;
  const uint64_t elements = element_count(context.output(0));
  if (elements == 0) return {};
  params.elements = static_cast<uint>(elements);
  const BroadcastPlan plan = plan_broadcast(context.input(0).shape, context.input(1).shape, context.output(0).shape);
  const size_t rank = plan.dims.size();
  if (rank > kMaximumRank) return fail(Code::kOpFailed, "operands broadcast in more than 8 separate dimensions");
  for (size_t d = 0; d + 1 < rank; ++d) params.dims[d] = plan.dims[d];
  std::copy(plan.a_strides.begin(), plan.a_strides.end(), params.a_strides);
  std::copy(plan.b_strides.begin(), plan.b_strides.end(), params.b_strides);

  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  dispatch.specialization = {{0, element_type(type)}, {1, operation}, {2, static_cast<uint32_t>(rank)}};
  const bool floats = is_float_tensor(type);
  const auto read = plan.by_quads ? read_quads : read_scalars;
  if (plan.by_quads) {
    dispatch.kernel = floats ? kernels::kBinaryFloat : kernels::kBinaryInteger;
    dispatch.specialization.push_back({3, plan.a_splat ? 1U : 0U});
    dispatch.specialization.push_back({4, plan.b_splat ? 1U : 0U});
  } else {
    dispatch.kernel = floats ? kernels::kBinaryFloatGeneral : kernels::kBinaryIntegerGeneral;
  }
  dispatch.bindings = {read(operands.a, type), read(operands.b, type), write_words(context.output_id(0))};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(divide_up(elements, 4), kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

Status support_broadcast(const Plan& plan, const PlanNode& node, const DeviceTraits&) {
  const Shape& a = plan.tensors[node.inputs[0]].info.shape;
  const Shape& b = plan.tensors[node.inputs[1]].info.shape;
  if (!a.rank_known || !b.rank_known || std::max(a.rank(), b.rank()) <= kMaximumRank) return {};
  if (a.fully_known() && b.fully_known()) {
    const auto out = broadcast_shapes(a, b);
    if (!out || plan_broadcast(a, b, *out).dims.size() <= kMaximumRank) return {};  // execution reports shapes that do not fit
  }
  return fail(Code::kOpFailed, "broadcasts in more than 8 separate dimensions are not supported");
}

}  // namespace nnvk::vulkan
