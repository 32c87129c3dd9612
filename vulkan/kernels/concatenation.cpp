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

// Input i of a concatenation, in the output's quantization: itself, or a scratch tensor.
Result<TensorId> requantized_input(const EmitContext& context, size_t i, DispatchList& dispatches) {
  const OperandInfo& input = context.input(i);
  const OperandInfo& output = context.output(kOutput);
  if (!is_quant8_asymm(input.type) || same_quantization(input, output)) return context.input_id(i);
  return mapped_input(context, dispatches, i, requantization_table(input, output));
}

// Copies rows of `in_row` elements to `start` within the output's rows of `out_row` elements.
Status emit_rows(const EmitContext& context, TensorId input, uint64_t rows, uint64_t in_row, uint64_t out_row, uint64_t start,
                 DispatchList& dispatches) {
  const OperandType raw = raw_element_type(context.output(kOutput).type);
  const uint type = element_type(raw);
  const uint64_t width = element_size(raw);
  const bool quads = in_row % 4 == 0 && out_row % 4 == 0 && start % 4 == 0;
  const uint64_t unit = quads ? 4 : 1;
  ConcatenationParams params{};
  params.rows = static_cast<uint>(rows);
  params.in_row = static_cast<uint>(in_row / unit);
  params.out_row = static_cast<uint>(out_row / unit);
  params.start = static_cast<uint>(start / unit);
  const TensorBinding x = read_elements(input, raw, quads);
  if (!quads && width != 4) {
    // The merging kernel rewrites every quad from the first row to the last, whosever it is; the others write their rows only.
    params.first = static_cast<uint>(start / 4);
    params.units = static_cast<uint>(divide_up((rows - 1) * out_row + start + in_row, 4) - start / 4);
    TensorBinding y = read_write(context.output_id(kOutput));
    y.touched = {params.first * 4 * width, params.units * 4 * width, 0, 1};
    auto dispatch = make_dispatch(context, kernels::kConcatenationMerge, {.type = type}, {.in_x = x, .out_y = y}, params);
    return add_flat(context, std::move(dispatch), params.units, dispatches);
  }
  params.units = static_cast<uint>(rows * in_row / unit);
  TensorBinding y = write_words(context.output_id(kOutput));
  y.touched = {start * width, in_row * width, out_row * width, rows};
  auto dispatch = quads ? make_dispatch(context, kernels::kConcatenationQuads, {.type = type}, {.in_x = x, .out_y = y}, params)
                        : make_dispatch(context, kernels::kConcatenationWords, {}, {.in_x = x, .out_y = y}, params);
  return add_flat(context, std::move(dispatch), params.units, dispatches);
}

Status emit_concatenation(const EmitContext& context, DispatchList& dispatches) {
  const Shape& output = context.output(kOutput).shape;
  if (element_count(context.output(kOutput)) == 0) return {};
  NNVK_TRY(check_addressable(context.output(kOutput)));
  const JoinedInputs tensors = context.decode(joined_inputs);
  NNVK_ASSIGN(const uint32_t axis, context.decode(joined_axis));
  const auto [rows, size, inner] = split_at_axis(output, axis);
  uint64_t start = 0;
  for (size_t i = tensors.first; i < tensors.end; ++i) {
    const uint64_t in_row = context.input(i).shape[axis] * inner;
    if (in_row == 0) continue;
    NNVK_ASSIGN(const TensorId input, requantized_input(context, i, dispatches));
    NNVK_TRY(emit_rows(context, input, rows, in_row, size * inner, start, dispatches));
    start += in_row;
  }
  return {};
}

// Each tensor is one slice of the axis.
Status emit_pack(const EmitContext& context, DispatchList& dispatches) {
  NNVK_TRY(check_addressable(context.output(kOutput)));
  const JoinedInputs tensors = context.decode(joined_inputs);
  NNVK_ASSIGN(const uint32_t axis, context.decode(joined_axis));
  const auto [rows, count, inner] = split_at_axis(context.output(kOutput).shape, axis);
  for (size_t i = 0; i < count; ++i) {
    NNVK_TRY(emit_rows(context, context.input_id(tensors.first + i), rows, inner, count * inner, i * inner, dispatches));
  }
  return {};
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kConcatenation, nullptr, emit_concatenation},
                                       {OperationCode::kPack, nullptr, emit_pack}};

}  // namespace

std::span<const KernelEmitter> concatenation_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
