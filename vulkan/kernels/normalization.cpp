// L2_NORMALIZATION and INSTANCE_NORMALIZATION: one dispatch for the statistics of every slice, one for the elements.
// LOCAL_RESPONSE_NORMALIZATION: one dispatch, which reads the neighbours of every element.
#include <string>

#include "core/operations/parameters/normalization_parameters.h"
#include "normalization_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/slice_choice.h"

namespace nnvk::vulkan {
namespace {

// The most neighbours on either side that one LOCAL_RESPONSE_NORMALIZATION dispatch reads; see bounded_work.h.
constexpr uint32_t kMostNeighbours = kMostElementsPerInvocation;
constexpr uint64_t kStatisticsBytes = 8;  // per slice, see normalization_statistics.comp

// Emits a normalization of slices. L2_NORMALIZATION has neither scale nor shift: `p` keeps their defaults.
Status emit_slices(const EmitContext& context, const InstanceNormalizationParameters& p, uint operation) {
  const OperandInfo& input = context.input(kFirstInput);
  NormalizationParams params{};
  params.slices = static_cast<uint>(p.slices.slices());
  params.size = static_cast<uint>(p.slices.size);
  params.inner = static_cast<uint>(p.slices.inner);
  params.quads = static_cast<uint>(divide_up(element_count(input), 4));
  params.gamma = p.gamma;
  params.beta = p.beta;
  params.epsilon = p.epsilon;
  params.zero_point = input.zero_point;

  const uint type = element_type(input.type);
  const TensorId x = context.input_id(kFirstInput);
  const TensorBinding elements = read_scalars(x, input.type);
  const TensorBinding quads = read_quads(x, input.type);
  const TensorBinding y = write_words(context.output_id(kFirstOutput));
  const TensorId words = context.dispatches.scratch(params.slices * kStatisticsBytes);
  const TensorBinding statistics = read_write(words);
  const SliceChoice share = choose_slices(
      {.folds = params.slices, .steps = params.size, .contiguous = params.inner == 1, .subgroups = true}, context.traits);
  DispatchOf<NormalizationParams> reduce;
  DispatchOf<NormalizationParams> apply;
  if (is_float_tensor(input.type)) {
    reduce = make_dispatch(
        context, share.subgroups ? kernels::kNormalizationStatisticsFloatSubgroups : kernels::kNormalizationStatisticsFloat,
        {.type = type, .lanes = share.lanes, .operation = operation}, {.in_x = elements, .out_statistics = statistics});
    apply = make_dispatch(context, kernels::kNormalizationFloat, {.type = type},
                          {.in_x = quads, .statistics = read_words(words), .out_y = y}, params);
  } else {
    reduce = make_dispatch(
        context, share.subgroups ? kernels::kNormalizationStatisticsIntegerSubgroups : kernels::kNormalizationStatisticsInteger,
        {.type = type, .lanes = share.lanes}, {.in_x = elements, .out_statistics = statistics});
    apply = make_dispatch(context, kernels::kNormalizationInteger, {.type = type, .last_axis = p.slices.inner == 1},
                          {.in_x = quads, .statistics = read_words(words), .out_y = y}, params);
  }
  reduce.label += ", statistics";
  const uint32_t folds = operation == kNormalizationInstance ? kStepFoldFirst | kStepFoldSecond : kStepFoldSecond;
  const std::vector<SliceStep> steps = slice_steps(params.size, kMostElementsPerInvocation * share.lanes, folds);
  NNVK_TRY(add_steps(context, std::move(reduce), params, share.invocations(params.slices), steps));
  return add_flat(context, std::move(apply), params.quads);
}

Status emit_l2(const EmitContext& context) {
  NNVK_ASSIGN(const AxisSplit slices, context.decode(l2_normalization_slices));
  return emit_slices(context, {.slices = slices}, kNormalizationL2);
}

Status emit_instance(const EmitContext& context) {
  NNVK_ASSIGN(const InstanceNormalizationParameters p, context.decode(instance_normalization_parameters));
  return emit_slices(context, p, kNormalizationInstance);
}

Status emit_local_response(const EmitContext& context) {
  using namespace local_response_normalization;
  NNVK_ASSIGN(const LocalResponseParameters p, context.decode(local_response_parameters));
  if (p.radius > kMostNeighbours) {
    return beyond_device("a radius of " + std::to_string(p.radius) + " elements is more than this device looks at");
  }
  const OperandInfo& input = context.input(kInput);
  LocalResponseParams params{};
  params.elements = static_cast<uint>(element_count(input));
  params.size = static_cast<uint>(p.slices.size);
  params.inner = static_cast<uint>(p.slices.inner);
  params.radius = p.radius;
  params.bias = p.bias;
  params.alpha = p.alpha;
  params.beta = p.beta;
  auto dispatch = make_dispatch(
      context, kernels::kLocalResponse, {.type = element_type(input.type)},
      {.in_x = read_scalars(context.input_id(kInput), input.type), .out_y = write_words(context.output_id(kOutput))}, params);
  return add_flat(context, std::move(dispatch), divide_up(params.elements, 4));
}

}  // namespace

constinit const EmitterRows normalization_emitters = {
    {OperationCode::kL2Normalization, nullptr, emit_l2},
    {OperationCode::kInstanceNormalization, nullptr, emit_instance},
    {OperationCode::kLocalResponseNormalization, nullptr, emit_local_response},
};

}  // namespace nnvk::vulkan
