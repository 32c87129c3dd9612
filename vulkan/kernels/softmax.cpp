// One dispatch computes the largest element and the sum of every slice, a second one the results. Kernels of 8-bit types look the
// exponentials up in a table that core computes.
#include "core/base/quantized_softmax.h"
#include "core/operations/parameters/softmax_parameters.h"
#include "softmax_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/slice_choice.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kStatisticsBytes = 8;  // per slice, see softmax_statistics.comp

Status emit_softmax(const EmitContext& context) {
  const OperandInfo& input = context.input(softmax::kInput);
  const TensorId x = context.input_id(softmax::kInput);
  const uint64_t elements = element_count(input);
  if (elements == 0) return {};
  NNVK_ASSIGN(const SoftmaxParameters p, context.decode(softmax_parameters));
  SoftmaxParams params{};
  params.beta = p.beta;
  params.size = static_cast<uint>(p.split.size);
  params.inner = static_cast<uint>(p.split.inner);
  params.slices = static_cast<uint>(p.split.slices());
  params.quads = static_cast<uint>(divide_up(elements, 4));

  const bool last_axis = params.inner == 1;
  const bool one_slice = last_axis && params.size % 4 == 0;
  const uint type = element_type(input.type);
  const TensorBinding quads = read_quads(x, input.type);
  const TensorBinding elements_of_slices = last_axis ? quads : read_scalars(x, input.type);
  const TensorId statistics = context.dispatches.scratch(params.slices * kStatisticsBytes);
  const TensorBinding y = write_words(context.output_id(softmax::kOutput));

  // Along the last axis, one step processes four elements.
  const uint32_t step_elements = last_axis ? 4 : 1;
  const SliceChoice share = choose_slices(
      {.folds = params.slices, .steps = divide_up(params.size, step_elements), .contiguous = last_axis, .subgroups = true},
      context.traits);
  DispatchOf<SoftmaxParams> reduce;
  DispatchOf<SoftmaxParams> divide;
  if (is_float_tensor(input.type)) {
    const bool logarithm = context.node.code == OperationCode::kLogSoftmax;
    reduce =
        make_dispatch(context, share.subgroups ? kernels::kSoftmaxStatisticsFloatSubgroups : kernels::kSoftmaxStatisticsFloat,
                      {.type = type, .last_axis = last_axis, .lanes = share.lanes, .logarithm = logarithm},
                      {.in_x = elements_of_slices, .out_statistics = read_write(statistics)});
    divide = make_dispatch(context, kernels::kSoftmaxFloat, {.type = type, .one_slice = one_slice, .logarithm = logarithm},
                           {.in_x = quads, .statistics = read_words(statistics), .out_y = y}, params);
  } else {
    NNVK_ASSIGN(const SoftmaxTable table, quantized_softmax_table(input.scale, params.beta));
    const TensorId words = context.dispatches.table("exponentials", to_bytes(std::vector<int32_t>(table.begin(), table.end())));
    const TensorBinding exponentials = read_scalars(words, OperandType::kTensorInt32);
    reduce =
        make_dispatch(context, share.subgroups ? kernels::kSoftmaxStatisticsIntegerSubgroups : kernels::kSoftmaxStatisticsInteger,
                      {.type = type, .last_axis = last_axis, .lanes = share.lanes},
                      {.in_x = elements_of_slices, .out_statistics = read_write(statistics), .exponentials = exponentials});
    divide =
        make_dispatch(context, kernels::kSoftmaxInteger, {.type = type, .one_slice = one_slice},
                      {.in_x = quads, .statistics = read_words(statistics), .out_y = y, .exponentials = exponentials}, params);
  }
  reduce.label += ", sums";
  const uint32_t most = kMostElementsPerInvocation * step_elements * share.lanes;
  const std::vector<SliceStep> steps = slice_steps(params.size, most, kStepFoldFirst | kStepFoldSecond);
  NNVK_TRY(add_steps(context, std::move(reduce), params, share.invocations(params.slices), steps));
  return add_flat(context, std::move(divide), params.quads);
}

}  // namespace

constinit const EmitterRows softmax_emitters = {{OperationCode::kSoftmax, nullptr, emit_softmax},
                                                {OperationCode::kLogSoftmax, nullptr, emit_softmax}};

}  // namespace nnvk::vulkan
