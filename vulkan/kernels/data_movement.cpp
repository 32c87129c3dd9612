// RESHAPE, SQUEEZE, TRANSPOSE, SLICE, STRIDED_SLICE, PAD, PAD_V2, CONCATENATION. Elements are moved by their width, whatever
// their type.
#include "shaders/data_movement_params.h"

#include <limits>
#include <string>

#include "cast_quantize_kernels.h"
#include "core/operations/data_movement_parameters.h"
#include "core/operations/shape_rules.h"
#include "data_movement_kernels.h"
#include "shaders/cast_quantize_params.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/strided_move.h"

namespace nnvk::vulkan {
namespace {

constexpr size_t kMaximumRank = 8;        // strides that fit the push constants
constexpr size_t kMaximumPaddedRank = 4;  // of PAD and PAD_V2

// Elements between neighbours of each dimension.
std::vector<int64_t> dense_strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (size_t d = shape.rank(); d-- > 1;) strides[d - 1] = strides[d] * static_cast<int64_t>(shape[d]);
  return strides;
}

// Kernels index elements with 32-bit signed numbers.
Status check_addressable(const OperandInfo& info) {
  if (element_count(info) <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return {};
  return fail(Code::kOpFailed,
              "a tensor of " + std::to_string(element_count(info)) + " elements is larger than the kernels address");
}

Status add_dispatch(const EmitContext& context, Dispatch dispatch, uint64_t invocations, DispatchList& dispatches) {
  dispatch.node = context.node_index;
  dispatch.label = dispatch_label(context);
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  dispatches.add(std::move(dispatch));
  return {};
}

Status emit_move(const EmitContext& context, const std::vector<MoveAxis>& axes, int64_t first, int32_t fill,
                 DispatchList& dispatches) {
  NNVK_TRY(check_addressable(context.input(0)));
  NNVK_TRY(check_addressable(context.output(0)));
  const StridedMove move = plan_move(axes, first);
  const bool padded = move.padded();
  if (move.axes.size() > (padded ? kMaximumPaddedRank : kMaximumRank)) {
    return fail(Code::kOpFailed,
                "more than " + std::to_string(padded ? kMaximumPaddedRank : kMaximumRank) + " separate dimensions");
  }
  const uint64_t elements = element_count(context.output(0));
  MoveParams params{};
  params.units = static_cast<uint>(move.by_quads ? elements / 4 : elements);
  params.offset = static_cast<int>(move.offset);
  params.fill = fill;
  for (size_t d = 0; d < move.axes.size(); ++d) {
    const MoveAxis& axis = move.axes[d];
    if (d + 1 < move.axes.size()) params.dims[d] = axis.size;
    params.strides[d] = static_cast<int>(axis.stride);
    if (!padded) continue;
    params.begins[d] = axis.begin;
    params.sizes[d] = axis.inside;
  }
  const OperandType raw = raw_element_type(context.output(0).type);
  Dispatch dispatch;
  dispatch.kernel = move.by_quads ? kernels::kMoveQuads : kernels::kMoveElements;
  dispatch.specialization = {
      {0, element_type(raw)}, {1, static_cast<uint32_t>(move.axes.size())}, {2, static_cast<uint32_t>(padded)}};
  dispatch.bindings = {move.by_quads ? read_quads(context.input_id(0), raw) : read_scalars(context.input_id(0), raw),
                       write_words(context.output_id(0))};
  dispatch.set_params(params);
  return add_dispatch(context, std::move(dispatch), divide_up(elements, 4), dispatches);
}

// RESHAPE and SQUEEZE that could not become views.
Status emit_copy(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& output = context.output(0);
  const uint64_t blocks = divide_up(element_count(output) * element_size(output.type), 16);
  if (blocks == 0) return {};
  Dispatch dispatch;
  dispatch.kernel = kernels::kCopyBlocks;
  dispatch.bindings = {read_bytes16(context.input_id(0)), write_words(context.output_id(0))};
  dispatch.set_params(CastParams{static_cast<uint>(blocks), 1.0F, 0, 1, 1});
  return add_dispatch(context, std::move(dispatch), blocks, dispatches);
}

Status emit_transpose(const EmitContext& context, DispatchList& dispatches) {
  if (element_count(context.output(0)) == 0) return {};
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<uint32_t> permutation, transpose_permutation(view.view()));
  const Shape& input = context.input(0).shape;
  const std::vector<int64_t> strides = dense_strides(input);
  std::vector<MoveAxis> axes;
  for (const uint32_t from : permutation) axes.push_back({input[from], strides[from], 0, input[from]});
  return emit_move(context, axes, 0, 0, dispatches);
}

Status emit_slice(const EmitContext& context, DispatchList& dispatches) {
  if (element_count(context.output(0)) == 0) return {};
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<SliceAxis> slices, slice_axes(view.view()));
  const std::vector<int64_t> strides = dense_strides(context.input(0).shape);
  std::vector<MoveAxis> axes;
  int64_t first = 0;
  for (size_t d = 0; d < slices.size(); ++d) {
    first += slices[d].begin * strides[d];
    // A dimension of length 1 is never stepped through; its stride could be larger than 32 bits.
    const int64_t stride = slices[d].length == 1 ? 0 : slices[d].stride * strides[d];
    axes.push_back({slices[d].length, stride, 0, slices[d].length});
  }
  return emit_move(context, axes, first, 0, dispatches);
}

