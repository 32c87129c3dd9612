// ARGMAX and ARGMIN along one axis.
#include "argmax_kernels.h"
#include "core/operations/parameters/argmax_parameters.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

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
  auto dispatch = make_dispatch(
      context, is_float_tensor(input.type) ? kernels::kArgmaxFloat : kernels::kArgmaxInteger,
      {.type = element_type(input.type), .operation = operation},
      {.in_x = read_scalars(context.input_id(kInput), input.type), .out_y = read_write(context.output_id(kOutput))});
  return add_steps(context, std::move(dispatch), params, divide_up(results, 4), slice_steps(params.size));
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kArgmax, nullptr, emit_arg}, {OperationCode::kArgmin, nullptr, emit_arg}};

}  // namespace

std::span<const KernelEmitter> argmax_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
