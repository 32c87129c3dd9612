// RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, SLICE, STRIDED_SLICE, PAD, PAD_V2, MIRROR_PAD, SPLIT, TILE, REVERSE, FILL and RANK.
// Elements are moved by their width, whatever their type.
#include "cast_quantize_kernels.h"
#include "core/operations/parameters/data_movement_parameters.h"
#include "data_movement_kernels.h"
#include "shaders/cast_quantize_params.h"
#include "shaders/data_movement_params.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

// A copy of input 0 to output 0 along these axes.
Status emit_moved(const EmitContext& context, std::vector<MoveAxis> axes, int64_t first, int32_t fill, DispatchList& dispatches) {
  NNVK_TRY(check_addressable(context.input(0)));
  NNVK_TRY(check_addressable(context.output(0)));
  const Move move{context.input_id(0), context.output_id(0), context.output(0).type, std::move(axes), first, fill};
  return emit_move(context, move, dispatches);
}

// RESHAPE, SQUEEZE and EXPAND_DIMS that could not become views.
Status emit_copy(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& output = context.output(0);
  const uint64_t blocks = divide_up(element_count(output) * element_size(output.type), 16);
  if (blocks == 0) return {};
  Dispatch dispatch;
  dispatch.kernel = kernels::kCopyBlocks;
  dispatch.bindings = {read_bytes16(context.input_id(0)), write_words(context.output_id(0))};
  dispatch.set_params(CastParams{static_cast<uint>(blocks), 1.0F, 0, 1, 1});
  return add_flat_dispatch(context, std::move(dispatch), blocks, dispatches);
}

Status emit_transpose(const EmitContext& context, DispatchList& dispatches) {
  if (element_count(context.output(0)) == 0) return {};
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<uint32_t> permutation, transpose_permutation(view.view()));
  const Shape& input = context.input(0).shape;
  const std::vector<int64_t> strides = row_major_strides(input);
  std::vector<MoveAxis> axes;
  for (const uint32_t from : permutation) axes.push_back({input[from], strides[from], 0, input[from]});
  return emit_moved(context, std::move(axes), 0, 0, dispatches);
}

Status emit_slice(const EmitContext& context, DispatchList& dispatches) {
  if (element_count(context.output(0)) == 0) return {};
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<SliceAxis> slices, slice_axes(view.view()));
  const std::vector<int64_t> strides = row_major_strides(context.input(0).shape);
  std::vector<MoveAxis> axes;
  int64_t first = 0;
  for (size_t d = 0; d < slices.size(); ++d) {
    first += slices[d].begin * strides[d];
    // A dimension of length 1 is never stepped through; its stride could be larger than 32 bits.
    const int64_t stride = slices[d].length == 1 ? 0 : slices[d].stride * strides[d];
    axes.push_back({slices[d].length, stride, 0, slices[d].length});
  }
  return emit_moved(context, std::move(axes), first, 0, dispatches);
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
  const std::vector<int64_t> strides = row_major_strides(input);
  std::vector<MoveAxis> axes;
  for (size_t d = 0; d < input.rank(); ++d) {
    axes.push_back({pairs[d].before + input[d] + pairs[d].after, strides[d], pairs[d].before, input[d]});
  }
  return emit_moved(context, std::move(axes), 0, padding_element(context), dispatches);
}

// A copy whose borders mirror; dimensions that stay as they are merge with their neighbours.
Status emit_mirror_pad(const EmitContext& context, DispatchList& dispatches) {
  NNVK_TRY(check_addressable(context.input(0)));
  NNVK_TRY(check_addressable(context.output(0)));
  const Shape& input = context.input(0).shape;
  const Shape& output = context.output(0).shape;
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<PaddingPair> pairs, padding_pairs(view.view(), 1, input.rank()));
  const int32_t border = context.scalar<int32_t>(2, 0) == 0 ? kBorderReflect : kBorderSymmetric;
  const std::vector<int64_t> strides = row_major_strides(input);
  Move ends{context.input_id(0), context.output_id(0), context.output(0).type, {}, 0, 0};
  std::vector<TableAxis> axes;
  for (size_t d = input.rank(); d-- > 0;) {
    const MoveAxis axis{output[d], strides[d], pairs[d].before, input[d]};
    ends.axes.push_back(axis);
    const bool plain = axis.size == axis.inside;
    if (plain && !axes.empty() && axes.back().axis.size == axes.back().axis.inside) {
      axes.back().axis.size *= axis.size;
      axes.back().axis.inside *= axis.size;
    } else {
      axes.push_back({axis, border});
    }
  }
  return emit_table_move(context, ends, axes, dispatches);
}

Status emit_split(const EmitContext& context, DispatchList& dispatches) {
  NNVK_TRY(check_addressable(context.input(0)));
  const NodeView view = context.resolution.view(context.plan, context.node);
  for (size_t part = 0; part < context.node.outputs.size(); ++part) {
    NNVK_ASSIGN(const Rearrangement walk, split_part(view.view(), part));
    NNVK_TRY(emit_rearranged(context, context.input_id(0), context.output_id(part), context.input(0).type, walk, dispatches));
  }
  return {};
}

// Writes one element of `width` bytes to the whole of output 0.
Status emit_value(const EmitContext& context, uint32_t element, size_t width, DispatchList& dispatches) {
  const uint64_t blocks = divide_up(element_count(context.output(0)) * width, 16);
  if (blocks == 0) return {};
  Dispatch dispatch;
  dispatch.kernel = kernels::kFill;
  dispatch.bindings = {write_words(context.output_id(0))};
  dispatch.set_params(FillParams{static_cast<uint>(blocks), width == 2 ? element << 16 | (element & 0xFFFFU) : element});
  return add_flat_dispatch(context, std::move(dispatch), blocks, dispatches);
}

Status emit_fill(const EmitContext& context, DispatchList& dispatches) {
  const size_t width = element_size(context.output(0).type);
  const uint32_t element = width == 2 ? context.scalar<uint16_t>(1, 0) : context.scalar<uint32_t>(1, 0);
  return emit_value(context, element, width, dispatches);
}

Status emit_rank(const EmitContext& context, DispatchList& dispatches) {
  return emit_value(context, static_cast<uint32_t>(context.input(0).shape.rank()), sizeof(int32_t), dispatches);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kReshape, nullptr, emit_copy},
    {OperationCode::kSqueeze, nullptr, emit_copy},
    {OperationCode::kExpandDims, nullptr, emit_copy},
    {OperationCode::kTranspose, nullptr, emit_transpose},
    {OperationCode::kSlice, nullptr, emit_slice},
    {OperationCode::kStridedSlice, nullptr, emit_slice},
    {OperationCode::kPad, nullptr, emit_pad},
    {OperationCode::kPadV2, nullptr, emit_pad},
    {OperationCode::kMirrorPad, nullptr, emit_mirror_pad},
    {OperationCode::kSplit, nullptr, emit_split},
    {OperationCode::kTile, nullptr, emit_rearrangement},
    {OperationCode::kReverse, nullptr, emit_rearrangement},
    {OperationCode::kFill, nullptr, emit_fill},
    {OperationCode::kRank, nullptr, emit_rank},
};

}  // namespace

std::span<const KernelEmitter> data_movement_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
