// RELU, RELU1, RELU6, LOGISTIC, TANH, HARD_SWISH: floats are computed, 8-bit types look up a table made by core.
#include "shaders/unary_params.h"

#include "core/base/quantized_unary.h"
#include "unary_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {

uint operation_constant(OperationCode code) {
  switch (code) {
    case OperationCode::kRelu:
      return kUnaryRelu;
    case OperationCode::kRelu1:
      return kUnaryRelu1;
    case OperationCode::kRelu6:
      return kUnaryRelu6;
    case OperationCode::kLogistic:
      return kUnaryLogistic;
    case OperationCode::kTanh:
      return kUnaryTanh;
    default:
      return kUnaryHardSwish;
  }
}

Status emit_unary(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& input = context.input(0);
  const uint64_t elements = element_count(context.output(0));
  if (elements == 0) return {};
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  uint64_t invocations = 0;
  if (is_float_tensor(input.type)) {
    dispatch.kernel = kernels::kUnaryFloat;
    dispatch.specialization = {{0, element_type(input.type)}, {1, operation_constant(context.node.code)}};
    dispatch.bindings = {read_quads(context.input_id(0), input.type), write_words(context.output_id(0))};
    invocations = divide_up(elements, 4);
  } else {
    NNVK_ASSIGN(const ByteTable table, quantized_unary_table(context.node.code, input, context.output(0)));
    const TensorId lookup = dispatches.table(context.node_index, "lookup",
                                             [&] { return to_bytes(std::vector<uint32_t>(table.begin(), table.end())); });
    dispatch.kernel = kernels::kUnaryTable;
    dispatch.bindings = {read_bytes16(context.input_id(0)), read_scalars(lookup, OperandType::kTensorInt32),
                         write_words(context.output_id(0))};
    invocations = divide_up(elements, 16);
  }
  dispatch.set_params(UnaryParams{static_cast<uint>(invocations)});
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kRelu, nullptr, emit_unary},  {OperationCode::kRelu1, nullptr, emit_unary},
    {OperationCode::kRelu6, nullptr, emit_unary}, {OperationCode::kLogistic, nullptr, emit_unary},
    {OperationCode::kTanh, nullptr, emit_unary},  {OperationCode::kHardSwish, nullptr, emit_unary},
};

}  // namespace

std::span<const KernelEmitter> unary_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
