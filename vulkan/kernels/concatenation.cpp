// CONCATENATION and PACK: one dispatch per input, all at once where no two of them write to the same word.
#include "core/operations/parameters/axis_split.h"
#include "core/operations/parameters/concatenation_parameters.h"
#include "core/operations/rules/shape_rules.h"
#include "data_movement_kernels.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {
using namespace concatenation;

// Input i in the output's quantization: itself, or a scratch tensor. PACK has all inputs in it.
Result<TensorId> requantized_input(const EmitContext& context, size_t i) {
  const OperandInfo& input = context.input(i);
  const OperandInfo& output = context.output(kOutput);
  if (!is_quant8_asymm(input.type) || same_quantization(input, output)) return context.input_id(i);
  return mapped_input(context, i, requantization_table(input, output));
}

// Where the elements of an input go: `count` rows of `size` of them, `stride` apart in the output, the first at `start`.
struct Rows {
  uint64_t count = 0;
  uint64_t size = 0;
  uint64_t stride = 0;
  uint64_t start = 0;
};

Status emit_rows(const EmitContext& context, TensorId input, const Rows& rows) {
  const OperandType raw = raw_element_type(context.output(kOutput).type);
  const uint type = element_type(raw);
  const uint64_t width = element_size(raw);
  const bool quads = rows.size % 4 == 0 && rows.stride % 4 == 0 && rows.start % 4 == 0;
  const uint64_t unit = quads ? 4 : 1;
  ConcatenationParams params{};
  params.rows = static_cast<uint>(rows.count);
  params.in_row = static_cast<uint>(rows.size / unit);
  params.out_row = static_cast<uint>(rows.stride / unit);
  params.start = static_cast<uint>(rows.start / unit);
  const TensorBinding x = read_elements(input, raw, quads);
  if (!quads && width != 4) {
    // The merging kernel rewrites every quad from the first row to the last, whosever it is; the others write their rows only.
    params.first = static_cast<uint>(rows.start / 4);
    const uint64_t end = (rows.count - 1) * rows.stride + rows.start + rows.size;
    params.units = static_cast<uint>(divide_up(end, 4) - rows.start / 4);
    TensorBinding y = read_write(context.output_id(kOutput));
    y.touched = {uint64_t{params.first} * 4 * width, uint64_t{params.units} * 4 * width, 0, 1};
    auto dispatch = make_dispatch(context, kernels::kConcatenationMerge, {.type = type}, {.in_x = x, .out_y = y}, params);
    return add_flat(context, std::move(dispatch), params.units);
  }
  params.units = static_cast<uint>(rows.count * rows.size / unit);
  TensorBinding y = write_words(context.output_id(kOutput));
  y.touched = {rows.start * width, rows.size * width, rows.stride * width, rows.count};
  auto dispatch = quads ? make_dispatch(context, kernels::kConcatenationQuads, {.type = type}, {.in_x = x, .out_y = y}, params)
                        : make_dispatch(context, kernels::kConcatenationWords, {}, {.in_x = x, .out_y = y}, params);
  return add_flat(context, std::move(dispatch), params.units);
}

Status emit_joined(const EmitContext& context) {
  const OperandInfo& output = context.output(kOutput);
  if (element_count(output) == 0) return {};
  NNVK_TRY(check_addressable(output));
  const JoinedInputs tensors = context.decode(joined_inputs);
  NNVK_ASSIGN(const uint32_t axis, context.decode(joined_axis));
  const AxisSplit split = split_at_axis(output.shape, axis);
  Rows rows{.count = split.outer, .stride = split.size * split.inner};
  for (size_t i = tensors.first; i < tensors.end; ++i, rows.start += rows.size) {
    rows.size = element_count(context.input(i)) / rows.count;
    if (rows.size == 0) continue;
    NNVK_ASSIGN(const TensorId input, requantized_input(context, i));
    NNVK_TRY(emit_rows(context, input, rows));
  }
  return {};
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kConcatenation, nullptr, emit_joined},
                                       {OperationCode::kPack, nullptr, emit_joined}};

}  // namespace

std::span<const KernelEmitter> concatenation_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
