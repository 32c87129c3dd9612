// SELECT first converts 8-bit operands to the output's quantization. Kernels move elements by their width, whatever their type.
#include "core/operations/parameters/quantized_unary.h"
#include "core/operations/parameters/select_parameters.h"
#include "select_kernels.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/strided_move.h"

namespace nnvk::vulkan {
namespace {
using namespace select;

Status emit_select(const EmitContext& context) {
  const OperandInfo& output = context.output(kOutput);
  TensorId x = context.input_id(kFirst);
  TensorId y = context.input_id(kSecond);
  if (is_quant8_asymm(output.type)) {
    NNVK_ASSIGN(x, mapped_input(context, kFirst, requantized_bytes(context.input(kFirst), output)));
    NNVK_ASSIGN(y, mapped_input(context, kSecond, requantized_bytes(context.input(kSecond), output)));
  }
  const OperandType raw = raw_element_type(output.type);
  const uint64_t quads = divide_up(element_count(output), 4);
  auto dispatch = make_dispatch(context, kernels::kSelect, {.type = element_type(raw)},
                                {.in_mask = read_quads(context.input_id(kMask), OperandType::kTensorBool8),
                                 .in_x = read_quads(x, raw),
                                 .in_y = read_quads(y, raw),
                                 .out_z = write_words(context.output_id(kOutput))},
                                {static_cast<uint>(quads)});
  return add_flat(context, std::move(dispatch), quads);
}

}  // namespace

constinit const EmitterRows select_emitters = {{OperationCode::kSelect, nullptr, emit_select}};

}  // namespace nnvk::vulkan
