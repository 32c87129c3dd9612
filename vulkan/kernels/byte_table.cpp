// Look-ups of bytes, by the table kernel of the unary family.
#include "vulkan/kernels/byte_table.h"

#include "unary_kernels.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kBytesPerInvocation = 16;

bool changes_nothing(const ByteTable& table) {
  for (size_t byte = 0; byte < table.size(); ++byte) {
    if (table[byte] != byte) return false;
  }
  return true;
}

}  // namespace

Status emit_byte_table(const EmitContext& context, DispatchList& dispatches, const std::string& key, const ByteTable& table,
                       TensorId input, TensorId output, uint64_t elements) {
  const TensorId lookup =
      dispatches.table(context.node_index, key, [&] { return to_bytes(std::vector<uint32_t>(table.begin(), table.end())); });
  const uint64_t invocations = divide_up(elements, kBytesPerInvocation);
  auto dispatch = make_dispatch(
      context, kernels::kUnaryTable, {},
      {.in_x = read_bytes16(input), .lookup = read_scalars(lookup, OperandType::kTensorInt32), .out_y = write_words(output)},
      {static_cast<uint>(invocations), 0.0F});
  return add_flat(context, std::move(dispatch), invocations, dispatches);
}

Result<TensorId> mapped_input(const EmitContext& context, DispatchList& dispatches, size_t i, const ByteTable& table) {
  if (changes_nothing(table)) return context.input_id(i);
  const uint64_t elements = element_count(context.input(i));
  const TensorId mapped = dispatches.scratch(divide_up(elements, kBytesPerInvocation) * kBytesPerInvocation);
  NNVK_TRY(emit_byte_table(context, dispatches, "lookup" + std::to_string(i), table, context.input_id(i), mapped, elements));
  return mapped;
}

}  // namespace nnvk::vulkan
