// SOFTMAX and LOG_SOFTMAX: one dispatch for the largest element and the sum of every slice, one for the results. 8-bit types look
// their exponentials up in a table made by core.
#include "core/base/quantized_softmax.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"
#include "shaders/softmax_params.h"
#include "softmax_kernels.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

constexpr int32_t kLastAxis = -1;
constexpr uint64_t kStatisticsBytes = 8;  // per slice, see softmax_statistics.comp

Status emit_softmax(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& input = context.input(0);
  const TensorId x = context.input_id(0);
  const uint64_t elements = element_count(input);
  if (elements == 0) return {};
  NNVK_ASSIGN(const uint32_t axis, normalize_axis(context.scalar<int32_t>(2, kLastAxis), input.shape.rank(), Code::kOpFailed));
  const NodeView view = context.resolution.view(context.plan, context.node);
  SoftmaxParams params{};
  params.beta = float_scalar(view.view(), 1).value_or(1.0F);
  params.size = input.shape[axis];
  params.inner = 1;
  for (size_t d = axis + 1; d < input.shape.rank(); ++d) params.inner *= input.shape[d];
  params.slices = static_cast<uint>(elements / params.size);
  params.quads = static_cast<uint>(divide_up(elements, 4));

  const bool integer = !is_float_tensor(input.type);
  const bool last_axis = params.inner == 1;
  const uint32_t log = context.node.code == OperationCode::kLogSoftmax ? 1 : 0;
  const TensorId statistics = dispatches.scratch(params.slices * kStatisticsBytes);
  TensorId exponentials = kNoTensor;
  if (integer) {
    NNVK_ASSIGN(const SoftmaxTable table, quantized_softmax_table(input.scale, params.beta));
    exponentials = dispatches.table(context.node_index, "exponentials",
                                    [&] { return to_bytes(std::vector<int32_t>(table.begin(), table.end())); });
  }

  Dispatch reduce;
  reduce.node = context.node_index;
  reduce.label = dispatch_label(context) + ", sums";
  reduce.kernel = integer ? kernels::kSoftmaxStatisticsInteger : kernels::kSoftmaxStatisticsFloat;
  reduce.specialization = {{0, element_type(input.type)}, {1, last_axis ? 1U : 0U}};
  reduce.bindings = {last_axis ? read_quads(x, input.type) : read_scalars(x, input.type), read_write(statistics)};
  NNVK_ASSIGN(reduce.groups, flat_groups(params.slices, kernel_info(reduce.kernel).local_size[0], context.traits));

  Dispatch divide;
  divide.node = context.node_index;
  divide.label = dispatch_label(context);
  divide.kernel = integer ? kernels::kSoftmaxInteger : kernels::kSoftmaxFloat;
  divide.specialization = {{0, element_type(input.type)}, {1, last_axis && params.size % 4 == 0 ? 1U : 0U}};
  divide.bindings = {read_quads(x, input.type), read_words(statistics), write_words(context.output_id(0))};
  divide.set_params(params);
  NNVK_ASSIGN(divide.groups, flat_groups(params.quads, kernel_info(divide.kernel).local_size[0], context.traits));

  if (integer) {
    reduce.bindings.push_back(read_scalars(exponentials, OperandType::kTensorInt32));
    divide.bindings.push_back(read_scalars(exponentials, OperandType::kTensorInt32));
  } else {
    reduce.specialization.push_back({2, log});
    divide.specialization.push_back({2, log});
  }
  // Along the last axis one iteration takes four elements.
  const uint32_t most = kMostElementsPerInvocation * (last_axis ? 4 : 1);
  for (const SliceStep& step : slice_steps(params.size, most, kStepFoldFirst | kStepFoldSecond)) {
    params.begin = step.begin;
    params.end = step.end;
    params.steps = step.flags;
    reduce.set_params(params);
    dispatches.add(reduce);
  }
  dispatches.add(std::move(divide));
  return {};
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kSoftmax, nullptr, emit_softmax},
                                       {OperationCode::kLogSoftmax, nullptr, emit_softmax}};

}  // namespace

std::span<const KernelEmitter> softmax_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
