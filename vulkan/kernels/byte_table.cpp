#include "vulkan/kernels/byte_table.h"

#include <string>
#include <vector>

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

// The tensors of a look-up and their bytes. The last invocation also processes the padding.
struct Bytes {
  TensorId from = kNoTensor;
  TensorId to = kNoTensor;
  uint64_t count = 0;
};

// Adds the dispatch that looks bytes up. `key` names the table within the node.
Status look_up(const EmitContext& context, const std::string& key, const ByteTable& table, const Bytes& bytes) {
  const TensorId lookup = context.dispatches.table(key, to_bytes(std::vector<uint32_t>(table.begin(), table.end())));
  const uint64_t invocations = divide_up(bytes.count, kBytesPerInvocation);
  auto dispatch = make_dispatch(context, kernels::kUnaryTable, {},
                                {.in_x = read_bytes16(bytes.from),
                                 .lookup = read_scalars(lookup, OperandType::kTensorInt32),
                                 .out_y = write_words(bytes.to)},
                                {static_cast<uint>(invocations), 0.0F});
  return add_flat(context, std::move(dispatch), invocations);
}

}  // namespace

Status emit_byte_table(const EmitContext& context, const ByteTable& table) {
  const uint64_t count = element_count(context.output(kFirstOutput));
  return look_up(context, "lookup", table, {context.input_id(kFirstInput), context.output_id(kFirstOutput), count});
}

Result<TensorId> mapped_input(const EmitContext& context, size_t i, const ByteTable& table) {
  if (changes_nothing(table)) return context.input_id(i);
  const uint64_t count = element_count(context.input(i));
  const TensorId mapped = context.dispatches.scratch(divide_up(count, kBytesPerInvocation) * kBytesPerInvocation);
  NNVK_TRY(look_up(context, "lookup" + std::to_string(i), table, {context.input_id(i), mapped, count}));
  return mapped;
}

}  // namespace nnvk::vulkan
