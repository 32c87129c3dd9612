// ARGMAX and ARGMIN along one axis.
#include "shaders/argmax_params.h"

#include "argmax_kernels.h"
#include "core/operations/rules/shape_rules.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

Status emit_arg(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& input = context.input(0);
  NNVK_ASSIGN(const uint32_t axis, normalize_axis(context.scalar<int32_t>(1, 0), input.shape.rank(), Code::kOpFailed));
  ArgmaxParams params{};
  params.size = input.shape[axis];
  params.inner = 1;
  for (size_t d = axis + 1; d < input.shape.rank(); ++d) params.inner *= input.shape[d];
  const uint64_t results = element_count(context.output(0));
  params.results = static_cast<uint>(results);
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  dispatch.kernel = is_float_tensor(input.type) ? kernels::kArgmaxFloat : kernels::kArgmaxInteger;
  dispatch.specialization = {{0, element_type(input.type)},
                             {1, context.node.code == OperationCode::kArgmin ? kArgmaxSmallest : kArgmaxLargest}};
  dispatch.bindings = {read_scalars(context.input_id(0), input.type), read_write(context.output_id(0))};
  NNVK_ASSIGN(dispatch.groups, flat_groups(divide_up(results, 4), kernel_info(dispatch.kernel).local_size[0], context.traits));
  for (const SliceStep& step : slice_steps(params.size, kMostElementsPerInvocation, kStepFoldFirst)) {
    params.begin = step.begin;
    params.end = step.end;
    dispatch.set_params(params);
    dispatches.add(dispatch);
  }
  return {};
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kArgmax, nullptr, emit_arg}, {OperationCode::kArgmin, nullptr, emit_arg}};

}  // namespace

std::span<const KernelEmitter> argmax_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
