// SELECT: bytes are brought to the output's quantization before one of two is chosen; everything else moves by its width.
#include "core/operations/parameters/quantized_unary.h"
#include "select_kernels.h"
#include "shaders/select_params.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/strided_move.h"

namespace nnvk::vulkan {
namespace {

Status emit_select(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& output = context.output(0);
  TensorId x = context.input_id(1);
  TensorId y = context.input_id(2);
  if (is_quant8_asymm(output.type)) {
    NNVK_ASSIGN(x, mapped_input(context, dispatches, 1, requantized_bytes(context.input(1), output)));
    NNVK_ASSIGN(y, mapped_input(context, dispatches, 2, requantized_bytes(context.input(2), output)));
  }
  const OperandType raw = raw_element_type(output.type);
  Dispatch dispatch;
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  dispatch.kernel = kernels::kSelect;
  dispatch.specialization = {{0, element_type(raw)}};
  dispatch.bindings = {read_quads(context.input_id(0), OperandType::kTensorBool8), read_quads(x, raw), read_quads(y, raw),
                       write_words(context.output_id(0))};
  const SelectParams params{static_cast<uint>(divide_up(element_count(output), 4))};
  dispatch.set_params(params);
  NNVK_ASSIGN(dispatch.groups, flat_groups(params.quads, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kSelect, nullptr, emit_select}};

}  // namespace

std::span<const KernelEmitter> select_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