// The element that PAD or PAD_V2 adds, as a raw integer of the element's width.
int32_t padding_element(const EmitContext& context) {
  const OperandType type = context.input(0).type;
  if (context.node.code == OperationCode::kPad) return is_quant8_asymm(type) ? context.input(0).zero_point : 0;
  if (type == OperandType::kTensorFloat16) return context.scalar<int16_t>(2, 0);
  return context.scalar<int32_t>(2, 0);  // bits of a FLOAT32, or an 8-bit element in the low byte
}

Status emit_pad(const EmitContext& context, DispatchList& dispatches) {
  const Shape& input = context.input(0).shape;
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<PaddingPair> pairs, padding_pairs(view.view(), 1, input.rank()));
  const std::vector<int64_t> strides = dense_strides(input);
  std::vector<MoveAxis> axes;
  for (size_t d = 0; d < input.rank(); ++d) {
    axes.push_back({pairs[d].before + input[d] + pairs[d].after, strides[d], pairs[d].before, input[d]});
  }
  return emit_move(context, axes, 0, padding_element(context), dispatches);
}

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
  params.units = static_cast<uint>(invocations);
  params.in_row = static_cast<uint>(in_row / unit);
  params.out_row = static_cast<uint>(out_row / unit);
  params.start = static_cast<uint>(start / unit);
  dispatch.set_params(params);
  return add_dispatch(context, std::move(dispatch), invocations, dispatches);
}

Status emit_concatenation(const EmitContext& context, DispatchList& dispatches) {
  const size_t count = context.node.inputs.size() - 1;
  const Shape& output = context.output(0).shape;
  if (element_count(context.output(0)) == 0) return {};
  NNVK_TRY(check_addressable(context.output(0)));
  const auto axis = static_cast<size_t>(context.scalar<int32_t>(count, 0));
  uint64_t rows = 1;
  uint64_t inner = 1;
  for (size_t d = 0; d < output.rank(); ++d) {
    if (d < axis) rows *= output[d];
    if (d > axis) inner *= output[d];
  }
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

// Only SLICE takes tensors of any rank.
Status support_slice(const Plan& plan, const PlanNode& node, const DeviceTraits&) {
  const Shape& shape = plan.tensors[node.inputs[0]].info.shape;
  if (shape.rank_known && shape.rank() <= kMaximumRank) return {};
  return fail(Code::kOpFailed, "SLICE of an unknown rank or of a rank above 8 is not supported");
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kReshape, nullptr, emit_copy},        {OperationCode::kSqueeze, nullptr, emit_copy},
    {OperationCode::kTranspose, nullptr, emit_transpose}, {OperationCode::kSlice, support_slice, emit_slice},
    {OperationCode::kStridedSlice, nullptr, emit_slice},  {OperationCode::kPad, nullptr, emit_pad},
    {OperationCode::kPadV2, nullptr, emit_pad},           {OperationCode::kConcatenation, nullptr, emit_concatenation},
};

}  // namespace

std::span<const KernelEmitter> data_movement_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
