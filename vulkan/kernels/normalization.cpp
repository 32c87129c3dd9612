// L2_NORMALIZATION and INSTANCE_NORMALIZATION: one dispatch for the statistics of every slice, one for the elements.
// LOCAL_RESPONSE_NORMALIZATION: one dispatch, every element looks at its neighbours.
#include <algorithm>
#include <string>

#include "core/operations/parameters/normalization_parameters.h"
#include "core/operations/rules/operand_expectations.h"
#include "normalization_kernels.h"
#include "shaders/normalization_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

// Neighbours on either side that LOCAL_RESPONSE_NORMALIZATION looks at in one go; see bounded_work.h.
constexpr uint32_t kMostNeighbours = kMostElementsPerInvocation;
constexpr uint64_t kStatisticsBytes = 8;  // per slice, see normalization_statistics.comp

Status emit_normalization(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& input = context.input(0);
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const NormalizationSlices slices, normalization_slices(view.view()));
  const bool instance = context.node.code == OperationCode::kInstanceNormalization;
  NormalizationParams params{};
  params.slices = static_cast<uint>(slices.outer * slices.inner);
  params.size = static_cast<uint>(slices.size);
  params.inner = static_cast<uint>(slices.inner);
  params.quads = static_cast<uint>(divide_up(element_count(input), 4));
  params.gamma = instance ? float_scalar(view.view(), 1).value_or(1.0F) : 1.0F;
  params.beta = instance ? float_scalar(view.view(), 2).value_or(0.0F) : 0.0F;
  params.epsilon = instance ? float_scalar(view.view(), 3).value_or(0.0F) : 0.0F;
  params.zero_point = input.zero_point;

  const bool integer = !is_float_tensor(input.type);
  const TensorId x = context.input_id(0);
  const TensorId statistics = dispatches.scratch(params.slices * kStatisticsBytes);
  Dispatch reduce;
  reduce.node = context.node_index;
  reduce.label = dispatch_label(context) + ", statistics";
  reduce.kernel = integer ? kernels::kNormalizationStatisticsInteger.id : kernels::kNormalizationStatisticsFloat.id;
  reduce.specialization = {{0, element_type(input.type)}};
  if (!integer) reduce.specialization.push_back({1, instance ? kNormalizationInstance : kNormalizationL2});
  reduce.bindings = {read_scalars(x, input.type), read_write(statistics)};
  NNVK_ASSIGN(reduce.groups, flat_groups(params.slices, kernel_info(reduce.kernel).local_size[0], context.traits));

  Dispatch apply;
  apply.node = context.node_index;
  apply.label = dispatch_label(context);
  apply.kernel = integer ? kernels::kNormalizationInteger.id : kernels::kNormalizationFloat.id;
  apply.specialization = {{0, element_type(input.type)}};
  if (integer) apply.specialization.push_back({1, slices.inner == 1 ? 1U : 0U});
  apply.bindings = {read_quads(x, input.type), read_words(statistics), write_words(context.output_id(0))};
  apply.set_params(params);
  NNVK_ASSIGN(apply.groups, flat_groups(params.quads, kernel_info(apply.kernel).local_size[0], context.traits));
  const uint32_t folds = instance ? kStepFoldFirst | kStepFoldSecond : kStepFoldSecond;
  for (const SliceStep& step : slice_steps(params.size, kMostElementsPerInvocation, folds)) {
    params.begin = step.begin;
    params.end = step.end;
    params.steps = step.flags;
    reduce.set_params(params);
    dispatches.add(reduce);
  }
  dispatches.add(std::move(apply));
  return {};
}

Status emit_local_response(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& input = context.input(0);
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const NormalizationSlices slices, normalization_slices(view.view()));
  LocalResponseParams params{};
  params.elements = static_cast<uint>(element_count(input));
  params.size = static_cast<uint>(slices.size);
  params.inner = static_cast<uint>(slices.inner);
  params.radius = std::min(static_cast<uint>(std::max(context.scalar<int32_t>(1, 0), 0)), params.size);
  if (params.radius > kMostNeighbours) {
    return fail(Code::kOpFailed, "a radius of " + std::to_string(params.radius) + " elements is more than this device looks at");
  }
  params.bias = float_scalar(view.view(), 2).value_or(0.0F);
  params.alpha = float_scalar(view.view(), 3).value_or(0.0F);
  params.beta = float_scalar(view.view(), 4).value_or(0.0F);
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  dispatch.kernel = kernels::kLocalResponse;
  dispatch.specialization = {{0, element_type(input.type)}};
  dispatch.bindings = {read_scalars(context.input_id(0), input.type), write_words(context.output_id(0))};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups,
              flat_groups(divide_up(params.elements, 4), kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kL2Normalization, nullptr, emit_normalization},
    {OperationCode::kInstanceNormalization, nullptr, emit_normalization},
    {OperationCode::kLocalResponseNormalization, nullptr, emit_local_response},
};

}  // namespace

std::span<const KernelEmitter> normalization_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
