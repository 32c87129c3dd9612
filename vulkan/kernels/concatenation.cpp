// CONCATENATION and PACK: one dispatch per input, all at once where no two of them write to the same word.
#include <string>

#include "core/operations/parameters/data_movement_parameters.h"
#include "core/operations/rules/shape_rules.h"
#include "data_movement_kernels.h"
#include "shaders/data_movement_params.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

// Input i of a concatenation, in the output's quantization: itself, or a scratch tensor.
Result<TensorId> requantized_input(const EmitContext& context, size_t i, DispatchList& dispatches) {
  const OperandInfo& input = context.input(i);
  const OperandInfo& output = context.output(0);
  if (!is_quant8_asymm(input.type) || same_quantization(input, output)) return context.input_id(i);
  return mapped_input(context, dispatches, i, requantization_table(input, output));
}

// Copies rows of `in_row` elements to `start` within the output's rows of `out_row` elements.
Status emit_rows(const EmitContext& context, TensorId input, uint64_t rows, uint64_t in_row, uint64_t out_row, uint64_t start,
                 DispatchList& dispatches) {
  const OperandType raw = raw_element_type(context.output(0).type);
  Dispatch dispatch;
  ConcatenationParams params{};
  params.rows = static_cast<uint>(rows);
  uint64_t unit = 1;
  uint64_t invocations = rows * in_row;
  if (in_row % 4 == 0 && out_row % 4 == 0 && start % 4 == 0) {
    unit = 4;
    invocations /= 4;
    dispatch.kernel = kernels::kConcatenationQuads;
    dispatch.bindings = {read_quads(input, raw), write_words(context.output_id(0))};
    dispatch.specialization = {{0, element_type(raw)}};
  } else if (element_size(raw) == 4) {
    dispatch.kernel = kernels::kConcatenationWords;
    dispatch.bindings = {read_scalars(input, raw), write_words(context.output_id(0))};
  } else {
    const uint64_t end = (rows - 1) * out_row + start + in_row;
    params.first = static_cast<uint>(start / 4);
    invocations = divide_up(end, 4) - start / 4;
    dispatch.kernel = kernels::kConcatenationMerge;
    dispatch.bindings = {read_scalars(input, raw), read_write(context.output_id(0))};
    dispatch.specialization = {{0, element_type(raw)}};
  }
  // The merging kernel rewrites every quad from the first row to the last, whosever it is; the others write their rows only.
  const uint64_t width = element_size(raw);
  dispatch.bindings[1].touched = dispatch.kernel == kernels::kConcatenationMerge
                                     ? TouchedRows{params.first * 4 * width, invocations * 4 * width, 0, 1}
                                     : TouchedRows{start * width, in_row * width, out_row * width, rows};
  params.units = static_cast<uint>(invocations);
  params.in_row = static_cast<uint>(in_row / unit);
  params.out_row = static_cast<uint>(out_row / unit);
  params.start = static_cast<uint>(start / unit);
  dispatch.set_params(params);
  return add_flat_dispatch(context, std::move(dispatch), invocations, dispatches);
}

// What lies outside and inside of an axis.
struct AxisExtents {
  uint64_t rows = 1;
  uint64_t inner = 1;
};
AxisExtents extents_around(const Shape& shape, size_t axis) {
  AxisExtents extents;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (d < axis) extents.rows *= shape[d];
    if (d > axis) extents.inner *= shape[d];
  }
  return extents;
}

Status emit_concatenation(const EmitContext& context, DispatchList& dispatches) {
  const size_t count = context.node.inputs.size() - 1;
  const Shape& output = context.output(0).shape;
  if (element_count(context.output(0)) == 0) return {};
  NNVK_TRY(check_addressable(context.output(0)));
  const auto axis = static_cast<size_t>(context.scalar<int32_t>(count, 0));
  const auto [rows, inner] = extents_around(output, axis);
  uint64_t start = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t in_row = context.input(i).shape[axis] * inner;
    if (in_row == 0) continue;
    NNVK_ASSIGN(const TensorId input, requantized_input(context, i, dispatches));
    NNVK_TRY(emit_rows(context, input, rows, in_row, output[axis] * inner, start, dispatches));
    start += in_row;
  }
  return {};
}

// Input 0 is the axis; each of the others is one slice of it.
Status emit_pack(const EmitContext& context, DispatchList& dispatches) {
  NNVK_TRY(check_addressable(context.output(0)));
  const size_t count = context.node.inputs.size() - 1;
  const auto axis = static_cast<size_t>(context.scalar<int32_t>(0, 0));
  const auto [rows, inner] = extents_around(context.output(0).shape, axis);
  for (size_t i = 0; i < count; ++i) {
    NNVK_TRY(emit_rows(context, context.input_id(i + 1), rows, inner, count * inner, i * inner, dispatches));
  }
  return {};
}

constexpr KernelEmitter kEmitters[] = {{OperationCode::kConcatenation, nullptr, emit_concatenation},
                                       {OperationCode::kPack, nullptr, emit_pack}};

}  // namespace

std::span<const KernelEmitter> concatenation_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
