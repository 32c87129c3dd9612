#include "argmax_kernels.h"
#include "core/operations/parameters/argmax_parameters.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/slice_choice.h"

namespace nnvk::vulkan {
namespace {
using namespace argmax;

Status emit_arg(const EmitContext& context) {
  const OperandInfo& input = context.input(kInput);
  NNVK_ASSIGN(const AxisSplit slices, context.decode(argmax_slices));
  ArgmaxParams params{};
  params.size = static_cast<uint>(slices.size);
  params.inner = static_cast<uint>(slices.inner);
  const uint64_t results = element_count(context.output(kOutput));
  params.results = static_cast<uint>(results);
  const uint operation = context.node.code == OperationCode::kArgmin ? kArgmaxSmallest : kArgmaxLargest;
  const SliceChoice share =
      choose_slices({.folds = results, .steps = params.size, .contiguous = params.inner == 1, .subgroups = true}, context.traits);
  const auto floats = share.subgroups ? kernels::kArgmaxFloatSubgroups : kernels::kArgmaxFloat;
  const auto integers = share.subgroups ? kernels::kArgmaxIntegerSubgroups : kernels::kArgmaxInteger;
  auto dispatch = make_dispatch(
      context, is_float_tensor(input.type) ? floats : integers,
      {.type = element_type(input.type), .operation = operation, .lanes = share.lanes},
      {.in_x = read_scalars(context.input_id(kInput), input.type), .out_y = read_write(context.output_id(kOutput))});
  // Without sharing, an invocation scans for four results.
  const uint64_t invocations = share.lanes == 1 ? divide_up(results, 4) : share.invocations(results);
  return add_steps(context, std::move(dispatch), params, invocations,
                   slice_steps(params.size, kMostElementsPerInvocation * share.lanes));
}

}  // namespace

constinit const EmitterRows argmax_emitters = {{OperationCode::kArgmax, nullptr, emit_arg},
                                               {OperationCode::kArgmin, nullptr, emit_arg}};

}  // namespace nnvk::vulkan
